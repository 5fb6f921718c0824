// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/times.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

#define SECOND_NS 1000000000LL

/* So many digits, as a number from least to most. */
static bool take_digits(const char **p, int n, int least, int most, int *ret)
{
	*ret = 0;
	for (int i = 0; i < n; i++, ++*p) {
		if (**p < '0' || **p > '9')
			return false;
		*ret = *ret * 10 + (**p - '0');
	}
	return *ret >= least && *ret <= most;
}

static bool take_char(const char **p, const char *any)
{
	if (!**p || !strchr(any, **p))
		return false;
	++*p;
	return true;
}

static bool take_fraction(const char **p, int64_t *ret_ns)
{
	int64_t scale = SECOND_NS;

	*ret_ns = 0;
	if (!take_char(p, "."))
		return true;
	if (**p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		scale /= 10;
		*ret_ns += (**p - '0') * scale;
	}
	return true;
}

/* "Z", "+01:00" */
static bool take_offset(const char **p, int64_t *ret_s)
{
	int hours, minutes;
	bool west = **p == '-';

	*ret_s = 0;
	if (take_char(p, "Zz"))
		return true;
	if (!take_char(p, "+-") || !take_digits(p, 2, 0, 23, &hours) || !take_char(p, ":") ||
	    !take_digits(p, 2, 0, 59, &minutes))
		return false;
	*ret_s = (west ? -60 : 60) * (hours * 60LL + minutes);
	return true;
}

static bool parse_date(const char *p, int64_t *ret_ns)
{
	struct tm tm = {0};
	int64_t fraction, offset;
	int year, month;

	if (!take_digits(&p, 4, 1970, 2200, &year) || !take_char(&p, "-") ||
	    !take_digits(&p, 2, 1, 12, &month) || !take_char(&p, "-") ||
	    !take_digits(&p, 2, 1, 31, &tm.tm_mday) || !take_char(&p, "Tt ") ||
	    !take_digits(&p, 2, 0, 23, &tm.tm_hour) || !take_char(&p, ":") ||
	    !take_digits(&p, 2, 0, 59, &tm.tm_min) || !take_char(&p, ":") ||
	    !take_digits(&p, 2, 0, 60, &tm.tm_sec) || !take_fraction(&p, &fraction) ||
	    !take_offset(&p, &offset) || *p)
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	*ret_ns = (timegm(&tm) - offset) * SECOND_NS + fraction;
	return true;
}

int time__parse(const char *text, int64_t now_ns, int64_t *ret_ns)
{
	size_t len = strlen(text);
	uint64_t ago;

	if (strcmp(text, "now") == 0) {
		*ret_ns = now_ns;
		return 0;
	}
	if (parse_date(text, ret_ns))
		return 0;
	/* without a unit it could be a year as well */
	if (!len || (text[len - 1] >= '0' && text[len - 1] <= '9') ||
	    num__parse_time(text, SECOND_NS, &ago) < 0 || ago > INT64_MAX)
		return -EINVAL;
	*ret_ns = now_ns - (int64_t)ago;
	return 0;
}

int time_range__parse(const char *text, int64_t now_ns, struct time_range *ret)
{
	const char *dots = strstr(text, "..");
	_cleanup_free_ char *since = dots ? xstrndup(text, (size_t)(dots - text)) : NULL;
	int r = 0;

	if (!dots || (!*since && !dots[2]))
		return -EINVAL;
	*ret = (struct time_range){INT64_MIN, INT64_MAX};
	if (*since)
		r = time__parse(since, now_ns, &ret->since_ns);
	if (r == 0 && dots[2])
		r = time__parse(dots + 2, now_ns, &ret->until_ns);
	if (r < 0)
		return r;
	return ret->since_ns < ret->until_ns ? 0 : -ERANGE;
}

void time__text(int64_t ns, char ret[static TIME_TEXT])
{
	time_t seconds = (time_t)(ns / SECOND_NS);
	struct tm tm;

	ret[0] = '\0';
	if (gmtime_r(&seconds, &tm))
		strftime(ret, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
