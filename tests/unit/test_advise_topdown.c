// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice by formulas of top-down analysis that a profile brings along. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise_found.h"

#define SLOTS "(4 * CLOCK.ONE)"

enum { EVERY = 100003 };
enum { NOT_DELIVERED, CLOCK, ISSUED, RETIRED, MISP, CLEARS, N_EVENTS };

static const char *const names[N_EVENTS] = {
	"ISSUE.NOT_DELIVERED", "CLOCK.ONE", "UOPS.ISSUED",
	"UOPS.RETIRED",        "MISP.ALL",  "CLEARS.COUNT",
};
static const char *const formulas[] = {
	"topdown Frontend_Bound: 1 - (100 * (ISSUE.NOT_DELIVERED / " SLOTS "))",
	"topdown Bad_Speculation: 1 - (100 * ((UOPS.ISSUED - UOPS.RETIRED) / " SLOTS "))",
	"topdown Branch_Mispredicts: 2 MISP.ALL (100 * ((MISP.ALL / (MISP.ALL + CLEARS.COUNT)) * "
	"((UOPS.ISSUED - UOPS.RETIRED) / " SLOTS ")))",
	"topdown Machine_Clears: 2 CLEARS.COUNT (100 * ((CLEARS.COUNT / (MISP.ALL + CLEARS.COUNT)) "
	"* ((UOPS.ISSUED - UOPS.RETIRED) / " SLOTS ")))",
};

static void begin(void)
{
	p = prof__new();
	for (size_t i = 0; i < N_EVENTS; i++) {
		_cleanup_free_ char *samples = xasprintf("%s_sample", names[i]);
		_cleanup_free_ char *events = xasprintf("%s_event", names[i]);
		_cleanup_free_ char *line =
			xasprintf("event %s: counts=events period=%d", names[i], EVERY);

		prof__type(p, samples, "count");
		prof__type(p, events, "count");
		prof__comment(p, line);
	}
	for (size_t i = 0; i < ARRAY_SIZE(formulas); i++)
		prof__comment(p, formulas[i]);
}

TestSuite(advise_topdown, .init = begin, .fini = end);

static void sampled(const char *stack, const int64_t samples[N_EVENTS])
{
	int64_t values[2 * N_EVENTS];

	for (size_t i = 0; i < N_EVENTS; i++) {
		values[2 * i] = samples[i];
		values[2 * i + 1] = samples[i] * EVERY;
	}
	build_sample(p, build_stack(p, stack), 0, values);
}

/* 40,000 slots: a quarter of them thrown away, nine tenths of these for branches in sort(). */
static const int64_t branchy[N_EVENTS] = {1000, 10000, 30000, 20000, 900, 100};

Test(advise_topdown, branches_that_are_guessed_wrong)
{
	static const int64_t other[N_EVENTS] = {0, 0, 0, 0, 100, 0};
	_cleanup_(buf__done) struct buf text = {0};
	const struct finding *f = &advice.findings[RULE_MISPREDICTS];

	sampled("sort,main", branchy);
	sampled("other,main", other);
	advice__find(&advice, p);
	cr_assert_eq(advice.n, 1);
	cr_assert_eq(advice.order[0], f);
	cr_expect_float_eq(f->value, 100 * 1000.0 / 1100 / 4, 1e-6, "%g", f->value);
	cr_expect(f->low < f->value && f->value < f->high && f->high - f->low < 4, "%g %g", f->low,
		  f->high);
	cr_assert_eq(f->n_places, 2);
	cr_expect_str_eq(f->places[0].function, "sort");
	cr_expect_float_eq(f->places[0].percent, 90, 1e-6);
	cr_expect_eq(advice.findings[RULE_SLOTS_SPECULATION].verdict, RULE_COVERED);
	cr_expect_eq(advice.findings[RULE_CLEARS].verdict, RULE_BELOW);
	cr_expect_eq(advice.findings[RULE_SLOTS_FRONTEND].verdict, RULE_BELOW);
	cr_expect_eq(advice.findings[RULE_MEMORY_BOUND].verdict, RULE_NOT_ASKED);
	advice__done(&advice);
	say(false, false, &text);
	cr_expect(strstr(text.data, "Branches go where nobody expected: 23 % of the core's slots"),
		  "%s", text.data);
	cr_expect(strstr(text.data, "samples of 5 events"), "%s", text.data);
}

Test(advise_topdown, what_makes_no_finding)
{
	static const int64_t few[N_EVENTS] = {10, 99, 90, 10, 10, 1};

	sampled("sort,main", few);
	advice__find(&advice, p);
	cr_expect_eq(advice.findings[RULE_SLOTS_SPECULATION].verdict, RULE_FEW);
	cr_expect_eq(advice.n, 0);
	advice__done(&advice);
}

/* Counts without samples are known to about a period. */
Test(advise_topdown, an_event_that_never_happened)
{
	static const int64_t calm[N_EVENTS] = {30000, 10000, 20000, 20000, 0, 0};

	sampled("main", calm);
	advice__find(&advice, p);
	cr_expect_eq(advice.findings[RULE_SLOTS_FRONTEND].verdict, RULE_HOLDS);
	cr_expect_eq(advice.findings[RULE_MISPREDICTS].verdict, RULE_FEW); /* 0 / 0 */
	cr_expect_eq(advice.findings[RULE_SLOTS_SPECULATION].verdict, RULE_BELOW);
	cr_expect_eq(advice.n, 1);
	advice__done(&advice);
}

