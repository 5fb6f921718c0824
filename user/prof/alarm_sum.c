// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines begin with their date, so that their order as texts is that of time. */
#include "prof/alarm_sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

static const char key[] = "alarm: ", detail[] = "detail: ", with[] = " s with ";

static size_t earliest(const struct alarm_sum_lines *s)
{
	size_t least = 0;

	for (size_t i = 1; i < s->n; i++) {
		if (strcmp(s->lines[i], s->lines[least]) < 0)
			least = i;
	}
	return least;
}

static void add_detail(struct alarm_sum_lines *s, const char *text)
{
	const char *end = strstr(text, with), *rest = end ? end + strlen(with) : NULL;
	_cleanup_free_ char *number = end ? xstrndup(text, (size_t)(end - text)) : NULL;
	double seconds;
	uint64_t times;

	if (!number || num__parse_f64(number, &seconds) < 0 || !num__take_u64(&rest, &times))
		return;
	s->detail_s += seconds;
	if (times > s->times)
		s->times = times;
}

static void put_detail(const struct alarm_sum_lines *s, struct prof *to)
{
	_cleanup_free_ char *line = s->detail_s > 0 ?
					    xasprintf("%s%.3f%s%" PRIu64 " times as many samples",
						      detail, s->detail_s, with, s->times) :
					    NULL;

	if (line)
		prof__comment(to, line);
}

void alarm_sum__add(struct alarm_sum_lines *s, const char *comment, const char *host)
{
	_cleanup_free_ char *line = NULL;
	char **place;

	if (strncmp(comment, detail, strlen(detail)) == 0)
		add_detail(s, comment + strlen(detail));
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
	put_detail(s, to);
}

void alarm_sum__done(struct alarm_sum_lines *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->lines[i]);
	*s = (struct alarm_sum_lines){0};
}
