/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function's instructions, and where each goes on. Pure. */
#ifndef PMUBPF_SYMD_CODE_STEPS_H
#define PMUBPF_SYMD_CODE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/insn_data.h"

#define CODE_NO_STEP UINT32_MAX

struct code_step {
	uint32_t off, len;
	uint32_t target; /* of a branch or jump: another one; or NO_STEP */
	/* The two are for who goes through them; 0: none. */
	uint32_t site, entry;
	uint8_t flow;   /* enum insn_flow */
	bool padding;   /* it does nothing */
	int64_t called; /* of a call: where to, from the function's beginning; 0: nobody knows */
};

struct code_steps {
	struct code_step *list;
	size_t n, cap;
};

/* As far as it is code. ret begins as {0}. */
void code_steps__read(struct code_steps *ret, enum insn_set set, const uint8_t *bytes, size_t len);
struct code_step *code_steps__find(const struct code_steps *steps, uint64_t off); /* NULL: none */
void code_steps__done(struct code_steps *steps);

#endif
