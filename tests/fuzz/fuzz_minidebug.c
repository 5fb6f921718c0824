// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as .gnu_debugdata. What it inflates to is there to the last byte, and within its
 * limit. */
#include <stdlib.h>

#include "fuzz.h"
#include "symd/minidebug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	volatile uint8_t last;
	void *out = NULL;
	size_t n;

	if (minidebug__inflate(data, len, &out, &n) < 0)
		return 0;
	if (n > MINIDEBUG_MAX)
		abort();
	if (n)
		last = ((const uint8_t *)out)[n - 1];
	(void)last;
	free(out);
	return 0;
}
