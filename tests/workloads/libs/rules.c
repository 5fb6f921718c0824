// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library whose call frame information has RULES distinct rules, as no compiler writes them.
 * hoard.c loads copies of it. What else it has is an ordinary library's.
 */
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

/* Nobody calls it: after each instruction the stack pointer is said to be elsewhere. */
__asm__(".text\n"
	".globl many_rules\n"
	".type many_rules, %function\n"
	"many_rules:\n"
	".cfi_startproc\n"
	".set at, 16\n"
	".rept " TEXT_OF(RULES) "\n"
				".set at, at + 16\n"
				".cfi_def_cfa_offset at\n"
				"nop\n"
				".endr\n"
				".cfi_endproc\n"
				".size many_rules, . - many_rules\n");

void burn(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i));
}
