// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A perf map; each address in it is asked for again. */
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "symd/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = xcalloc(1, len + 1);
	struct perf_map map;

	memcpy(text, data, len);
	perf_map__parse(text, len, &map);
	for (uint64_t addr = 0; addr < 0x10000; addr += 0xff)
		symtab__find(&map.symbols, addr);
	symtab__find(&map.symbols, UINT64_MAX);
	perf_map__done(&map);
	return 0;
}
