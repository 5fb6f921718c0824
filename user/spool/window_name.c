// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spool/window_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

#define SUFFIX ".pb.gz"
#define TEMP ".part"
#define MOST ((uint64_t)10000000000) /* ten digits */
enum { BOOT = BOOT_ID_SIZE - 1, DIGITS = 10 };

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
