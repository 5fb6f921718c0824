/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation that can't fail. Who has something to lose holds a reserve: it is given up when
 * memory is refused, and whoever can do with less does so as long as that lasts. Without one, or
 * once it is used up, this tool says so and ends (the kernel drops events and programs with the
 * process). Sizes here are bounded by callers; sizes that come from outside are checked before they
 * get here.
 */
#ifndef PMUBPF_BASE_MEM_H
#define PMUBPF_BASE_MEM_H

#include <stddef.h>
#include <string.h>

void *xcalloc(size_t n, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
void *xrealloc(void *p, size_t n, size_t size) __attribute__((alloc_size(2, 3), returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t n) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *data, size_t size)
	__attribute__((malloc, alloc_size(2), returns_nonnull));
char *xasprintf(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), malloc, returns_nonnull));

enum mem_state {
	MEM_HELD,  /* all is well, or nobody has called mem_hold() */
	MEM_SHORT, /* memory was refused, and the reserve given up */
	MEM_OUT,   /* that was not enough: what is left is for the end */
};

/* Holds a reserve from now on, or once more: as much of it as there is now. */
void mem_hold(void);
enum mem_state mem_state(void);
/* How often the reserve was given up. */
unsigned mem_times_short(void);

/* Makes room for one more element in the array `*p` of `n` elements with capacity `*cap`. */
#define GROW(p, n, cap)                                           \
	do {                                                      \
		if ((n) >= (cap)) {                               \
			(cap) = (cap) ? 2 * (cap) : 16;           \
			(p) = xrealloc((p), (cap), sizeof(*(p))); \
		}                                                 \
	} while (0)

/* Makes element `i` of the array `*p` with capacity `*cap` be there; new ones are zeros. */
#define GROW_TO(p, i, cap)                                                        \
	do {                                                                      \
		size_t before_ = (cap);                                           \
		if ((size_t)(i) >= before_) {                                     \
			(cap) = 2 * (size_t)(i) + 16;                             \
			(p) = xrealloc((p), (cap), sizeof(*(p)));                 \
			memset((p) + before_, 0, ((cap)-before_) * sizeof(*(p))); \
		}                                                                 \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Three-way comparison without the truncation of `return a - b`. */
#define CMP3(a, b) (((a) > (b)) - ((a) < (b)))

#endif
