/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What threads said they work on, as texts: each known by a small number, and by the ids that the
 * kernel side has of what they were made of (pmubpf/thread_context.h).
 */
#ifndef PMUBPF_MODEL_CONTEXTS_H
#define PMUBPF_MODEL_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contexts;

enum {
	CONTEXT_UNKNOWN = 0,
	CONTEXT_OTHER = 1, /* there was no room to know it */
};

/* limit: bytes of memory; 0: any. */
struct contexts *contexts__new(size_t limit);
struct contexts *contexts__free(struct contexts *c); /* NULL is fine; returns NULL */
/* False: that id has a text already. */
bool contexts__lacks(const struct contexts *c, uint64_t id);
void contexts__add(struct contexts *c, uint64_t id, const char *text);
/* The number of what an id stands for; CONTEXT_UNKNOWN: it never came. */
uint32_t contexts__number(const struct contexts *c, uint64_t id);
/* NULL: none has that number. Borrowed until the next is added. */
const char *contexts__text(const struct contexts *c, uint32_t number);

#endif
