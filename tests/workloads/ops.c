// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ops: instructions whose counts are known. Says its number; then, for each line that it reads,
 * does 4,000 turns of `locks`, and says so, with the CPU time that they took; with "ops SECONDS" it
 * does turns for so long at once, and with "ops SECONDS THREADS" the last of so many threads does,
 * all others of which wait.
 *
 * Of a turn of `locks`, its six locked instructions: the first in each one of 64, the second, third
 * and fourth in each, the fifth in each fourth, the sixth in none; and one division. So with four
 * breakpoints all but 1/64 of 3.27 of each turn can be seen.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "spin.h"

#ifdef __x86_64__

enum { TURNS = 4000 };

__asm__(".pushsection .text\n"
	".macro locks_of name\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	"	mov %edi, %ecx\n"
	"	xor %r8d, %r8d\n"
	"1:	test $63, %cl\n"
	"	jnz 2f\n"
	"	lock incq (%rsi)\n"
	"2:	lock incq 8(%rsi)\n"
	"	lock addq $1, 16(%rsi)\n"
	"	mov $1, %eax\n"
	"	lock xadd %rax, 24(%rsi)\n"
	"	test $3, %cl\n"
	"	jnz 3f\n"
	"	xchg %rax, 32(%rsi)\n"
	"3:	test %ecx, %ecx\n"
	"	jns 4f\n"
	"	lock decq 40(%rsi)\n"
	"4:	mov $100, %eax\n"
	"	xor %edx, %edx\n"
	"	mov $7, %r9d\n"
	"	div %r9d\n"
	"	add %eax, %r8d\n"
	"	sub $1, %ecx\n"
	"	jnz 1b\n"
	"	mov %r8d, %eax\n"
	"	ret\n"
	".size \\name, .-\\name\n"
	".endm\n"
	"	locks_of locks\n"
	"	locks_of decoy\n"
	".globl none\n"
	".type none, @function\n"
	"none:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size none, .-none\n"
	".popsection\n");

int locks(int turns, uint64_t *at);
int decoy(int turns, uint64_t *at);
long none(long n);

static void *work(void *unused)
{
	uint64_t at[6] = {0}, begin = thread_cpu_ns(), took;
	int sum = locks(TURNS, at);

	(void)unused;
	took = thread_cpu_ns() - begin;
	printf("sum %d %ld, in %" PRIu64 " ns\n", sum + decoy(2 * TURNS, at), none(1), took);
	fflush(stdout);
	return NULL;
}

static void *wait_for_end(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *work_on(void *seconds_of)
{
	const int seconds = *(const int *)seconds_of;
	const time_t end = time(NULL) + seconds;
	uint64_t at[6] = {0}, turns = 0;

	for (; time(NULL) < end; turns++)
		locks(TURNS, at);
	printf("turns %" PRIu64 " %" PRIu64 " ns\n", turns * TURNS,
	       (uint64_t)clock() * (1000000000 / CLOCKS_PER_SEC));
	return NULL;
}

/* The first thread is one of them. */
static int work_on_last(int seconds, int threads)
{
	pthread_t thread;

	for (int i = 1; i < threads - 1; i++) {
		if (pthread_create(&thread, NULL, wait_for_end, NULL) != 0)
			return 1;
	}
	if (threads < 2)
		work_on(&seconds);
	else if (pthread_create(&thread, NULL, work_on, &seconds) != 0)
		return 1;
	else
		pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	char line[64];

	printf("pid %d\n", getpid());
	fflush(stdout);
	if (argc > 1)
		return work_on_last((int)strtol(argv[1], NULL, 10), (int)arg_num(argc, argv, 2, 1));
	while (fgets(line, sizeof(line), stdin)) {
		pthread_t thread;

		/* by threads that come while it is recorded, too */
		if (line[0] != 't' || pthread_create(&thread, NULL, work, NULL) != 0)
			work(NULL);
		else
			pthread_join(thread, NULL);
	}
	return 0;
}

#else

int main(void)
{
	return 1;
}

#endif
