/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How Go's functions begin: they look whether their stack is large enough, and if it isn't, have it
 * copied to a larger one and begin again. Who meets that look knows by the flags which it is. Pure.
 */
#ifndef PMUBPF_SYMD_CODE_GO_H
#define PMUBPF_SYMD_CODE_GO_H

#include <stdbool.h>

#include "symd/insn_data.h"

struct code_go {
	uint64_t at;  /* of the last jump of that look, from the beginning on */
	uint8_t when; /* 1 + the condition on which the function begins again */
};

/* False: it doesn't look, or in a way that isn't known. */
bool code_go__find(enum insn_set set, const uint8_t *code, size_t len, struct code_go *ret);

#endif
