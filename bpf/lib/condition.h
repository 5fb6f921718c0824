/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a jump on the flags will be taken. */
#ifndef PMUBPF_BPF_CONDITION_H
#define PMUBPF_BPF_CONDITION_H

#include "lib/port.h"

#if defined(__TARGET_ARCH_arm64)

/* Of arm64's sixteen conditions, each of odd number is the opposite of the one before, but the
 * last, which always holds as well. flags: NZCV in bits 31 to 28. */
static __always_inline bool holds(__u64 flags, __u32 condition)
{
	bool negative = flags >> 31 & 1, zero = flags >> 30 & 1, carry = flags >> 29 & 1;
	bool overflow = flags >> 28 & 1, is;

	switch (condition >> 1 & 7) {
	case 0:
		is = zero;
		break;
	case 1:
		is = carry;
		break;
	case 2:
		is = negative;
		break;
	case 3:
		is = overflow;
		break;
	case 4:
		is = carry && !zero;
		break;
	case 5:
		is = negative == overflow;
		break;
	case 6:
		is = negative == overflow && !zero;
		break;
	default:
		return true;
	}
	return is != (condition & 1);
}

#else

/* Of x86's sixteen conditions, each of odd number is the opposite of the one before. */
static __always_inline bool holds(__u64 flags, __u32 condition)
{
	bool carry = flags & 1, parity = flags & 4, zero = flags & 0x40, sign = flags & 0x80;
	bool overflow = flags & 0x800, is;

	switch (condition >> 1 & 7) {
	case 0:
		is = overflow;
		break;
	case 1:
		is = carry;
		break;
	case 2:
		is = zero;
		break;
	case 3:
		is = carry || zero;
		break;
	case 4:
		is = sign;
		break;
	case 5:
		is = parity;
		break;
	case 6:
		is = sign != overflow;
		break;
	default:
		is = zero || sign != overflow;
	}
	return is != (condition & 1);
}

#endif

#endif
