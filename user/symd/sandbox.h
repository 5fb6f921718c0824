/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where untrusted bytes are parsed: a process that has taken everything from itself but memory,
 * time within limits, and the descriptors that it is handed. docs/design/0013-sandbox.md says why
 * each part is there.
 */
#ifndef PMUBPF_SYMD_SANDBOX_H
#define PMUBPF_SYMD_SANDBOX_H

#include <stdint.h>

#include "pmubpf/budgets.h"

enum {
	SANDBOX_CPU_S = 180,    /* CPU time in all; the client replaces it before (sym/helper.h) */
	SANDBOX_FILES = 16,     /* descriptors at a time */
	SANDBOX_FILE_MIB = 128, /* of a file that it makes: an unwind table is at most 76 */
};
/* Of address space; half of the machine's memory if that is less. */
#define SANDBOX_MEMORY_MAX ((uint64_t)BUDGET_HELPER_GIB << 30)

/*
 * Before the first byte of a foreign file. What is left: reading what was handed over, memory,
 * answering on sock, tables in sealed memory; anything else ends the process. 0, or a negative
 * errno: then this process must not read a foreign byte.
 */
int sandbox_enter(int sock);

/* The system calls that are left (symd/sandbox_calls.c): the last part of the above. */
int sandbox_filter_calls(int sock);

#endif
