// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each table is a list of steps: so many bytes of code, and so many lines on or back. So it has to
 * be gone through from its beginning. */
#include "symd/python_lines.h"

#include <linux/types.h>

#include "base/cursor.h"
#include "pmubpf/python.h"

enum {
	NO_LINE_310 = -128,
	ENTRY = 0x80, /* of 3.11: the bit that an entry begins with, and no other byte of it has */
	DIGITS_MAX = 6,
};

/* Of an entry's first byte bits 3 to 6. */
enum location {
	LOCATION_ONE_LINE = 10, /* 10 to 12: so many lines on */
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

/* A line below 1 is none. */
static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t find_in_lnotab(const struct python_lines *l, int64_t at)
{
	struct cursor c = cursor__over(l->table, l->n);
	int64_t line = l->first, begins = 0;

	while (cursor__left(&c) >= 2) {
		begins += cursor__u8(&c);
		if (begins > at)
			return line_of(line);
		line += (int8_t)cursor__u8(&c);
	}
	return l->cut ? 0 : line_of(line);
}

static uint32_t find_in_linetable(const struct python_lines *l, int64_t at)
{
	struct cursor c = cursor__over(l->table, l->n);
	int64_t line = l->first, ends = 0;

	while (cursor__left(&c) >= 2) {
		int8_t step;

		ends += cursor__u8(&c);
		step = (int8_t)cursor__u8(&c);
		if (step != NO_LINE_310)
			line += step;
		if (ends > at)
			return step == NO_LINE_310 ? 0 : line_of(line);
	}
	return 0;
}

/* Digits of six bits, the lowest first; the lowest bit of all is the sign. */
static int64_t signed_varint(struct cursor *c)
{
	uint64_t value = 0;
	uint8_t digit = 0x40;

	for (unsigned i = 0; i < DIGITS_MAX && digit & 0x40; i++) {
		digit = cursor__u8(c);
		value |= (uint64_t)(digit & 0x3f) << 6 * i;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static int64_t lines_on(unsigned code, struct cursor *c)
{
	if (code >= LOCATION_ONE_LINE && code < LOCATION_NO_COLUMNS)
		return code - LOCATION_ONE_LINE;
	return code == LOCATION_NO_COLUMNS || code == LOCATION_LONG ? signed_varint(c) : 0;
}

static uint32_t find_in_locations(const struct python_lines *l, int64_t at)
{
	struct cursor c = cursor__over(l->table, l->n);
	int64_t line = l->first, ends = 0;

	while (cursor__left(&c)) {
		uint8_t first = cursor__u8(&c);
		unsigned code = first >> 3 & 15;

		if (!(first & ENTRY))
			return 0;
		ends += PMB_PY_UNIT * ((first & 7) + 1);
		line += lines_on(code, &c);
		if (ends > at)
			return code == LOCATION_NONE || !cursor__ok(&c) ? 0 : line_of(line);
		/* columns */
		while (cursor__left(&c) && !(*c.pos & ENTRY))
			cursor__skip(&c, 1);
	}
	return 0;
}

uint32_t python_lines__find(const struct python_lines *l, int64_t at)
{
	if (at < 0)
		return line_of(l->first);
	switch ((enum pmb_py_lines)l->kind) {
	case PMB_PY_LINES_LNOTAB:
		return find_in_lnotab(l, at);
	case PMB_PY_LINES_LINETABLE:
		return find_in_linetable(l, at);
	case PMB_PY_LINES_LOCATIONS:
		return find_in_locations(l, at);
	case PMB_PY_LINES_NONE:
	case PMB_PY_LINES_ONE:
		break;
	}
	return 0;
}
