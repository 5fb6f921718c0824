// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A byte for the version, two for the bytecode, then a line table, or packed numbers. What is asked
 * for is found in what a table says, and numbers end. */
#include <stdlib.h>
#include <string.h>

#include "symd/hotspot_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hotspot_stream s = {0};
	uint16_t bci;
	size_t n = 0;

	if (size < 1 + sizeof(bci))
		return 0;
	s.without_zero = data[0] & 1;
	memcpy(&bci, data + 1, sizeof(bci));
	s.data = data + 1 + sizeof(bci);
	s.n = size - 1 - sizeof(bci);
	hotspot_stream__line(s, bci);
	while (!s.bad && n <= s.n) {
		hotspot_stream__number(&s);
		n++;
	}
	if (n > s.n + 1 || s.at > s.n)
		abort();
	return 0;
}
