/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of an instruction's word. */
#ifndef PMUBPF_SYMD_INSN_BITS_H
#define PMUBPF_SYMD_INSN_BITS_H

#include <stdint.h>

static inline uint32_t field(uint32_t w, unsigned high, unsigned low)
{
	return w >> low & ((1U << (high - low + 1)) - 1);
}

static inline unsigned bit(uint32_t w, unsigned at)
{
	return w >> at & 1;
}

#endif
