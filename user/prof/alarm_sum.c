// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines begin with their date, so that their order as texts is that of time. */
#include "prof/alarm_sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static const char key[] = "alarm: ";

static size_t earliest(const struct alarm_sum_lines *s)
{
	size_t least = 0;

	for (size_t i = 1; i < s->n; i++) {
		if (strcmp(s->lines[i], s->lines[least]) < 0)
			least = i;
	}
	return least;
}

void alarm_sum__add(struct alarm_sum_lines *s, const char *comment, const char *host)
{
	_cleanup_free_ char *line = NULL;
	char **place;

	if (strncmp(comment, key, strlen(key)) != 0)
		return;
	line = host ? xasprintf("%s, on %s", comment, host) : xstrdup(comment);
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->lines[i], line) == 0)
			return;
	}
	if (s->n < ALARM_SUM_MOST) {
		s->lines[s->n++] = TAKE_PTR(line);
		return;
	}
	s->earlier++;
	place = &s->lines[earliest(s)];
	if (strcmp(line, *place) <= 0)
		return;
	free(*place);
	*place = TAKE_PTR(line);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void alarm_sum__put(const struct alarm_sum_lines *s, struct prof *to)
{
	char *sorted[ALARM_SUM_MOST];
	_cleanup_free_ char *others =
		s->earlier ? xasprintf("alarm: %" PRIu64 " more before these", s->earlier) : NULL;

	if (others)
		prof__comment(to, others);
	memcpy(sorted, s->lines, sizeof(sorted));
	if (s->n)
		qsort(sorted, s->n, sizeof(*sorted), by_text);
	for (size_t i = 0; i < s->n; i++)
		prof__comment(to, sorted[i]);
}

void alarm_sum__done(struct alarm_sum_lines *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->lines[i]);
	*s = (struct alarm_sum_lines){0};
}
