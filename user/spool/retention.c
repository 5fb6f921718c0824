// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/retention.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void retention__add(struct retention *r, const struct kept_window *window)
{
	GROW(r->list, r->n, r->cap);
	r->list[r->n++] = *window;
	r->bytes += window->bytes;
}

static int by_age(const void *pa, const void *pb)
{
	const struct kept_window *a = pa, *b = pb;

	int r = CMP3(a->ended_ns, b->ended_ns);

	if (r == 0)
		r = strcmp(a->id.boot, b->id.boot);
	return r ? r : CMP3(a->id.seq, b->id.seq);
}

void retention__sort(struct retention *r)
{
	if (r->n)
		qsort(r->list, r->n, sizeof(*r->list), by_age);
}

size_t retention__expired(const struct retention *r, int64_t now_ns)
{
	size_t n = 0;

	while (r->keep_ns && n + 1 < r->n && now_ns > r->list[n].ended_ns &&
	       (uint64_t)(now_ns - r->list[n].ended_ns) > r->keep_ns)
		n++;
	return n;
}

size_t retention__over(const struct retention *r, uint64_t more)
{
	uint64_t bytes = r->bytes;
	size_t n = 0;

	if (!r->max_bytes)
		return 0;
	if (more > r->max_bytes)
		return SIZE_MAX;
	while (n < r->n && bytes > r->max_bytes - more)
		bytes -= r->list[n++].bytes;
	return n;
}

void retention__drop(struct retention *r)
{
	r->bytes -= r->list[0].bytes;
	r->n--;
	memmove(r->list, r->list + 1, r->n * sizeof(*r->list));
}

int64_t retention__last(const struct retention *r, const char *boot)
{
	int64_t last = -1;

	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->list[i].id.boot, boot) == 0 && (int64_t)r->list[i].id.seq > last)
			last = (int64_t)r->list[i].id.seq;
	}
	return last;
}

void retention__done(struct retention *r)
{
	free(r->list);
	*r = (struct retention){0};
}
