// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as an unwind table. Of one that passes the check, every page can be searched. */
#include <stdlib.h>

#include "base/mem.h"
#include "sym/table.h"

#include "pmubpf/unwind_find.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *bytes = xmemdup(data, size); /* aligned, and of its own size */
	struct unwind_table t;

	if (unwind_table__check(bytes, size, &t) == 0) {
		for (uint64_t page = 0; page < t.head.n_pages; page++) {
			for (uint64_t low = 0; low < PMB_UNWIND_ROW_MAX; low += 0x1fff) {
				__u32 row;

				if (!t.pages[page].n)
					continue;
				row = unwind_find(t.rows, t.pages[page].first, ~0U, t.pages[page].n,
						  low);
				if (PMB_ROW_RULE(row) >= t.head.n_rules ||
				    t.rules[PMB_ROW_RULE(row)].cfa >= PMB_N_CFA)
					abort();
			}
		}
	}
	free(bytes);
	return 0;
}
