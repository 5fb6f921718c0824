// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void extents__init(struct extents *e, uint32_t at, uint32_t n)
{
	*e = (struct extents){0};
	GROW(e->spare, e->n, e->cap);
	e->spare[e->n++] = (struct extent){at, n};
}

static void extents__remove(struct extents *e, size_t i)
{
	memmove(&e->spare[i], &e->spare[i + 1], (e->n - i - 1) * sizeof(*e->spare));
	e->n--;
}

uint32_t extents__take(struct extents *e, uint32_t n)
{
	for (size_t i = 0; i < e->n; i++) {
		uint32_t at = e->spare[i].at;

		if (e->spare[i].n < n)
			continue;
		e->spare[i].at += n;
		e->spare[i].n -= n;
		if (!e->spare[i].n)
			extents__remove(e, i);
		e->used += n;
		return at;
	}
	return EXTENT_NONE;
}

void extents__give(struct extents *e, uint32_t at, uint32_t n)
{
	size_t i = 0;

	while (i < e->n && e->spare[i].at < at)
		i++;
	GROW(e->spare, e->n, e->cap);
	memmove(&e->spare[i + 1], &e->spare[i], (e->n - i) * sizeof(*e->spare));
	e->spare[i] = (struct extent){at, n};
	e->n++;
	e->used -= n;
	if (i + 1 < e->n && at + n == e->spare[i + 1].at) {
		e->spare[i].n += e->spare[i + 1].n;
		extents__remove(e, i + 1);
	}
	if (i && e->spare[i - 1].at + e->spare[i - 1].n == at) {
		e->spare[i - 1].n += e->spare[i].n;
		extents__remove(e, i);
	}
}

void extents__done(struct extents *e)
{
	free(e->spare);
	*e = (struct extents){0};
}
