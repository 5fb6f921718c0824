/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a profile says to do: each rule of the table beside the figures. Those that hold are
 * findings; of the others it is kept why they don't.
 */
#ifndef PMUBPF_ADVISE_ADVICE_H
#define PMUBPF_ADVISE_ADVICE_H

#include <stdbool.h>

#include "advise/rules.h"
#include "advise/traits.h"
#include "prof/prof.h"

enum verdict_of_rule {
	RULE_NOT_ASKED, /* the profile has no such event, or no such label */
	RULE_FEW,       /* too few samples to say it */
	RULE_BELOW,     /* less than the threshold */
	RULE_COVERED,   /* it holds, and another finding is the same time seen closer */
	RULE_HOLDS,
};

struct place {
	char *text;     /* function, module, line, data, as found: to be escaped */
	char *function; /* its name alone; "": it has none */
	double percent; /* of what the finding is about */
};
enum { MOST_PLACES = 3 };

struct finding {
	const struct rule *rule;
	enum verdict_of_rule verdict;
	double value, low, high; /* in percent, or what the rule counts; low and high: 95 % */
	int64_t samples, of_samples;
	double seconds, of_seconds;    /* at stake, of all that there is; 0: no time */
	double stake;                  /* percent of that at most; 0: nobody knows */
	double rate, events;           /* of the rule's event; 0: it isn't there */
	double ipc, ipc_high;          /* of rules about misses */
	double cpus;                   /* of a quota */
	size_t n_counts;               /* of slots: events, whose samples these are */
	bool of_machine;               /* of pressure: the machine's, not the target's alone */
	const struct finding *because; /* from which it follows; NULL: from none */
	struct place places[MOST_PLACES];
	size_t n_places;
};

struct advice {
	const struct prof *prof; /* borrowed */
	struct prof_event *events;
	size_t n_events;
	const struct prof_event *clock, *off_cpu; /* of them, or NULL */
	struct traits traits;
	uint32_t *of_samples; /* TRAIT_… of each */
	int64_t clock_samples;
	double clock_seconds;
	struct finding findings[N_RULES];     /* by rule */
	const struct finding *order[N_RULES]; /* those that hold, the most at stake first */
	size_t n;
};

/* Marks of prof__mark_sharing() are looked at if they are there. Texts of the advice are its own;
 * the caller ends it with advice__done. */
void advice__find(struct advice *advice, const struct prof *p);
void advice__done(struct advice *advice);

/* ---- between the files of advise/ */

struct weighing {
	const struct prof_event *event;
	size_t type;     /* what counts of it */
	uint32_t traits; /* of samples with any of these, and with all of… */
	uint32_t all;
};
/* Whether the sample is one of them. */
static inline bool advice__weighs(const struct advice *a, const struct weighing *w, size_t sample)
{
	uint32_t is = a->of_samples[sample];

	return (is & w->all) == w->all && (!w->traits || is & w->traits);
}
/* Fills in the finding's places, the heaviest first. */
void spots__find(struct advice *advice, const struct weighing *w, struct finding *finding);

#endif
