// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Optimal string alignment: Levenshtein plus swapped neighbours, in three rows. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define MAX_LEN 64

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Texts beyond MAX_LEN, and those that are farther away than limit, are as far away as can be. */
static size_t distance(const char *a, const char *b, size_t limit)
{
	size_t rows[3][MAX_LEN + 1], *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len > MAX_LEN || b_len > MAX_LEN || a_len > b_len + limit || b_len > a_len + limit)
		return SIZE_MAX;
	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = min3(last[j] + 1, now[j - 1] + 1,
				      last[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]) && before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[b_len];
}

void nearest__init(struct nearest *nearest, const char *wanted)
{
	size_t limit = strlen(wanted) / 3;

	*nearest = (struct nearest){.wanted = wanted, .limit = limit ? limit : 1};
}

/* The beginning of a name is as good as the worst typing error. */
static size_t rank(const struct nearest *nearest, const char *name)
{
	size_t len = strlen(nearest->wanted), d = distance(nearest->wanted, name, nearest->limit);

	if (d > nearest->limit && len >= 3 && strncasecmp(nearest->wanted, name, len) == 0)
		return nearest->limit;
	return d;
}

void nearest__offer_at(struct nearest *nearest, size_t d, const char *shown)
{
	size_t i = nearest->n;

	if (d > nearest->limit)
		return;
	for (size_t k = 0; k < nearest->n; k++) {
		if (strcmp(nearest->best[k].shown, shown) == 0)
			return;
	}
	if (i == NEAREST_MAX) {
		if (nearest->best[i - 1].distance <= d)
			return;
		free(nearest->best[--i].shown);
	} else {
		nearest->n++;
	}
	for (; i > 0 && nearest->best[i - 1].distance > d; i--)
		nearest->best[i] = nearest->best[i - 1];
	nearest->best[i].shown = xstrdup(shown);
	nearest->best[i].distance = d;
}

void nearest__offer(struct nearest *nearest, const char *name, const char *shown)
{
	nearest__offer_at(nearest, rank(nearest, name), shown ? shown : name);
}

void nearest__format(const struct nearest *nearest, struct buf *out)
{
	for (size_t i = 0; i < nearest->n; i++)
		buf__printf(out, "%s%s", i ? ", " : "", nearest->best[i].shown);
}

void nearest__done(struct nearest *nearest)
{
	for (size_t i = 0; i < nearest->n; i++)
		free(nearest->best[i].shown);
	nearest->n = 0;
}
