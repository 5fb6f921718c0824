// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A jitdump, as a file. */
#include "fuzz_jit.h"
#include "symd/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return fuzz_jit(data, len, jitdump__offer);
}
