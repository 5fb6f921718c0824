/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who touched memory first, allocated it, or asked the kernel for it: the innermost frames of
 * stacks, each known by a small number. A number may be given out before its stack is known (it is
 * yet to be walked), and is in rows by then.
 */
#ifndef PMUBPF_MODEL_SITES_H
#define PMUBPF_MODEL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum {
	SITE_UNKNOWN = 0,
	SITE_OTHER = 1,   /* there was no room to know it */
	SITE_FRAMES = 12, /* so many of a stack at most: allocators are inside of who calls them */
};

struct sites;

/* limit: bytes of memory; 0: any. */
struct sites *sites__new(size_t limit);
struct sites *sites__free(struct sites *s); /* NULL is fine; returns NULL */

/* The number of a stack's innermost frames; SITE_UNKNOWN for none. */
uint32_t sites__add(struct sites *s, const struct frame *frames, size_t n);
/* A number whose frames come later, if at all. */
uint32_t sites__later(struct sites *s);
void sites__settle(struct sites *s, uint32_t number, const struct frame *frames, size_t n);

size_t sites__count(const struct sites *s); /* numbers in use, those above included */
/* How many; 0: it isn't known. Borrowed until the next change. */
size_t sites__frames(const struct sites *s, uint32_t number, const struct frame **ret);
/* Stacks of the profile, made for them, by number, for those that its rows have; the caller frees
 * them. */
uint32_t *sites__stacks(const struct sites *s, struct profile *profile);
size_t sites__bytes(const struct sites *s);

#endif
