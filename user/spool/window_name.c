// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/window_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

#define SUFFIX ".pb.gz"
#define TEMP ".part"
#define MOST ((uint64_t)10000000000) /* ten digits */
#define NS_PER_MS 1000000LL
#define MS_END ((int64_t)10000000000000) /* thirteen */
enum { BOOT = BOOT_ID_SIZE - 1, DIGITS = 10, MS_DIGITS = 13 };

static bool is_hex(const char *text, size_t n)
{
	return strspn(text, "0123456789abcdef") >= n;
}

void window_name(const struct window_id *id, char ret[static WINDOW_NAME_SIZE])
{
	snprintf(ret, WINDOW_NAME_SIZE, "%s-%0*" PRIu64 SUFFIX, id->boot, DIGITS, id->seq % MOST);
}

void window_temp_name(const struct window_id *id, char ret[static WINDOW_TEMP_SIZE])
{
	char name[WINDOW_NAME_SIZE];

	window_name(id, name);
	snprintf(ret, WINDOW_TEMP_SIZE, ".%s" TEMP, name);
}

bool window_name__parse(const char *name, struct window_id *ret)
{
	char digits[DIGITS + 1];

	if (strlen(name) != WINDOW_NAME_SIZE - 1 || !is_hex(name, BOOT) || name[BOOT] != '-' ||
	    strcmp(name + BOOT + 1 + DIGITS, SUFFIX) != 0)
		return false;
	memcpy(ret->boot, name, BOOT);
	ret->boot[BOOT] = '\0';
	memcpy(digits, name + BOOT + 1, DIGITS);
	digits[DIGITS] = '\0';
	return strspn(digits, "0123456789") == DIGITS && num__parse_u64(digits, &ret->seq) == 0;
}

void window_dated_name(const struct window_id *id, int64_t time_ns, int64_t duration_ns,
		       char ret[static WINDOW_DATED_SIZE])
{
	int64_t from = time_ns / NS_PER_MS, end_ns, to;

	if (time_ns <= 0 || duration_ns < 0 ||
	    __builtin_add_overflow(time_ns, duration_ns, &end_ns) ||
	    end_ns / NS_PER_MS >= MS_END - 1) {
		window_name(id, ret);
		return;
	}
	to = end_ns / NS_PER_MS + (end_ns % NS_PER_MS != 0);
	snprintf(ret, WINDOW_DATED_SIZE, "%s-%0*" PRIu64 "-%0*" PRIu64 "-%0*" PRIu64 SUFFIX,
		 id->boot, DIGITS, id->seq % MOST, MS_DIGITS, (uint64_t)from % (uint64_t)MS_END,
		 MS_DIGITS, (uint64_t)to % (uint64_t)MS_END);
}

/* "-1764269280123"; 0: it isn't one. */
static int64_t take_ms(const char *at)
{
	char digits[MS_DIGITS + 1];
	uint64_t ms;

	if (*at != '-' || strspn(at + 1, "0123456789") != MS_DIGITS)
		return 0;
	memcpy(digits, at + 1, MS_DIGITS);
	digits[MS_DIGITS] = '\0';
	return num__parse_u64(digits, &ms) == 0 ? (int64_t)ms * NS_PER_MS : 0;
}

bool window_dated_name__parse(const char *name, struct window_id *ret, struct window_when *ret_when)
{
	const size_t head = BOOT + 1 + DIGITS, dates = 2 * (1 + MS_DIGITS);
	char plain[WINDOW_NAME_SIZE];

	*ret_when = (struct window_when){0};
	if (strlen(name) != WINDOW_DATED_SIZE - 1)
		return window_name__parse(name, ret);
	ret_when->from_ns = take_ms(name + head);
	ret_when->to_ns = take_ms(name + head + 1 + MS_DIGITS);
	if (!ret_when->from_ns || ret_when->to_ns < ret_when->from_ns)
		return false;
	snprintf(plain, sizeof(plain), "%.*s%s", (int)head, name, name + head + dates);
	return window_name__parse(plain, ret);
}

bool window_temp_name__is(const char *name)
{
	char whole[WINDOW_NAME_SIZE];
	struct window_id id;

	if (strlen(name) != WINDOW_TEMP_SIZE - 1 || *name != '.' ||
	    strcmp(name + WINDOW_NAME_SIZE, TEMP) != 0)
		return false;
	memcpy(whole, name + 1, WINDOW_NAME_SIZE - 1);
	whole[WINDOW_NAME_SIZE - 1] = '\0';
	return window_name__parse(whole, &id);
}

bool boot_id__parse(const char *text, char ret[static BOOT_ID_SIZE])
{
	size_t n = 0;

	for (; *text && *text != '\n'; text++) {
		if (*text == '-')
			continue;
		if (n == BOOT || !is_hex(text, 1))
			return false;
		ret[n++] = *text;
	}
	ret[n] = '\0';
	return n == BOOT;
}
