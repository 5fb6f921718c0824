/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Profiles by hand, and what is advised of them. */
#ifndef TESTS_UNIT_ADVISE_BY_HAND_H
#define TESTS_UNIT_ADVISE_BY_HAND_H

#include <criterion/criterion.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>

#include "advise_found.h"
#include "pmubpf/hotspot.h"
#include "prof/sharing.h"

#define K "@[kernel.kallsyms]"
#define C "@/lib/libc.so.6"
#define PY "@/lib/libpython3.so"

enum { MS = 1000000 };
enum { CLOCK, CLOCK_TIME, FAULTS, SWITCHES, OFF, OFF_TIME, N_TYPES };

static inline void begin(void)
{
	p = prof__new();
	prof__type(p, "cpu-clock_sample", "count");
	prof__type(p, "cpu-clock_time", "nanoseconds");
	prof__type(p, "page-faults_event", "count");
	prof__type(p, "context-switches_event", "count");
	prof__type(p, "off-cpu_sample", "count");
	prof__type(p, "off-cpu_time", "nanoseconds");
	prof__comment(p, "event off-cpu: counts=threads period=1 overflows=1 pc=exact");
}

TestSuite(advise, .init = begin, .fini = end);

static inline void sample(uint32_t stack, uint32_t labels, size_t type, int64_t n)
{
	int64_t values[16] = {0};

	values[type] = n;
	if (type == CLOCK)
		values[CLOCK_TIME] = n * MS;
	build_sample(p, stack, labels, values);
}

/* So many samples of a millisecond. */
static inline void ran(const char *stack, int64_t n)
{
	sample(build_stack(p, stack), build_labels(p, 1, "a"), CLOCK, n);
}

static inline void counted(size_t type, int64_t n)
{
	sample(build_stack(p, "main"), build_labels(p, 1, "a"), type, n);
}

/* So many times ten milliseconds. */
static inline void waited(const char *stack, const char *state, int64_t n)
{
	struct prof_label_list labels = {0};
	int64_t values[N_TYPES] = {[OFF] = n, [OFF_TIME] = n * 10 * MS};

	prof__add_text(p, &labels, "comm", "a");
	prof__add_text(p, &labels, "off_state", state);
	prof__add_text(p, &labels, "waker", "owner");
	build_sample(p, build_stack(p, stack), prof__labels(p, labels.items, labels.n), values);
	free(labels.items);
}

static inline enum verdict_of_rule verdict(int rule)
{
	enum verdict_of_rule ret;

	advice__find(&advice, p);
	ret = advice.findings[rule].verdict;
	advice__done(&advice);
	return ret;
}

static inline void expect_place(int rule, const char *text, const char *function)
{
	advice__find(&advice, p);
	cr_assert_gt(advice.findings[rule].n_places, 0);
	cr_expect_str_eq(advice.findings[rule].places[0].text, text, "%s",
			 advice.findings[rule].places[0].text);
	cr_expect_str_eq(advice.findings[rule].places[0].function, function);
	advice__done(&advice);
}

#endif
