// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/branch_records.h"

#include <string.h>

#include "base/mem.h"

enum { RECORDS, FORESEEN, MISPREDICTED, TIMED, CYCLES, BETWEEN };

const struct prof_branch_type prof_branch_types[PROF_BRANCH_TYPES] = {
	[RECORDS] = {"branch_records", "count"},
	[FORESEEN] = {"branch_predictions", "count"},
	[MISPREDICTED] = {"branch_mispredictions", "count"},
	[TIMED] = {"branch_timed", "count"},
	[CYCLES] = {"branch_cycles", "cycles"},
	[BETWEEN] = {"branch_ranges", "count"},
};

static int branch_type(const char *name, const char *unit)
{
	for (int i = 0; i < PROF_BRANCH_TYPES; i++) {
		if (strcmp(prof_branch_types[i].name, name) == 0 &&
		    strcmp(prof_branch_types[i].unit, unit) == 0)
			return i;
	}
	return -1;
}

void prof_branch__values(const struct prof_branch *branch, int64_t values[PROF_BRANCH_TYPES])
{
	const struct branch_counts *c = &branch->counts;

	memset(values, 0, PROF_BRANCH_TYPES * sizeof(*values));
	if (branch->kind == BRANCH_BETWEEN) {
		values[BETWEEN] = (int64_t)c->records;
		return;
	}
	values[RECORDS] = (int64_t)c->records;
	values[FORESEEN] = (int64_t)c->foreseen;
	values[MISPREDICTED] = (int64_t)c->mispredicted;
	values[TIMED] = (int64_t)c->timed;
	values[CYCLES] = (int64_t)c->cycles;
}

/* The counts and the kind; false: nothing was counted, or less. */
static bool of_values(struct prof_branch *ret, const int64_t values[PROF_BRANCH_TYPES])
{
	bool between = values[BETWEEN] != 0;

	for (int i = 0; i < PROF_BRANCH_TYPES; i++) {
		if (values[i] < 0)
			return false;
	}
	ret->kind = between ? BRANCH_BETWEEN : BRANCH_TAKEN;
	ret->counts = (struct branch_counts){.records = (uint64_t)values[BETWEEN]};
	if (!between)
		ret->counts = (struct branch_counts){
			.records = (uint64_t)values[RECORDS],
			.foreseen = (uint64_t)values[FORESEEN],
			.mispredicted = (uint64_t)values[MISPREDICTED],
			.timed = (uint64_t)values[TIMED],
			.cycles = (uint64_t)values[CYCLES],
		};
	return ret->counts.records;
}

void prof__add_branch(struct prof *p, const struct prof_branch *branch)
{
	const uint64_t key[] = {branch->from, branch->to, branch->kind};
	uint32_t number = intern__add(&p->branch_set, key, sizeof(key));

	if (number > p->n_branches) {
		GROW(p->branches, p->n_branches, p->cap_branches);
		p->branches[p->n_branches++] = (struct prof_branch){
			.from = branch->from,
			.to = branch->to,
			.kind = branch->kind,
		};
	}
	branch_counts__add(&p->branches[number - 1].counts, &branch->counts);
}

int *prof__take_branch_types(struct prof *p)
{
	int *ret = xcalloc(p->n_types, sizeof(*ret));
	size_t n = 0;

	for (size_t i = 0; i < p->n_types; i++) {
		ret[i] = branch_type(prof__text(p, p->types[i].name),
				     prof__text(p, p->types[i].unit));
		n += ret[i] < 0;
	}
	if (!n || n == p->n_types) { /* nothing but branches: then they are what is shown */
		memset(ret, 0xff, p->n_types * sizeof(*ret));
		return ret;
	}
	for (size_t i = n = 0; i < p->n_types; i++) {
		if (ret[i] < 0)
			p->types[n++] = p->types[i];
	}
	p->n_types = n;
	return ret;
}

bool prof__take_branch(struct prof *p, struct prof_branch_sample *sample, uint32_t stack)
{
	struct prof_branch branch = {0};
	const uint32_t *places;
	size_t n = prof__stack_locations(p, stack, &places);

	if (!of_values(&branch, sample->values))
		return true;
	if (n && (n != 2 || !places[0] || !places[1]))
		return false;
	branch.to = n ? places[0] : 0;
	branch.from = n ? places[1] : 0;
	prof__add_branch(p, &branch);
	sample->taken = true;
	return true;
}
