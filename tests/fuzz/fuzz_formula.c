// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as a formula. What is accepted is the same again when it was written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/formula.h"
#include "fuzz.h"

/* Each name has its value. */
static bool value_of(void *ctx, const char *name, double *ret)
{
	unsigned sum = 0;

	(void)ctx;
	for (; *name; name++)
		sum = sum * 31 + (unsigned char)*name;
	*ret = sum % 97;
	return true;
}

static void put_name(void *ctx, const char *name, struct buf *out)
{
	(void)ctx;
	buf__puts(out, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *text = fuzz_text(data, len);
	_cleanup_(buf__done) struct buf written = {0};
	struct formula *f, *again;
	double value = 0, same = 0;
	bool known;

	if (formula__parse(&f, text) < 0)
		return 0;
	known = formula__eval(f, value_of, NULL, &value);
	if (known && !isfinite(value))
		abort();
	formula__put(f, put_name, NULL, &written);
	/* parentheses for all: what was not too deep may be so now */
	if (formula__parse(&again, written.data) == 0) {
		if (known && formula__eval(again, value_of, NULL, &same) &&
		    fabs(value - same) > 1e-6 * fmax(1, fabs(value)))
			abort();
		formula__free(again);
	}
	formula__free(f);
	return 0;
}
