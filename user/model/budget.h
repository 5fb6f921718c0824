/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long periods have to be for a recording to stay within its share of the CPUs. Pure:
 * session/ says what each stretch of time cost, and sets the periods.
 *
 * Credit flows in at the rate of the budget and out with what is spent; a second's worth of it is
 * kept at most, so that a short burst changes nothing and a lasting excess is seen the sooner the
 * larger it is.
 */
#ifndef PMUBPF_MODEL_BUDGET_H
#define PMUBPF_MODEL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* The start isn't budgeted: /proc is read, files are opened, tables are built, stacks travel as
 * dumps until then. Samples cost several times of what they will, and periods would follow. */
#define BUDGET_SETTLING_NS 1000000000ULL

struct budget {
	double share; /* CPU time that may be spent per time that passes: 0.02 is 1 % of two CPUs */
	double factor;    /* periods are so many times the default ones; never below 1… */
	double most;      /* …nor above this */
	double left;      /* of the share, for samples, when the rest leaves less: periods can't
			   * help against that */
	double credit_ns; /* below 0: more was spent than came in */
	uint64_t age_ns;
	/* The present: older time counts for less. Per-sample cost begins anew with each change. */
	double fixed_ns, fixed_span_ns;
	double varying_ns, varying_span_ns;
	double overflows;
	double fill; /* the most */
	uint64_t since_change_ns;
	unsigned changes;
	double highest; /* factor */
};

/* A stretch of the recording. */
struct budget_window {
	uint64_t span_ns;
	uint64_t varying_ns; /* spent on samples: in the kernel and by the reader */
	uint64_t
		/* spent on what comes whatever the period: programs starting, waking up */
		fixed_ns;
	uint64_t overflows;
	double fill; /* the largest part of a ring that was waiting to be read: 0 to 1 */
	bool lost;   /* a ring had no room */
};

#define BUDGET_LEFT 0.25 /* `left`, where nothing else is budgeted */
void budget__init(struct budget *budget, double share, double most, double left);
/* True if the factor has changed, and with it the periods have to. */
bool budget__pass(struct budget *budget, const struct budget_window *window);

/* What holds while default periods are others. */
struct budget_mode {
	double share, factor, credit_ns; /* as in struct budget */
};
/* Another one, with a second's credit and periods as they are by default. */
struct budget_mode budget__mode(double share);
/* It holds from now on, and *other is what held before; samples' costs are learnt anew. */
void budget__swap(struct budget *budget, struct budget_mode *other);

#endif
