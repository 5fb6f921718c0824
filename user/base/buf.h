/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growing string: data is always NUL-terminated once anything was added (NULL before). Running
 * out of memory ends the program, as everywhere in this tool: see base/mem.h.
 */
#ifndef PMUBPF_BASE_BUF_H
#define PMUBPF_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct buf {
	char *data;
	size_t len;
	size_t cap;
};

void buf__add(struct buf *b, const void *data, size_t len);
void buf__puts(struct buf *b, const char *text);
void buf__putc(struct buf *b, char c);
void buf__printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Room for len more bytes, which are added, for the caller to fill. */
void *buf__room(struct buf *b, size_t len);
/* Writes and flushes it; 0 or a negative errno. */
int buf__write(const struct buf *b, FILE *file);
/* Is it longer than max (0: it may be)? Then what came after the first `before` bytes goes. */
bool buf__cut(struct buf *b, size_t max, size_t before);
void buf__clear(struct buf *b); /* keeps the memory */
void buf__done(struct buf *b);  /* frees it */
char *buf__take(struct buf *b); /* caller owns the string ("" if nothing was added) */

#endif
