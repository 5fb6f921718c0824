// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A byte for the kind, four for the first line, eight for which instruction, then a line table.
 * What is known of the beginning of a table is what all of it says. */
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "symd/python_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct python_lines l = {0};
	uint32_t line, part;
	int64_t at;

	if (size < 1 + sizeof(l.first) + sizeof(at))
		return 0;
	l.kind = data[0] & 3;
	memcpy(&l.first, data + 1, sizeof(l.first));
	memcpy(&at, data + 1 + sizeof(l.first), sizeof(at));
	l.table = data + 1 + sizeof(l.first) + sizeof(at);
	l.n = size - (size_t)((const uint8_t *)l.table - data);
	line = python_lines__find(&l, at);
	if (line > INT32_MAX)
		abort();
	l.n /= 2;
	l.cut = true;
	part = python_lines__find(&l, at);
	if (part && part != line)
		abort();
	return 0;
}
