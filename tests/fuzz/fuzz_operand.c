// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as x86-64 instructions: what is said of each is of registers and sizes there are. */
#include "fuzz_insn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_all(INSN_X86_64, 16, data, size);
	return 0;
}