/* Anybody's file may say anything. */
Test(advise_topdown, formulas_of_anybody)
{
	static const char *const lines[] = {
		"topdown Core_Bound: 1 - (1 +",
		"topdown Memory_Bound: 1",
		"topdown Backend_Bound: 1 - NOT.THERE / CLOCK.ONE",
		"topdown Fetch_Latency:",
		"topdown Fetch_Bandwidth: 1 NOT.THERE 1 / (CLOCK.ONE - CLOCK.ONE)",
	};
	static const int rules_of[] = {RULE_CORE_BOUND, RULE_MEMORY_BOUND, RULE_SLOTS_BACKEND,
				       RULE_FETCH_LATENCY};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		prof__comment(p, lines[i]);
	sampled("sort,main", branchy);
	advice__find(&advice, p);
	for (size_t i = 0; i < ARRAY_SIZE(rules_of); i++)
		cr_expect_eq(advice.findings[rules_of[i]].verdict, RULE_NOT_ASKED, "%zu", i);
	cr_expect_eq(advice.findings[RULE_FETCH_BANDWIDTH].verdict, RULE_FEW);
	advice__done(&advice);
}

/* Each share of its own, at 40 % of the slots and at 4. */
Test(advise_topdown, each_share)
{
	static const struct {
		const char *metric;
		int rule;
	} shares[] = {
		{"Frontend_Bound", RULE_SLOTS_FRONTEND},
		{"Fetch_Latency", RULE_FETCH_LATENCY},
		{"Fetch_Bandwidth", RULE_FETCH_BANDWIDTH},
		{"Bad_Speculation", RULE_SLOTS_SPECULATION},
		{"Branch_Mispredicts", RULE_MISPREDICTS},
		{"Machine_Clears", RULE_CLEARS},
		{"Backend_Bound", RULE_SLOTS_BACKEND},
		{"Memory_Bound", RULE_MEMORY_BOUND},
		{"Core_Bound", RULE_CORE_BOUND},
		{"Heavy_Operations", RULE_MICROCODE},
	};
	static const int64_t much[N_EVENTS] = {16000, 10000}, little[N_EVENTS] = {0, 90000};

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		_cleanup_free_ char *line = xasprintf("topdown %s: 1 ISSUE.NOT_DELIVERED (100 * "
						      "(ISSUE.NOT_DELIVERED / " SLOTS "))",
						      shares[i].metric);
		const struct finding *f = &advice.findings[shares[i].rule];

		end();
		p = prof__new();
		prof__type(p, "ISSUE.NOT_DELIVERED_sample", "count");
		prof__type(p, "ISSUE.NOT_DELIVERED_event", "count");
		prof__type(p, "CLOCK.ONE_sample", "count");
		prof__type(p, "CLOCK.ONE_event", "count");
		prof__comment(p, line);
		for (int k = 0; k < 2; k++) {
			const int64_t *n = k ? little : much;
			int64_t values[4] = {n[0], n[0] * EVERY, n[1], n[1] * EVERY};

			build_sample(p, build_stack(p, "decode,main"), 0, values);
			advice__find(&advice, p);
			cr_expect_eq(f->verdict, k ? RULE_BELOW : RULE_HOLDS, "%s, %g %%",
				     shares[i].metric, f->value);
			cr_expect_float_eq(f->value, k ? 4 : 40, 1e-6, "%s: %g", shares[i].metric,
					   f->value);
			if (!k)
				cr_expect_str_eq(f->places[0].function, "decode");
			advice__done(&advice);
		}
	}
}

/* A number of samples around that mean: the sum of its uniform parts is nearly normal. */
static int64_t drawn(double mean, uint64_t *random)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += (double)(*random >> 11) / (double)(UINT64_C(1) << 53);
	}
	return (int64_t)fmax(round(mean + (sum - 6) * sqrt(mean)), 0);
}

/* Of a thousand recordings the interval has the truth in 95 %, within four sigmas. */
Test(advise_topdown, intervals_cover_the_truth)
{
	enum { RUNS = 1000, LEAST = 950 - 28, MOST = 950 + 28 };
	static const double means[N_EVENTS] = {400, 1000, 3000, 2000, 90, 10};
	static const double truth = 100 * 0.9 * 1000 / 4000;
	uint64_t random = 4711;
	int covered = 0;

	for (int i = 0; i < RUNS; i++) {
		int64_t samples[N_EVENTS];
		const struct finding *f = &advice.findings[RULE_MISPREDICTS];

		for (int k = 0; k < N_EVENTS; k++)
			samples[k] = drawn(means[k], &random);
		end();
		begin();
		sampled("sort,main", samples);
		advice__find(&advice, p);
		covered += f->low <= truth && truth <= f->high;
		advice__done(&advice);
	}
	cr_expect(covered >= LEAST && covered <= MOST, "%d of %d", covered, RUNS);
}
