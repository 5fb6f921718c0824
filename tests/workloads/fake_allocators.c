// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Symbols that say of code that it is an allocator's, and aren't true: free and malloc are one
 * function, that doubles a number; calloc is amid an instruction, in a number that is summed up,
 * and has a push and a return there; realloc jumps to where a register says. With 10,000 symbols
 * called malloc#N besides, for whoever makes other names of them. Ends with 0 if all its numbers
 * are what they should be. With a number it waits so many seconds before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __x86_64__
#define FUNCTION(name, code)                                                           \
	__asm__(".text\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" code \
		"\n.cfi_endproc\n.size " #name ", . - " #name)

FUNCTION(free, ".set malloc, free; .type malloc, @function; .size malloc, 7\n"
	       "push %rbx; pop %rbx; lea (%rdi,%rdi), %rax; ret");
FUNCTION(number, ".set calloc, number + 2; .type calloc, @function; .size calloc, 3\n"
		 "movabs $0x0000c35b53c35b53, %rax; ret");
FUNCTION(realloc, "push %rbx; pop %rbx; mov %rdi, %rax; lea 1f(%rip), %rcx; jmp *%rcx\n"
		  "1: ret");
__asm__(".macro one\n.type \"malloc#\\@\", @function\n\"malloc#\\@\": push %rbx; pop %rbx; ret\n"
	".endm\n.rept 10000\none\n.endr\n"
	".globl fake_free, fake_realloc, fake_number\n"
	".set fake_free, free; .set fake_realloc, realloc; .set fake_number, number\n");

uint64_t fake_free(uint64_t x);
uint64_t fake_realloc(uint64_t x, uint64_t y);
uint64_t fake_number(void);

int main(int argc, char **argv)
{
	enum { TIMES = 20000 };
	uint64_t sum = 0, want = 0;

	if (argc > 1)
		sleep((unsigned)strtoul(argv[1], NULL, 10));
	for (uint64_t i = 0; i < TIMES; i++) {
		sum += fake_free(i) + fake_realloc(i, i) + fake_number();
		want += 2 * i + i + 0x0000c35b53c35b53;
	}
	printf("%s\n", sum == want ? "right" : "wrong");
	return sum != want;
}
#else
int main(void)
{
	return 1;
}
#endif
