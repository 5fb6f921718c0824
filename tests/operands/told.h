/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a program says to tests/operands/types.c what lies where in its memory: by a call that the
 * kernel doesn't know. */
#ifndef PMUBPF_TESTS_TOLD_H
#define PMUBPF_TESTS_TOLD_H

enum { TOLD_CALL = 0x70b7 };

#if __has_attribute(noipa)
#define TOLD_APART __attribute__((noipa, unused))
#else
#define TOLD_APART __attribute__((noinline, unused))
#endif

/* n bytes, 0: not any more; witness: a variable that is a pointer to that type; NULL: not known. */
TOLD_APART static void told(const void *at, unsigned long n, const void *witness)
{
	long r = TOLD_CALL;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(at), "S"(n), "d"(witness)
			 : "rcx", "r11", "memory");
}

#endif
