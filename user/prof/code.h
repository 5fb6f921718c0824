/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The samples of one function, by address and by line. They are those whose innermost location lies
 * in the function: its own code, with whatever was inlined into it. Of code that has no
 * instructions to be shown (Python, JavaScript, what a JIT made) they are those whose innermost
 * frame it is, as a report's `self` has it.
 */
#ifndef PMUBPF_PROF_CODE_H
#define PMUBPF_PROF_CODE_H

#include "prof/prof.h"

/* A function of that name: where and what it is. */
struct code_function {
	uint32_t name;      /* texts */
	const char *called; /* code without a name: as who asks calls it; NULL: it has one */
	bool one;           /* of that, only what is around near, a file offset */
	uint64_t near;
	uint32_t system;         /* as the linker has it, which tells overloads apart */
	uint32_t file, build_id; /* of its mapping */
	uint32_t source;         /* as the profile has it; 0: not known */
	bool first;              /* what differs in having no source is of it, too */
	enum prof_kind kind;
	bool dumped;       /* of a JIT whose dump is at hand: its places are addresses */
	bool in_container; /* a sample says so */
	int64_t *values;   /* sums, n_types */
	size_t n_samples;  /* rows of the profile */
};

struct code_functions {
	struct code_function *list;
	size_t n, cap;
	/* It was found only as inlined into these (texts); n_hosts may be more than there are. */
	uint32_t hosts[4];
	size_t n_hosts;
};

/* What is called `name`: exactly; if nothing is, with parameters or template arguments behind it,
 * or without those that `name` has; if nothing is either, the code of a file that has no name, as a
 * report calls it: "[file]" all of it, "[file]+0x1234" what is there. The most sampled (of the
 * type) first. `name` is borrowed. */
void code_functions__find(struct code_functions *ret, const struct prof *p, const char *name,
			  size_t type);
/* The n with the largest share of any of the profile's values as their own, that have names. */
void code_functions__hottest(struct code_functions *ret, const struct prof *p, size_t n);
void code_functions__done(struct code_functions *f);
/* Its name, or what it is called. */
const char *code_function__text(const struct code_function *f, const struct prof *p);

/* A place in it. */
struct code_point {
	uint64_t address, file_off; /* of the kernel both are distances in the function */
	uint32_t mapping, location;
	uint32_t source; /* innermost: texts, 0: not known */
	int64_t line;
	int64_t *values; /* n_types */
};

struct code_points {
	struct code_point *list; /* by file_off; of code without instructions by source and line */
	size_t n;
	int64_t *sums;    /* n_types */
	int64_t *inlined; /* of these, what is of functions inlined into it */
};

/* All of them: their values add up to the function's. */
void code_points__find(struct code_points *ret, const struct prof *p,
		       const struct code_function *function);
/* Only those between two file offsets stay. */
void code_points__keep(struct code_points *c, const struct prof *p, uint64_t from, uint64_t to);
void code_points__done(struct code_points *c);

/* Whether there are instructions to be shown. */
bool code_function__has_instructions(const struct code_function *f);

#endif
