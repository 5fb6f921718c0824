// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as intervals of before (stat --baseline). What is accepted has counts in every cell;
 * what isn't has a reason of one line.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/stat_baseline.h"
#include "fuzz.h"

static const struct baseline_column asked[] = {
	{.name = "page-faults"},
	{.name = "context-switches"},
	{.relation = "a ~ b", .is_y = true},
	{0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* of one column, or of all */
	size_t first = len && data[0] < ARRAY_SIZE(asked) ? data[0] : 0;
	size_t n = len && data[0] < ARRAY_SIZE(asked) ? 1 : ARRAY_SIZE(asked);
	_cleanup_(stat_baseline__done) struct stat_baseline b = {.n_columns = n};
	_cleanup_free_ char *text = len ? fuzz_text(data + 1, len - 1) : NULL;
	struct err err = {0};

	b.columns = xcalloc(n, sizeof(*b.columns));
	memcpy(b.columns, &asked[first], n * sizeof(*b.columns));
	if (stat_baseline__parse(&b, text, len ? len - 1 : 0, "it", &err) < 0) {
		if (!*err.text || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	for (size_t i = 0; i < b.n * n; i++) {
		if (!isfinite(b.cells[i]) || b.cells[i] < 0)
			abort();
	}
	if (!b.n || !(stat_baseline__span(&b) > 0))
		abort();
	return 0;
}
