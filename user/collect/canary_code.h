/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the canary calls. Each puts its argument into three places, meets its site, and returns the
 * sum of them. The first site is carried out by the kernel, the second is single-stepped, the third
 * is the return of a function. CANARY_CODE: there is some of this machine.
 */
#ifndef PMUBPF_COLLECT_CANARY_CODE_H
#define PMUBPF_COLLECT_CANARY_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CANARY_HIDDEN __attribute__((visibility("hidden")))
CANARY_HIDDEN uint64_t pmb_canary_emulated(uint64_t x);
CANARY_HIDDEN uint64_t pmb_canary_stepped(uint64_t x);
CANARY_HIDDEN uint64_t pmb_canary_left(uint64_t x);
CANARY_HIDDEN extern const uint8_t pmb_canary_site_emulated[], pmb_canary_site_stepped[],
	pmb_canary_site_left[], pmb_canary_site_entered[];

/* clang-format off */
#define CANARY(name, begin, insn, end)                                           \
	".type " name ", @function\n" name ":\n"                                 \
	CANARY_LAND begin CANARY_PUT insn CANARY_SUM end "	ret\n"           \
	".size " name ", .-" name "\n"
#define CANARY_ALL(emulated, stepped)                                            \
	__asm__(".pushsection .text\n"                                           \
		CANARY("pmb_canary_emulated", "",                                \
		       "pmb_canary_site_emulated:\n" emulated, "")               \
		CANARY("pmb_canary_stepped", "",                                 \
		       "pmb_canary_site_stepped:\n" stepped, "")                 \
		CANARY("pmb_canary_left", "pmb_canary_site_entered:\n", "",      \
		       "pmb_canary_site_left:\n")                                \
		".popsection\n")
/* clang-format on */

#if defined(__x86_64__)

#define CANARY_CODE 1
#define CANARY_BREAKPOINT "\xcc"
#define CANARY_LAND ""
/* below the stack pointer */
#define CANARY_PUT               \
	"	mov %rdi, -8(%rsp)\n"  \
	"	mov %rdi, -64(%rsp)\n" \
	"	mov %rdi, -128(%rsp)\n"
#define CANARY_SUM               \
	"	mov -8(%rsp), %rax\n"  \
	"	add -64(%rsp), %rax\n" \
	"	add -128(%rsp), %rax\n"
CANARY_ALL("nop\n", "lea (%rdi), %rdx\n");

#elif defined(__aarch64__)

#define CANARY_CODE 1
#define CANARY_BREAKPOINT "\xa0\x00\x20\xd4" /* brk #5 */
#define CANARY_LAND "	hint #34\n"          /* bti c */
/* on the stack, and in registers that a call needn't keep */
#define CANARY_PUT              \
	"	sub sp, sp, #128\n"   \
	"	str x0, [sp]\n"       \
	"	str x0, [sp, #120]\n" \
	"	mov x15, x0\n"
#define CANARY_SUM              \
	"	ldr x0, [sp]\n"       \
	"	ldr x1, [sp, #120]\n" \
	"	add x0, x0, x1\n"     \
	"	add x0, x0, x15\n"    \
	"	add sp, sp, #128\n"
CANARY_ALL("b 1f\n1:\n", "add x9, x0, #1\n");

#else
#define CANARY_CODE 0
#endif

#if CANARY_CODE
static inline bool canary_is_probed(const uint8_t *at)
{
	volatile const uint8_t *now = at;

	for (size_t i = 0; i < sizeof(CANARY_BREAKPOINT) - 1; i++) {
		if (now[i] != (uint8_t)CANARY_BREAKPOINT[i])
			return false;
	}
	return true;
}
#endif

#endif
