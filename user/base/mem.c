// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reserves are mappings that nobody touches: they take no memory, and giving one up lets others
 * have as much, whatever the limit (address space, data, what the kernel promises in all).
 */
#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmubpf/budgets.h"

enum { MIB = 1024 * 1024, LAST_BYTES = 4 * MIB, LEAST_BYTES = MIB };

struct reserve {
	void *at; /* NULL: given up, or never taken */
	size_t bytes;
};
static struct reserve spare, last;
static bool holding;
static unsigned times_short;

/* Or half of it, or a quarter… As much again stays free: the next allocation shouldn't be
 * refused. */
static void reserve__take(struct reserve *r, size_t bytes)
{
	for (; !r->at && bytes >= LEAST_BYTES; bytes /= 2) {
		char *at = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			continue;
		munmap(at + bytes, bytes);
		*r = (struct reserve){at, bytes};
	}
}

static bool reserve__give_up(struct reserve *r)
{
	if (!r->at)
		return false;
	munmap(r->at, r->bytes);
	*r = (struct reserve){0};
	return true;
}

void mem_hold(void)
{
	holding = true;
	reserve__take(&last, LAST_BYTES);
	if (last.at)
		reserve__take(&spare, (size_t)BUDGET_SPARE_MIB * MIB);
}

enum mem_state mem_state(void)
{
	if (!holding || spare.at)
		return MEM_HELD;
	return last.at ? MEM_SHORT : MEM_OUT;
}

unsigned mem_times_short(void)
{
	return times_short;
}

/* An allocation has failed, and is tried again if this returns. */
static void give_way(size_t bytes)
{
	char text[160];
	int n;

	if (reserve__give_up(&spare)) {
		times_short++;
		return;
	}
	if (reserve__give_up(&last))
		return;
	n = snprintf(text, sizeof(text),
		     "pmubpf: out of memory: %zu bytes more were refused; are there limits (ulimit "
		     "-d, -v)?\n",
		     bytes);
	if (write(STDERR_FILENO, text, (size_t)n) < 0)
		_exit(1);
	_exit(1);
}

void *xcalloc(size_t n, size_t size)
{
	void *p;

	while (!(p = calloc(n ? n : 1, size ? size : 1)))
		give_way(n * size);
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	void *larger;

	while (!(larger = reallocarray(p, n ? n : 1, size ? size : 1)))
		give_way(n * size);
	return larger;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t n)
{
	char *copy;

	while (!(copy = strndup(text, n)))
		give_way(n + 1);
	return copy;
}

void *xmemdup(const void *data, size_t size)
{
	return memcpy(xcalloc(1, size), data, size);
}

char *xasprintf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	for (;;) {
		va_start(ap, fmt);
		n = vasprintf(&text, fmt, ap);
		va_end(ap);
		if (n >= 0)
			return text;
		give_way(strlen(fmt));
	}
}
