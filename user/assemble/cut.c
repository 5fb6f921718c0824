// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What was assembled is handed out, and all goes on. The hard thing is what has not become rows
 * yet: records younger than the boundary, and samples that wait for a table. They are carried over,
 * counted as such in the books on both sides, and become rows of the next part as they would have
 * become rows of this one.
 */
#include "assemble/internal.h"

static void count_held(struct ledger *books, const struct pmb_sample *sample,
		       const struct pmb_reading *reads, size_t n_reads)
{
	ledger_carried__hold(&books->events[sample->event].out, sample->weight);
	for (size_t i = 0; i < n_reads; i++) {
		if (reads[i].weight)
			ledger_carried__hold(&books->events[reads[i].event].out, reads[i].weight);
	}
}

static void on_waiting(void *ctx, const struct decoded *rec)
{
	struct assembly *a = ctx;

	count_held(&a->books, rec->sample, rec->reads, rec->n_reads);
}

static void count_account(void *ctx, struct account *to)
{
	struct assembly *a = ctx;
	const struct pmb_sample sample = {.event = (__u16)to->event, .weight = to->weight};

	if (!to->block_size)
		count_held(&a->books, &sample, to->reads, to->n_reads);
}

struct assembled assembly__cut(struct assembly *a, uint64_t boundary)
{
	struct assembled part;

	assembly__settle(a, boundary);
	if (boundary == UINT64_MAX)
		assembly__windows_end(a);
	queue__each_sample(&a->queue, on_waiting, a);
	assembly__each_late(a, count_account, a);
	assembly__each_held(a, count_account, a);
	part = (struct assembled){a->profile, a->books};
	truncating__sort(&part.books.truncating);
	assembly__begin(a);
	for (size_t i = 0; i < part.books.n_events; i++)
		a->books.events[i].in = part.books.events[i].out;
	raw_stacks__renumbered(&a->stacks);
	assembly__carry_late(a, part.profile);
	assembly__move_held(a, a->profile, part.profile);
	return part;
}

void profile__keep_cgroups(const struct profile *profile, struct cgroups *cgroups)
{
	const struct profile_row *rows;
	size_t n = profile__rows(profile, &rows);

	for (size_t i = 0; i < n; i++)
		cgroups__keep(cgroups, profile__label_set(profile, rows[i].key.labels).cgroup);
}

static void keep_cgroup(void *cgroups, struct account *to)
{
	cgroups__keep(cgroups, to->labels.cgroup);
}

static void keep_cgroup_of(void *cgroups, const struct decoded *rec)
{
	cgroups__keep(cgroups, rec->sample->cgroup);
}

void assembly__keep_cgroups(const struct assembly *a, struct cgroups *cgroups)
{
	profile__keep_cgroups(a->profile, cgroups);
	assembly__each_late(a, keep_cgroup, cgroups);
	assembly__each_held(a, keep_cgroup, cgroups);
	queue__each_sample(&a->queue, keep_cgroup_of, cgroups);
}
