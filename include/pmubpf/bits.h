/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Powers of two. Both sides include their own integer types before this file. */
#ifndef PMUBPF_BITS_H
#define PMUBPF_BITS_H

/* That of the highest bit; 0 of 0. */
static inline __attribute__((always_inline)) __u32 log2_of(__u64 n)
{
	__u32 bits = 0;

#define LOG2_STEP(step)         \
	if (n >> (step)) {      \
		bits += (step); \
		n >>= (step);   \
	}
	LOG2_STEP(32)
	LOG2_STEP(16)
	LOG2_STEP(8)
	LOG2_STEP(4)
	LOG2_STEP(2)
	LOG2_STEP(1)
#undef LOG2_STEP
	return bits & 63;
}

#endif
