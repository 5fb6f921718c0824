/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * HotSpot's interpreter: which method it runs in a frame, and where in it. In a stack that stands
 * in the place of the frame's address, which would be the interpreter's own, in a word that no
 * address is:
 *
 *	4 bits: 4 │ 16 bits: the lowest of where the next bytecode lies │ 44 bits: Method* / 8
 *
 * A method has 64 KiB of bytecodes at most. Whoever includes this brings __u64.
 */
#ifndef PMUBPF_HOTSPOT_H
#define PMUBPF_HOTSPOT_H

#define PMB_METHOD_MARK (4ULL << 60)
#define PMB_METHOD_BITS 44
#define PMB_METHOD_MASK ((1ULL << PMB_METHOD_BITS) - 1)
#define PMB_METHOD_WORD(method, bytecode)                              \
	(PMB_METHOD_MARK | ((bytecode)&0xffffULL) << PMB_METHOD_BITS | \
	 ((method) >> 3 & PMB_METHOD_MASK))
#define PMB_IS_METHOD(word) ((word) >> 60 == PMB_METHOD_MARK >> 60)
#define PMB_METHOD_OF(word) (((word)&PMB_METHOD_MASK) << 3)
#define PMB_METHOD_BYTECODE(word) ((word) >> PMB_METHOD_BITS & 0xffff)

/* Of the frame pointer (x86-64). Where the bytecode is the frame's rule says, in words below it. */
#define PMB_INTERPRETED_METHOD (-3 * 8)
#define PMB_INTERPRETED_BYTECODE(rule) (-8 * (__s32)(rule)->reg)

/* What stands in frame i of a stack, for those who look it up: a return address may lie behind its
 * function's end, the call lies before it. */
static inline __u64 pmb_place_in_stack(__u64 word, unsigned i)
{
	return word - (i > 0 && !PMB_IS_METHOD(word));
}

#endif
