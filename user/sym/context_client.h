/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks a helper of its own where threads of a process say what they work on
 * (symd/thread_context.h). */
#ifndef PMUBPF_SYM_CONTEXT_CLIENT_H
#define PMUBPF_SYM_CONTEXT_CLIENT_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "pmubpf/thread_context.h"
#include "symd/protocol.h"

struct context_client;

struct context_client *context_client__new(int (*child)(int sock));    /* NULL: symd */
struct context_client *context_client__free(struct context_client *c); /* NULL is fine */
/* meanwhile: called every 10 ms at least while an answer is waited for. */
void context_client__between(struct context_client *c, void (*meanwhile)(void *ctx), void *ctx);
/* Starts it without waiting for it, so that the first question finds it there. */
void context_client__spawn(struct context_client *c);
uint64_t context_client__cpu_ns(const struct context_client *c);

struct context_question {
	int file;                 /* as the opener lends it; borrowed, as mem: */
	int mem;                  /* the process's memory */
	uint64_t start, file_off; /* a mapping of the file */
	uint64_t published[SYMD_CONTEXT_PUBLISHED_MAX];
	size_t n_published;
};

struct context_keys {
	char **names; /* ours */
	size_t n;
};
void context_keys__done(struct context_keys *keys);

/* place without its stack_top; keys, which were done with, become the caller's. -errno: nobody
 * knows, in that time. */
int context_client__ask(struct context_client *c, const struct context_question *q,
			uint64_t within_ns, enum symd_context_status *ret,
			struct pmb_context_place *ret_place, struct context_keys *ret_keys);

#endif
