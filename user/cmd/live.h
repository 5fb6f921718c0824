/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording that is shown or kept while it goes on: cut again and again, each part named while
 * the next one is recorded. Nothing is restarted: what isn't in one part is in the next.
 */
#ifndef PMUBPF_CMD_LIVE_H
#define PMUBPF_CMD_LIVE_H

#include "cmd/cutting.h"
#include "cmd/sampling_args.h"
#include "prof/prof.h"

/* With its books. */
struct part {
	struct prof *prof; /* with remarks of the books */
	struct ledger ledger;
	uint64_t number;           /* from 1 */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	bool last;
	struct part_cost { /* CPU time that this part has cost */
		unsigned n_cpus;
		uint64_t kernel_ns;  /* in overflow programs */
		uint64_t process_ns; /* this process, with what it took to show the part before */
		uint64_t looks_ns;   /* of that: looks at what programs do, at once */
		uint64_t helpers_ns; /* tables, files, names */
	} cost;
};

void part__done(struct part *part);
/* As a part of the time of the CPUs that are watched, in percent. */
double part__percent(const struct part *part, uint64_t cpu_ns);

/* What is recorded, and how it is cut and named. */
struct live_opts {
	const struct sampling_args *sampling; /* settled, with signals and an opener */
	uint64_t part_ns;                     /* of a part */
	bool inlined, lines;                  /* as names are wanted */
	/* As of struct cutting. */
	void (*stepped)(void *ctx, uint64_t now);
	void *stepped_ctx;
	bool lean; /* parts are long: memory that none of them needs is given back between them */
};

struct live;

/* Opens it and starts its command. What opts names is borrowed. */
int live__open(struct live **ret, const struct live_opts *opts, struct err *err);

/* As cutting__wait(). */
enum cutting_news live__wait(struct live *live, int fd);
/* Cuts. Fails only if no helper can be started: then the part has no names, and is there all the
 * same. */
int live__cut(struct live *live, struct part *ret, struct err *err);
/* Ends it, if it hasn't ended; what remains is the last part. */
int live__end(struct live *live, struct part *ret, struct err *err);
/* From the part that is being recorded on they are that long. */
void live__set_part(struct live *live, uint64_t part_ns);
/* What is recorded by: to be looked at, not stepped. */
struct session *live__session(const struct live *live);
/* Those of samples; NULL: nobody wants them. */
const struct cgroups *live__cgroups(const struct live *live);
/* Behind that: the command's exit status, or 0 if it didn't end the recording. */
int live__status(struct live *live);
/* Once it has ended: by its target, not by its duration or a signal. */
bool live__target_ended(const struct live *live);
/* Behind that: whether memory was what ended it, not anybody's wish. */
bool live__out_of_memory(const struct live *live);
struct live *live__free(struct live *live); /* NULL is fine; returns NULL */

#endif
