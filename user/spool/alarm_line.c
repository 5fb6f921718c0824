// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Read back from files that anybody may have written: what isn't exactly so is no alarm. */
#include "spool/alarm_line.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "spool/times.h"

const char *const alarm_words[ALARM_WORDS] = {
	[ALARM_WORD_RAISED] = "raised",
	[ALARM_WORD_OVER] = "over",
	[ALARM_WORD_USUAL] = "usual",
};

static void put_time(struct buf *out, int64_t ns)
{
	char text[TIME_TEXT];

	time__text(ns, text);
	if (*text) /* its Z goes */
		buf__printf(out, "%.*s.%03dZ", (int)strlen(text) - 1, text,
			    (int)(ns / 1000000 % 1000));
}

void alarm_line__put(const struct alarm_line *l, struct buf *out)
{
	buf__puts(out, "alarm: ");
	put_time(out, l->at_ns);
	buf__printf(out, " %s '%s': ", alarm_words[l->word], l->relation);
	if (isinf(l->percent))
		buf__puts(out, "far above");
	else
		buf__printf(out, "%.1f %% %s", fabs(l->percent),
			    l->percent < 0 ? "below" : "above");
	buf__puts(out, " what was usual since ");
	put_time(out, l->since_ns);
	/* a line through few points may expect less than nothing */
	buf__printf(out, ", %.0f where %.1f were expected", l->observed, fmax(0, l->expected));
}

/* What is before `end`, which is passed over; the caller frees. NULL: it isn't there. */
static char *take(const char **p, const char *end)
{
	const char *at = strstr(*p, end);
	char *text = at ? xstrndup(*p, (size_t)(at - *p)) : NULL;

	if (at)
		*p = at + strlen(end);
	return text;
}

static bool take_time(const char **p, const char *end, int64_t *ret)
{
	_cleanup_free_ char *text = take(p, end);

	/* not "now" or "1h" */
	return text && *text >= '0' && *text <= '9' && strchr(text, 'T') &&
	       time__parse(text, 0, ret) == 0;
}

static bool take_number(const char **p, const char *end, double *ret)
{
	_cleanup_free_ char *text = take(p, end);

	return text && num__parse_f64(text, ret) == 0;
}

static bool take_word(const char **p, enum alarm_word *ret)
{
	_cleanup_free_ char *text = take(p, " '");

	for (int i = 0; text && i < ALARM_WORDS; i++) {
		if (strcmp(text, alarm_words[i]) == 0) {
			*ret = (enum alarm_word)i;
			return true;
		}
	}
	return false;
}

/* It may have quotes; behind it there are none. */
static char *take_relation(const char **p)
{
	const char *end = NULL;
	char *text;

	for (const char *at = *p; (at = strstr(at, "': ")); at++)
		end = at;
	if (!end || end == *p)
		return NULL;
	text = xstrndup(*p, (size_t)(end - *p));
	*p = end + strlen("': ");
	return text;
}

static bool take_percent(const char **p, double *ret)
{
	_cleanup_free_ char *text = take(p, " what was usual since ");
	const char *rest = text;
	bool ok;

	*ret = INFINITY;
	if (!text || strcmp(text, "far above") == 0)
		return text != NULL;
	ok = take_number(&rest, " % ", ret);
	if (ok && strcmp(rest, "below") == 0)
		*ret = -*ret;
	else
		ok = ok && strcmp(rest, "above") == 0;
	return ok;
}

bool alarm_line__parse(const char *text, struct alarm_line *ret, char **ret_relation)
{
	static const char key[] = "alarm: ";
	_cleanup_free_ char *relation = NULL;
	const char *p = text + strlen(key);

	if (strncmp(text, key, strlen(key)) != 0 || !take_time(&p, " ", &ret->at_ns) ||
	    !take_word(&p, &ret->word))
		return false;
	relation = take_relation(&p);
	if (!relation || !take_percent(&p, &ret->percent) || !take_time(&p, ", ", &ret->since_ns) ||
	    !take_number(&p, " where ", &ret->observed) ||
	    !take_number(&p, " were expected", &ret->expected) || *p)
		return false;
	ret->relation = *ret_relation = TAKE_PTR(relation);
	return true;
}
