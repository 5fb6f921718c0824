/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The search for a row of an unwind table, for the overflow program and user space. The includer
 * brings integer types and __always_inline. */
#ifndef PMUBPF_UNWIND_FIND_H
#define PMUBPF_UNWIND_FIND_H

#include "pmubpf/unwind.h"

/*
 * The last row of a run that is not above `low`. rows[first & mask] is the run's first row, whose
 * low is 0; n is 1..PMB_UNWIND_ROW_MAX. Rows beyond the run are never read; the mask is for the
 * verifier (an array of mask + 1 rows), ~0U where nobody needs convincing.
 *
 * Without branches inside: the verifier would follow both sides of each. The barriers keep clang
 * from making some: also before the shifts, for clang 19 knows what the sign of a difference is.
 */
#define UNWIND_HIDE(x) __asm__ volatile("" : "+r"(x))
#define UNWIND_HALVE(bit)                                              \
	do {                                                           \
		in = last - (at + (1ULL << (bit)));                    \
		UNWIND_HIDE(in);                                       \
		in = (in >> 63) ^ 1;                                   \
		UNWIND_HIDE(in);                                       \
		key = rows[(first + at + (in << (bit))) & mask] >> 16; \
		take = low - key;                                      \
		UNWIND_HIDE(take);                                     \
		take = (take >> 63) ^ 1;                               \
		UNWIND_HIDE(take);                                     \
		at += (in & take) << (bit);                            \
	} while (0)

static __always_inline __u32 unwind_find(const __u32 *rows, __u64 first, __u32 mask, __u64 n,
					 __u64 low)
{
	__u64 last = n - 1, at = 0, in, take, key;

	if (n > 4096) {
		UNWIND_HALVE(15);
		UNWIND_HALVE(14);
		UNWIND_HALVE(13);
		UNWIND_HALVE(12);
	}
	if (n > 256) {
		UNWIND_HALVE(11);
		UNWIND_HALVE(10);
		UNWIND_HALVE(9);
		UNWIND_HALVE(8);
	}
	if (n > 16) {
		UNWIND_HALVE(7);
		UNWIND_HALVE(6);
		UNWIND_HALVE(5);
		UNWIND_HALVE(4);
	}
	UNWIND_HALVE(3);
	UNWIND_HALVE(2);
	UNWIND_HALVE(1);
	UNWIND_HALVE(0);
	return rows[(first + at) & mask];
}

#endif
