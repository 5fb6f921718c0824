// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which runs of code pass which branches: both lie on one line of addresses for each mapping. A run
 * is one step up where it begins and one down where it ends; on the way along the line, the sum of
 * the steps is how many pass.
 */
#include "prof/branch_table.h"

#include <stdlib.h>

#include "base/mem.h"

/* Where they are at one address: runs begin, branches look, runs end, and what looks there at who
 * ends there doesn't see it pass. */
enum { BEGINS, ENDS, LOOKS };

struct step {
	uint32_t mapping;
	uint32_t what;
	uint64_t address;
	uint64_t runs;
	struct branch_row *row; /* LOOKS */
};

struct steps {
	struct step *list;
	size_t n, cap;
};

static void add_step(struct steps *s, const struct prof *p, uint32_t location, uint32_t what,
		     uint64_t runs, struct branch_row *row)
{
	const struct prof_location *l = &p->locations[location];

	GROW(s->list, s->n, s->cap);
	s->list[s->n++] = (struct step){l->mapping, what, l->address, runs, row};
}

static int compare_steps(const void *pa, const void *pb)
{
	const struct step *a = pa, *b = pb;

	if (a->mapping != b->mapping)
		return CMP3(a->mapping, b->mapping);
	if (a->address != b->address)
		return CMP3(a->address, b->address);
	return CMP3(a->what, b->what);
}

static void go_along(struct steps *s)
{
	uint64_t running = 0, ended = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct step *step = &s->list[i];

		if (i && (step->mapping != step[-1].mapping || step->address != step[-1].address))
			ended = 0;
		if (step->what == BEGINS) {
			running += step->runs;
		} else if (step->what == ENDS) {
			running -= step->runs;
			ended += step->runs;
		} else {
			step->row->left = ended;
			step->row->passed = running;
		}
	}
}

static void find_passes(struct branch_table *t, const struct prof *p)
{
	struct steps steps = {0};

	for (size_t i = 0; i < p->n_branches; i++) {
		const struct prof_branch *b = &p->branches[i];

		if (b->kind != BRANCH_BETWEEN || !b->from)
			continue;
		/* a file may say anything: one that ends before it begins, or elsewhere */
		if (p->locations[b->from].mapping != p->locations[b->to].mapping ||
		    p->locations[b->from].address > p->locations[b->to].address)
			continue;
		add_step(&steps, p, b->from, BEGINS, b->counts.records, NULL);
		add_step(&steps, p, b->to, ENDS, b->counts.records, NULL);
	}
	for (size_t i = 0; steps.n && i < t->n; i++)
		add_step(&steps, p, t->rows[i].branch->from, LOOKS, 0, &t->rows[i]);
	if (steps.n)
		qsort(steps.list, steps.n, sizeof(*steps.list), compare_steps);
	go_along(&steps);
	free(steps.list);
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct prof *p = ctx;
	const struct prof_branch *a = ((const struct branch_row *)pa)->branch;
	const struct prof_branch *b = ((const struct branch_row *)pb)->branch;
	const struct prof_location *la = &p->locations[a->from], *lb = &p->locations[b->from];

	if (a->counts.records != b->counts.records)
		return CMP3(b->counts.records, a->counts.records);
	if (la->mapping != lb->mapping)
		return CMP3(la->mapping, lb->mapping);
	if (la->address != lb->address)
		return CMP3(la->address, lb->address);
	return CMP3(a->to, b->to);
}

void branch_table__make(struct branch_table *ret, const struct prof *p)
{
	*ret = (struct branch_table){.rows = xcalloc(p->n_branches, sizeof(*ret->rows))};
	for (size_t i = 0; i < p->n_branches; i++) {
		const struct prof_branch *b = &p->branches[i];

		if (b->kind == BRANCH_BETWEEN) {
			ret->ranges += b->counts.records;
			ret->ranges_other += b->from ? 0 : b->counts.records;
			continue;
		}
		branch_counts__add(&ret->all, &b->counts);
		if (b->from)
			ret->rows[ret->n++].branch = b;
		else
			branch_counts__add(&ret->other, &b->counts);
	}
	if (ret->n)
		qsort_r(ret->rows, ret->n, sizeof(*ret->rows), compare_rows, (void *)p);
	find_passes(ret, p);
}

void branch_table__done(struct branch_table *table)
{
	free(table->rows);
	*table = (struct branch_table){0};
}
