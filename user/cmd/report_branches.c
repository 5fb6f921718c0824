// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/report_branches.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/write.h"
#include "render/branch_records.h"
#include "render/escape.h"

enum { TEXT_ROWS = 40 };

int report_branches__find(struct branch_table *ret, struct branch_binary *ret_binary,
			  const struct prof *whole, const struct report_args *a, struct err *err)
{
	if (!whole->n_branches)
		return err__usage(err,
				  "--branches: the profile has no branch records; `pmubpf record "
				  "-b' makes some, where the CPU does");
	if (a->branches != BRANCHES_TABLE)
		return branch_binary__choose(ret_binary, whole, a->binary, err);
	branch_table__make(ret, whole);
	return 0;
}

static void write_table(const struct branch_table *table, const struct report *report,
			const struct report_args *a, struct buf *text)
{
	const struct branches_report r = {
		.report = report,
		.table = table,
		.limit = a->limit >= 0 ? (size_t)a->limit :
			 a->json       ? 0 :
					 TEXT_ROWS,
	};

	if (a->json)
		branches_report__json(&r, text);
	else
		branches_report__text(&r, text);
}

/* The formats have no room for remarks. */
static void tell_binary(const struct prof *p, const struct branch_binary *binary)
{
	_cleanup_(buf__done) struct buf text = {0};

	buf__puts(&text, "pmubpf: branches of ");
	escape_name(&text, prof__text(p, binary->file));
	buf__puts(&text, " (build-id ");
	escape_name(&text, binary->build_id ? prof__text(p, binary->build_id) : "not known");
	buf__printf(&text, "): %" PRIu64 " of %" PRIu64 " records\n", binary->records, binary->all);
	fputs(text.data, stderr);
}

int report_branches__write(const struct branch_table *table, const struct report *report,
			   const struct report_args *a, const struct branch_binary *binary,
			   FILE *file)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (a->branches == BRANCHES_TABLE)
		write_table(table, report, a, &text);
	else
		tell_binary(report->whole, binary);
	if (a->branches == BRANCHES_BOLT)
		branch_feed__bolt(report->whole, binary, &text);
	else if (a->branches == BRANCHES_AUTOFDO)
		branch_feed__autofdo(report->whole, binary, &text);
	return buf__write(&text, file);
}
