/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions of a class in a function of a process, or in its hottest ones, for breakpoints of
 * the CPU, of which there are four: those that are met most, by a trial that counts.
 */
#ifndef PMUBPF_SESSION_OP_PLACES_H
#define PMUBPF_SESSION_OP_PLACES_H

#include "model/trial.h"
#include "session/op_hottest.h"

enum {
	OP_BREAKPOINTS = TRIAL_TOGETHER, /* of x86 */
	OP_PLACES_MAX = 256,             /* that are tried */
};

struct op_place {
	uint64_t address; /* in the process */
	uint64_t at;      /* from the function's beginning */
	size_t function;  /* of the hottest: which */
	double rate;      /* how often it is met, as the trial has it; 0: not, or there was none */
};

struct op_places {
	struct op_place list[OP_PLACES_MAX]; /* those that were met most first */
	size_t n, n_all;  /* tried, and that there are: instructions, at each of their addresses */
	uint64_t each_ns; /* how long each was in place; 0: there was no trial, for all fit */
	double share; /* of the rates of all: what the first OP_BREAKPOINTS have; 0: none was met */
	struct op_hottest hottest; /* of none that was named; to be given up */
};

/* whom->class: which; whom->function NULL: of the hottest. -errno with the sentence. */
int op_places__find(struct op_places *ret, const struct branch_whom *whom, struct buf *notes,
		    struct err *err);

#endif
