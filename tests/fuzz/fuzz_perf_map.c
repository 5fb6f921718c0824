// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A perf map, as a file. */
#include "fuzz_jit.h"
#include "symd/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return fuzz_jit(data, len, perf_map__offer);
}
