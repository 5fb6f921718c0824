// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary_branch_records.h"

#include <inttypes.h>

#include "base/mem.h"

void summary_branches__text(const struct ledger *l, struct buf *out)
{
	const struct ledger_branches *b = &l->branches;
	uint64_t lost, seen = ledger__branches_seen(l, &lost);
	const struct {
		uint64_t n;
		const char *what;
	} columns[] = {
		{b->other, "in [other] (--max-memory)"},
		{b->kernel, "from or to the kernel, which wasn't asked for (-j any,u,k)"},
		{b->invalid, "from or to what no address can be"},
		{b->unmapped, "from or to where nothing is known to be mapped"},
		{b->cut, "more than a sample has room for"},
		{b->left_out, "of samples that were left out"},
		{lost, "of samples that were lost"},
	};

	if (!seen)
		return;
	buf__printf(out, "  branch records: %" PRIu64 ", of them %" PRIu64 " stored", seen,
		    b->stored);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (columns[i].n)
			buf__printf(out, ", %" PRIu64 " %s", columns[i].n, columns[i].what);
	}
	buf__putc(out, '\n');
	if (!b->ranges)
		return;
	buf__printf(out,
		    "    code between two of a sample: %" PRIu64 " times, of them %" PRIu64
		    " stored",
		    b->ranges, b->ranges_stored);
	if (b->ranges_other)
		buf__printf(out, ", %" PRIu64 " in [other]", b->ranges_other);
	if (b->ranges_torn)
		buf__printf(out, ", %" PRIu64 " torn (its ends are not in one file, in this order)",
			    b->ranges_torn);
	buf__putc(out, '\n');
}

void summary_branches__json(const struct ledger *l, struct json *j)
{
	const struct ledger_branches *b = &l->branches;
	uint64_t lost, seen = ledger__branches_seen(l, &lost);

	json__obj(j, "branches");
	json__u64(j, "seen", seen);
	json__u64(j, "lost", lost);
	json__u64(j, "stored", b->stored);
	json__u64(j, "other", b->other);
	json__u64(j, "kernel", b->kernel);
	json__u64(j, "invalid", b->invalid);
	json__u64(j, "unmapped", b->unmapped);
	json__u64(j, "cut", b->cut);
	json__u64(j, "left_out", b->left_out);
	json__u64(j, "runs", b->ranges);
	json__u64(j, "runs_stored", b->ranges_stored);
	json__u64(j, "runs_other", b->ranges_other);
	json__u64(j, "runs_torn", b->ranges_torn);
	json__end_obj(j);
}
