// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/jumps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { TRIES = 4 * JUMPS_MAX };

static size_t top_of(const struct jump *j)
{
	return j->from < j->to ? j->from : j->to;
}

static size_t bottom_of(const struct jump *j)
{
	return j->from < j->to ? j->to : j->from;
}

static int by_length(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;
	size_t length_x = bottom_of(x) - top_of(x), length_y = bottom_of(y) - top_of(y);

	return length_x != length_y ? CMP3(length_x, length_y) : CMP3(x->from, y->from);
}

void jumps__add(struct jumps *j, size_t from, size_t to)
{
	GROW(j->list, j->n, j->cap);
	j->list[j->n++] = (struct jump){.from = from, .to = to};
}

/* Jumps to the same row may share a lane. */
static bool is_free(const struct jumps *j, size_t n, const struct jump *wanted, unsigned lane)
{
	for (size_t i = 0; i < n; i++) {
		const struct jump *o = &j->list[i];

		if (o->lane == lane && o->to != wanted->to && top_of(o) <= bottom_of(wanted) &&
		    top_of(wanted) <= bottom_of(o))
			return false;
	}
	return true;
}

void jumps__settle(struct jumps *j)
{
	size_t n = 0;

	if (j->n)
		qsort(j->list, j->n, sizeof(*j->list), by_length);
	for (size_t i = 0; i < j->n && i < TRIES && n < JUMPS_MAX; i++) {
		struct jump jump = j->list[i];

		while (jump.lane < JUMP_LANES && !is_free(j, n, &jump, jump.lane))
			jump.lane++;
		if (jump.lane < JUMP_LANES)
			j->list[n++] = jump;
	}
	j->n = n;
}

/* The far lanes are on the left; who leaves or arrives there crosses those on the right. */
void jumps__draw(const struct jumps *j, size_t row, struct buf *out)
{
	char text[JUMPS_WIDTH + 1];
	bool arrives = false;
	size_t from = JUMPS_WIDTH;

	memset(text, ' ', JUMPS_WIDTH);
	text[JUMPS_WIDTH] = '\0';
	for (size_t i = 0; i < j->n; i++) {
		const struct jump *jump = &j->list[i];
		size_t at = JUMP_LANES - 1 - jump->lane;

		if (row < top_of(jump) || row > bottom_of(jump))
			continue;
		if (row != jump->from && row != jump->to) {
			if (text[at] == ' ')
				text[at] = '|';
			continue;
		}
		text[at] = '+';
		arrives |= row == jump->to;
		if (at < from)
			from = at;
	}
	for (size_t at = from; at < JUMPS_WIDTH; at++) {
		if (text[at] != '+')
			text[at] = '-';
	}
	if (from < JUMPS_WIDTH)
		text[JUMPS_WIDTH - 1] = arrives ? '>' : '-';
	buf__puts(out, text);
}

void jumps__draw_between(const struct jumps *j, size_t row, struct buf *out)
{
	char text[JUMPS_WIDTH + 1];

	memset(text, ' ', JUMPS_WIDTH);
	text[JUMPS_WIDTH] = '\0';
	for (size_t i = 0; i < j->n; i++) {
		const struct jump *jump = &j->list[i];

		if (row >= top_of(jump) && row < bottom_of(jump))
			text[JUMP_LANES - 1 - jump->lane] = '|';
	}
	buf__puts(out, text);
}

void jumps__done(struct jumps *j)
{
	free(j->list);
	*j = (struct jumps){0};
}
