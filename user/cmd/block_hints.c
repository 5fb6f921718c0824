// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/block_hints.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/libpfm.h"
#include "prof/blockclass.h"

enum { LEAST_PERCENT = 5 /* of the samples */ };

/* The vendors' names; of several for a class the first that this CPU has. */
static const struct hint {
	enum pmb_block_class class;
	const char *event, *counts;
} hints[] = {
	{PMB_BLOCK_PAUSE, "MISC_RETIRED:PAUSE_INST", "pauses"},
	{PMB_BLOCK_PAUSE, "CPU_CLK_UNHALTED:PAUSE_INST", "pauses"},
	{PMB_BLOCK_PAUSE, "ROB_MISC_EVENTS:PAUSE_INST", "pauses"},
	{PMB_BLOCK_LOCK, "MEM_INST_RETIRED:LOCK_LOADS", "locked instructions"},
	{PMB_BLOCK_LOCK, "MEM_UOPS_RETIRED:LOCK_LOADS", "locked instructions"},
	{PMB_BLOCK_LOCK, "RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", "locks that stop the whole bus"},
	{PMB_BLOCK_DIV, "ARITH:DIVIDER_ACTIVE", "cycles in which the divider works"},
	{PMB_BLOCK_DIV, "ARITH:FPU_DIV_ACTIVE", "cycles in which the divider works"},
	{PMB_BLOCK_DIV, "ARITH:DIVIDER_UOPS", "what the divider does"},
	{PMB_BLOCK_DIV, "DIV_CYCLES_BUSY_COUNT", "cycles in which the divider works"},
	{PMB_BLOCK_STRING, "IDQ:MS_UOPS", "operations that microcode makes"},
	{PMB_BLOCK_VECTOR_512, "CORE_POWER:LVL2_TURBO_LICENSE", "cycles at the wide vectors' rate"},
	{PMB_BLOCK_CALL, "BR_INST_RETIRED:NEAR_CALL", "calls"},
	{PMB_BLOCK_CALL, "RETIRED_NEAR_RETURNS_MISPREDICTED", "returns that were mispredicted"},
	{PMB_BLOCK_LOAD, "MEM_LOAD_RETIRED:L1_MISS", "loads that missed the first cache"},
	{PMB_BLOCK_LOAD, "MEM_LOAD_UOPS_RETIRED:L1_MISS", "loads that missed the first cache"},
	{PMB_BLOCK_BRANCH, "BR_MISP_RETIRED:ALL_BRANCHES", "branches that were mispredicted"},
	{PMB_BLOCK_BRANCH, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED",
	 "branches that were mispredicted"},
};

static enum pmb_block_class class_of(const struct prof *p, uint32_t labels)
{
	const struct prof_label *label = prof__label(p, labels, BLOCKCLASS_LABEL);
	const char *word = label ? prof__text(p, label->text) : "";
	enum pmb_block_class class = PMB_N_BLOCK_CLASSES - 1;

	while (class && strcmp(word, block_class_word(class, false)) != 0)
		class --;
	return class;
}

/* Overflows, of whatever event, by class; all of them at PMB_BLOCK_NONE. */
static void count(const struct prof *p, double *counts)
{
	struct prof_event *events;
	size_t n = prof__events(p, &events);

	for (size_t i = 0; i < p->n_samples; i++) {
		enum pmb_block_class class = class_of(p, p->samples[i].labels);
		double samples = 0;

		for (size_t k = 0; k < n; k++) {
			if (events[k].samples != PROF_NO_TYPE)
				samples += (double)prof__values(p, i)[events[k].samples];
		}
		counts[PMB_BLOCK_NONE] += samples;
		if (class)
			counts[class] += samples;
	}
	prof_events__free(events, n);
}

static bool is_here(const char *name)
{
	struct libpfm_event event;
	bool here = libpfm__encode(name, &event) == 0;

	libpfm_event__done(&event);
	return here;
}

void add_block_hints(struct prof *prof)
{
	double counts[PMB_N_BLOCK_CLASSES] = {0};
	enum pmb_block_class said = PMB_BLOCK_NONE;

	count(prof, counts);
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		const struct hint *h = &hints[i];
		_cleanup_free_ char *line = NULL;

		if (h->class == said ||
		    counts[h->class] * 100 < LEAST_PERCENT * counts[PMB_BLOCK_NONE] ||
		    !counts[h->class] || !is_here(h->event))
			continue;
		said = h->class;
		line = xasprintf("hint: %s: %s counts %s", block_class_word(h->class, false),
				 h->event, h->counts);
		prof__comment(prof, line);
	}
}
