// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/duration.h"

#include <stdio.h>
#include <string.h>

void duration_text(uint64_t ns, char text[static DURATION_TEXT])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double number = (double)ns;
	unsigned unit = 0;

	while (number >= 999.5 && unit < 3) {
		number /= 1000;
		unit++;
	}
	if (number < 999.5)
		snprintf(text, DURATION_TEXT, "%.3g%s", number, units[unit]);
	else
		snprintf(text, DURATION_TEXT, "%.0f%s", number, units[unit]);
}

void duration_class_text(unsigned class, bool open, char text[static DURATION_TEXT])
{
	char from[DURATION_TEXT], to[DURATION_TEXT] = "";

	class %= DURATION_CLASSES;
	duration_text(1ULL << class, from);
	if (!open && class < DURATION_CLASSES - 1)
		duration_text(2ULL << class, to);
	snprintf(text, DURATION_TEXT, "%.13s..%.13s", from, to);
}

/* Three digits don't tell a power of two: the texts themselves do. */
bool duration_class_parse(const char *text, unsigned *ret_class, bool *ret_open)
{
	char own[DURATION_TEXT];

	for (unsigned i = 0; i < 2 * DURATION_CLASSES; i++) {
		duration_class_text(i / 2, i % 2, own);
		if (strcmp(own, text) != 0)
			continue;
		*ret_class = i / 2;
		*ret_open = i % 2;
		return true;
	}
	return false;
}
