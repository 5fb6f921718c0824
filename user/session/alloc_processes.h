/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose allocators are probed: the targets, what they fork, and what these execute or load later.
 * What happens to processes becomes jobs, that are done as far as there is time for them: neither
 * the start nor the rings wait for a program that forks or loads without an end.
 */
#ifndef PMUBPF_SESSION_ALLOC_PROCESSES_H
#define PMUBPF_SESSION_ALLOC_PROCESSES_H

#include <stdbool.h>

#include "model/ledger.h"
#include "proc/life.h"
#include "session/alloc_files.h"

enum { ALLOC_ENDED = 256 };

struct alloc_processes {
	struct alloc_files *files; /* borrowed, as are the others */
	struct alloc_programs *programs;
	struct opener *opener;
	/* What is known of blocks of the process ends now: it isn't seen what it frees. */
	void (*forget)(void *ctx, uint32_t tgid);
	void *ctx;
	bool out; /* of all processes, for the budget */
	struct alloc_process *by_tgid;
	struct alloc_process *first, *last; /* with jobs, in turn */
	struct life *lives;                 /* that were told, and not settled yet */
	size_t n_lives;
	/* children whose end was told last: their beginning may be told once more */
	struct alloc_ended {
		uint32_t tgid;
		uint64_t born_ns;
	} ended[ALLOC_ENDED];
	size_t n_ended;
	size_t n, n_jobs, n_fds;
	double credit_ns; /* of time for jobs */
	uint64_t worked_ns;
	struct alloc_reach reach; /* without the files' */
};

/* A target from the start. */
void alloc_processes__add(struct alloc_processes *p, uint32_t tgid);
/* In its files that are mapped by now. */
void alloc_processes__look(struct alloc_processes *p, uint32_t tgid);
/* In a file that was found otherwise; borrowed. 0 or -errno. */
int alloc_processes__probe(struct alloc_processes *p, uint32_t tgid, int fd, uint64_t mnt_ns,
			   const char *path);
/* As it is told, in any order: each CPU has its own; children are targets, too. */
void alloc_processes__lived(struct alloc_processes *p, const struct life *life);
/* All that was told until now is there: it becomes jobs, in the order of time. */
void alloc_processes__settle(struct alloc_processes *p);
/* The same of a process's end, long after: whatever order it was told in, it has ended. */
void alloc_processes__ended(struct alloc_processes *p, const struct life *life);
/* Does jobs until that time; all: as many as there are, else as there is credit for. */
void alloc_processes__work(struct alloc_processes *p, uint64_t until_ns, bool all);
/* There are some that could be done now. */
bool alloc_processes__due(const struct alloc_processes *p);
/* Now and then: of who waits for too long, what is known ends. */
void alloc_processes__round(struct alloc_processes *p, uint64_t now);
void alloc_processes__take_out(struct alloc_processes *p);
void alloc_processes__put_in(struct alloc_processes *p);
void alloc_processes__done(struct alloc_processes *p);

#endif
