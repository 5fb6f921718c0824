// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is known of cgroups, on a host where they come and go for days. */
#include <criterion/criterion.h>

#include "assemble/assembly.h"
#include "pmubpf/budgets.h"
#include "proc/cgroups.h"

static struct cgroups *cgroups;

/* No kernel has given such numbers to a cgroup: there is nothing to look up. */
#define NUMBER(i) ((1ULL << 62) + (uint64_t)(i))

static void begin(void)
{
	cgroups = cgroups__new(NULL);
}

static void end(void)
{
	cgroups__free(cgroups);
}

TestSuite(cgroups, .init = begin, .fini = end, .timeout = 30);

static void count(void *n, uint64_t id)
{
	cr_expect_geq(id, NUMBER(0));
	++*(size_t *)n;
}

static bool is_known(uint64_t wanted)
{
	struct cgroup_info info;
	uint64_t id = 0;

	while (cgroups__next(cgroups, &id, &info)) {
		if (id == wanted)
			return true;
	}
	return false;
}

struct looking {
	size_t settled, between;
	uint64_t meet; /* a cgroup, while one is looked up */
};

static void is_settled(void *ctx, uint64_t id)
{
	struct looking *l = ctx;

	cr_expect(is_known(id));
	l->settled++;
}

static void between(void *ctx)
{
	struct looking *l = ctx;

	l->between++;
	if (l->meet)
		cgroups__meet(cgroups, l->meet++, 0);
}

static const struct cgroups_fns fns = {is_settled, between};

static size_t look_up(void)
{
	struct looking l = {0};

	cgroups__look_up(cgroups, &fns, &l);
	return l.settled;
}

/* The rings are drained after each, and samples of others may come with that. */
Test(cgroups, are_looked_up_apart_from_being_met)
{
	struct looking l = {.meet = NUMBER(300)};

	for (unsigned i = 0; i < 200; i++)
		cgroups__meet(cgroups, NUMBER(i), 0);
	cgroups__look_up(cgroups, &fns, &l);
	cr_expect_eq(l.settled, 200);
	cr_expect_eq(l.between, 200);
	cr_expect_eq(cgroups__count(cgroups), 400);
	cr_expect_eq(look_up(), 200, "those that were met meanwhile come next");
	cr_expect_eq(look_up(), 0);
}

/* A part is cut off after every hundred; samples of it are of ten at a time. */
Test(cgroups, stay_few_over_a_hundred_thousand)
{
	struct profile *profile = profile__new();
	struct profile_key key = {0};
	size_t most = 0, forgotten = 0;

	for (unsigned i = 0; i < 100000; i++) {
		struct profile_labels labels = {.cgroup = NUMBER(i)};

		if (i % 100 == 0) {
			profile__free(profile);
			profile = profile__new();
		}
		cgroups__meet(cgroups, NUMBER(i), 0);
		key.labels = profile__labels(profile, &labels);
		profile__add(profile, &key, 1);
		if (cgroups__count(cgroups) > most)
			most = cgroups__count(cgroups);
		if (!cgroups__many(cgroups))
			continue;
		profile__keep_cgroups(profile, cgroups);
		cgroups__sweep(cgroups, count, &forgotten);
		cr_assert(is_known(NUMBER(i)), "that of the last sample is forgotten");
		cr_expect_leq(cgroups__count(cgroups), 100);
	}
	cr_expect_leq(most, BUDGET_CGROUPS + 2 * 100 + 1, "%zu were known at a time", most);
	cr_expect_eq(forgotten + cgroups__count(cgroups), 100000);
	profile__free(profile);
}

Test(cgroups, is_met_anew_after_it_was_forgotten)
{
	size_t forgotten = 0;

	cgroups__meet(cgroups, NUMBER(1), 0);
	cr_expect_eq(look_up(), 1, "nothing more can be found out of it");
	cgroups__meet(cgroups, NUMBER(1), 0);
	cr_expect_eq(look_up(), 0);
	cgroups__meet(cgroups, NUMBER(2), 0);
	cr_expect_eq(look_up(), 1);
	cgroups__keep(cgroups, NUMBER(2));
	cgroups__keep(cgroups, NUMBER(3));
	cgroups__sweep(cgroups, count, &forgotten);
	cr_expect_eq(forgotten, 1);
	cr_expect_not(is_known(NUMBER(1)));
	cgroups__meet(cgroups, NUMBER(2), 0);
	cr_expect_eq(look_up(), 0, "it was kept");
	cgroups__meet(cgroups, NUMBER(1), 0);
	cr_expect_eq(look_up(), 1, "whoever marks cgroups has to be told");
	cr_expect_eq(cgroups__count(cgroups), 2);
}
