/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes whose threads say what they work on: where, for the kernel side, and what that is
 * called. Each is looked at at its first sample, and again when it has mapped something; files that
 * have no such variable are looked at once.
 */
#ifndef PMUBPF_SESSION_THREAD_CONTEXTS_H
#define PMUBPF_SESSION_THREAD_CONTEXTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "collect/programs.h"
#include "proc/files.h"
#include "proc/processes.h"

struct thread_contexts;

/* All are borrowed. meanwhile: called every 10 ms at least while a helper is waited for. */
struct thread_contexts_parts {
	struct programs *programs;
	struct processes *processes;
	struct files *files;
	void (*meanwhile)(void *ctx);
	void *ctx;
};

struct thread_contexts *thread_contexts__new(const struct thread_contexts_parts *parts);
struct thread_contexts *thread_contexts__free(struct thread_contexts *t); /* NULL is fine */

/* A sample of that process; stack_top as the sample has it. */
void thread_contexts__met(struct thread_contexts *t, uint32_t tgid, uint64_t generation,
			  uint64_t stack_top);
/* It has ended, or runs another program. */
void thread_contexts__gone(struct thread_contexts *t, uint32_t tgid);
/* Looks at those that were met, for a while. */
void thread_contexts__work(struct thread_contexts *t);
/* The name of a key; NULL: it isn't known, though it was asked for. Borrowed until the next
 * question. */
const char *thread_contexts__key(struct thread_contexts *t, uint32_t tgid, unsigned key);
uint64_t thread_contexts__helper_ns(const struct thread_contexts *t);

#endif
