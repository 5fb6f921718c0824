// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frameless MODE [SECONDS=2]: programs as distributions build them, without frame pointers. Every
 * stack is known:
 *
 * 	deep      main → deep01 → … → deep30 → spin, in two threads (start routine `thread` instead of main)
 * 	deeper    the same function 300 times: deeper than any limit
 * 	alloca    main → with_alloca → spin: a frame of unknown size
 * 	realign   main → realigned → spin: a frame that aligns its stack by more than the ABI does
 * 	big       main → big_frame → spin: 100 KiB of locals
 * 	signal    main → interrupted → (signal frame) → handler → spin: the handler in the middle of code
 * 	altstack  the same, with the handler on a stack of its own
 * 	qsort     main → sort → (libc) → compare → spin
 * 	plt       main → calls, which calls getppid through the PLT all the time
 * 	float     main → leaf_math: long calls into libm
 *
 * stdout: "spin NS": the CPU time of all threads in it.
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

static uint64_t duration_ns = 2000000000;
static volatile uint64_t sink;

WORK static uint64_t spin(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns, rounds = 0;

	while (thread_cpu_ns() < end) {
		burn(20000);
		rounds++;
	}
	return rounds;
}

#define DEEP(name, next)                       \
	WORK static uint64_t name(uint64_t ns) \
	{                                      \
		return next(ns) + 1;           \
	}
DEEP(deep30, spin)
DEEP(deep29, deep30)
DEEP(deep28, deep29)
DEEP(deep27, deep28)
DEEP(deep26, deep27)
DEEP(deep25, deep26)
DEEP(deep24, deep25)
DEEP(deep23, deep24)
DEEP(deep22, deep23)
DEEP(deep21, deep22)
DEEP(deep20, deep21)
DEEP(deep19, deep20)
DEEP(deep18, deep19)
DEEP(deep17, deep18)
DEEP(deep16, deep17)
DEEP(deep15, deep16)
DEEP(deep14, deep15)
DEEP(deep13, deep14)
DEEP(deep12, deep13)
DEEP(deep11, deep12)
DEEP(deep10, deep11)
DEEP(deep09, deep10)
DEEP(deep08, deep09)
DEEP(deep07, deep08)
DEEP(deep06, deep07)
DEEP(deep05, deep06)
DEEP(deep04, deep05)
DEEP(deep03, deep04)
DEEP(deep02, deep03)
DEEP(deep01, deep02)

WORK static void *thread(void *unused)
{
	(void)unused;
	sink += deep01(duration_ns);
	return NULL;
}

static void deep(void)
{
	pthread_t other;

	pthread_create(&other, NULL, thread, NULL);
	sink += deep01(duration_ns);
	pthread_join(other, NULL);
}

WORK static uint64_t again(uint64_t left)
{
	return left ? again(left - 1) + 1 : spin(duration_ns);
}

WORK static void with_alloca(size_t n)
{
	char room[n];

	memset(room, 1, n);
	sink += spin(duration_ns) + (uint64_t)room[n / 2];
}

WORK static void realigned(uint64_t ns)
{
	__attribute__((aligned(256))) volatile char room[512];

	room[0] = 1;
	sink += spin(ns) + (uint64_t)room[0];
}

WORK static void big_frame(uint64_t ns)
{
	volatile char room[100 * 1024];

	room[0] = 1;
	sink += spin(ns) + (uint64_t)room[0];
}

static void handler(int signo)
{
	(void)signo;
	sink += spin(duration_ns);
}

WORK static void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

static void with_signal(int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	stack_t stack = {.ss_size = 256 * 1024};

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	interrupted();
}

WORK static int compare(const void *a, const void *b)
{
	sink += spin(duration_ns / 8);
	return *(const int *)a - *(const int *)b;
}

WORK static void sort(void)
{
	int numbers[4] = {3, 1, 4, 2};

	qsort(numbers, 4, sizeof(numbers[0]), compare);
	sink += (uint64_t)numbers[0];
}

WORK static void calls(void)
{
	uint64_t end = thread_cpu_ns() + duration_ns;

	while (thread_cpu_ns() < end) {
		for (int i = 0; i < 1000; i++)
			sink += (uint64_t)getppid();
	}
}

WORK static void leaf_math(void)
{
	uint64_t end = thread_cpu_ns() + duration_ns;
	double x = 0.5;

	while (thread_cpu_ns() < end) {
		for (int i = 0; i < 1000; i++)
			x = sin(x) + pow(x + 1, 1.5) / 4;
	}
	sink += (uint64_t)x;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "deep";

	duration_ns = (uint64_t)(arg_num(argc, argv, 2, 2) * 1e9);
	if (strcmp(mode, "deep") == 0)
		deep();
	else if (strcmp(mode, "deeper") == 0)
		sink += again(300);
	else if (strcmp(mode, "alloca") == 0)
		with_alloca(1000 + (size_t)argc);
	else if (strcmp(mode, "realign") == 0)
		realigned(duration_ns);
	else if (strcmp(mode, "big") == 0)
		big_frame(duration_ns);
	else if (strcmp(mode, "signal") == 0)
		with_signal(0);
	else if (strcmp(mode, "altstack") == 0)
		with_signal(SA_ONSTACK);
	else if (strcmp(mode, "qsort") == 0)
		sort();
	else if (strcmp(mode, "plt") == 0)
		calls();
	else if (strcmp(mode, "float") == 0)
		leaf_math();
	else
		return 2;
	printf("spin %llu\n", (unsigned long long)duration_ns);
	return 0;
}
