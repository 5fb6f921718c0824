// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * blocks [SECONDS=3]: loops, each of which is one block of one class (or a call and what it calls),
 * by turns.
 *
 * Known answer: what it prints, "CLASS FUNCTION NANOSECONDS", for each.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spin.h"

/* As workloads/threads.c says, it goes on while a hypervisor has the CPU, as clocks do that are
 * sampled by. */
static int clock_fd;

static uint64_t cpu_ns(void)
{
	uint64_t ns;

	return clock_fd >= 0 && read(clock_fd, &ns, sizeof(ns)) == sizeof(ns) ? ns :
										thread_cpu_ns();
}

static char to[4096] __attribute__((aligned(64)));
static void *ring[64];

static void make_ring(void)
{
	for (int i = 0; i < 64; i++)
		ring[i] = &ring[(i + 29) % 64];
}

static int always(void)
{
	return 1;
}

#define LOOP(name) __attribute__((noinline)) static void name(uint64_t n)

#ifdef __x86_64__
static char from[4096] __attribute__((aligned(64)));

#define AGAIN "dec %0\n\tjnz 1b"

LOOP(adds_locked)
{
	__asm__ volatile("1:\tlock addq $1, (%1)\n\tlea 1(%%rax), %%rax\n\t" AGAIN
			 : "+r"(n)
			 : "r"(to)
			 : "rax", "memory", "cc");
}
LOOP(divides)
{
	__asm__ volatile("1:\txor %%edx, %%edx\n\tmov $1000003, %%eax\n\tdivl %%ecx\n\t" AGAIN
			 : "+r"(n)
			 : "c"(7)
			 : "rax", "rdx", "cc");
}
LOOP(takes_roots)
{
	__asm__ volatile("1:\tsqrtsd %%xmm1, %%xmm0\n\taddsd %%xmm0, %%xmm2\n\t" AGAIN
			 : "+r"(n)
			 :
			 : "xmm0", "xmm1", "xmm2", "cc");
}
LOOP(pauses)
{
	__asm__ volatile("1:\tpause\n\t" AGAIN : "+r"(n) : : "cc");
}
LOOP(copies_string)
{
	for (n /= 64; n; n--) {
		void *a = from, *b = to;
		uint64_t len = sizeof(from);

		__asm__ volatile("rep movsb" : "+S"(a), "+D"(b), "+c"(len) : : "memory");
	}
}
LOOP(encrypts)
{
	__asm__ volatile("1:\taesenc %%xmm1, %%xmm0\n\taesenc %%xmm1, %%xmm0\n\t" AGAIN
			 : "+r"(n)
			 :
			 : "xmm0", "xmm1", "cc");
}
LOOP(adds_4)
{
	__asm__ volatile("1:\tpaddd %%xmm1, %%xmm0\n\tpmulld %%xmm1, %%xmm0\n\t"
			 "paddd %%xmm0, %%xmm2\n\t" AGAIN
			 : "+r"(n)
			 :
			 : "xmm0", "xmm1", "xmm2", "cc");
}
LOOP(adds_8)
{
	__asm__ volatile("1:\tvpaddd %%ymm1, %%ymm0, %%ymm0\n\t"
			 "vpmulld %%ymm1, %%ymm0, %%ymm0\n\t" AGAIN
			 : "+r"(n)
			 :
			 : "xmm0", "xmm1", "cc");
}
LOOP(adds_one)
{
	__asm__ volatile("1:\taddsd %%xmm1, %%xmm0\n\tmulsd %%xmm1, %%xmm2\n\t" AGAIN
			 : "+r"(n)
			 :
			 : "xmm0", "xmm1", "xmm2", "cc");
}
__asm__(".text\n.type leaf, @function\nleaf:\n\t.cfi_startproc\n\t"
	"lea 1(%rax), %rax\n\tret\n\t.cfi_endproc\n.size leaf, . - leaf");
LOOP(calls)
{
	__asm__ volatile("sub $128, %%rsp\n1:\tcall leaf\n\t" AGAIN "\n\tadd $128, %%rsp"
			 : "+r"(n)
			 :
			 : "rax", "memory", "cc");
}
LOOP(branches)
{
	__asm__ volatile("1:\ttest $1, %b0\n\tjz 2f\n\ttest $2, %b0\n\tjz 2f\n\t"
			 "test $4, %b0\n\tjz 2f\n\ttest $8, %b0\n\tjz 2f\n2:\t" AGAIN
			 : "+r"(n)
			 :
			 : "cc");
}
LOOP(chases)
{
	void *p = ring;

	__asm__ volatile("1:\tmov (%1), %1\n\tmov (%1), %1\n\t" AGAIN : "+r"(n), "+r"(p) : : "cc");
}
LOOP(stores)
{
	__asm__ volatile("1:\tmov %0, (%1)\n\tmov %0, 64(%1)\n\t" AGAIN
			 : "+r"(n)
			 : "r"(to)
			 : "memory", "cc");
}
LOOP(moves)
{
	__asm__ volatile("1:\tmov (%1), %%rax\n\tmov %%rax, (%2)\n\t"
			 "mov 8(%1), %%rax\n\tmov %%rax, 8(%2)\n\t" AGAIN
			 : "+r"(n)
			 : "r"(from), "r"(to)
			 : "rax", "memory", "cc");
}
LOOP(multiplies)
{
	__asm__ volatile(
		"1:\timul %%rax, %%rax\n\tadd $3, %%rax\n\timul %%rax, %%rax\n\txor $5, %%rax\n\t"
		"imul %%rax, %%rax\n\tadd $7, %%rax\n\t" AGAIN
		: "+r"(n)
		:
		: "rax", "cc");
}
static int has_aes(void)
{
	return __builtin_cpu_supports("aes");
}
static int has_sse4(void)
{
	return __builtin_cpu_supports("sse4.1");
}
static int has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}
#elif defined(__aarch64__)
#define AGAIN "subs %0, %0, #1\n\tb.ne 1b"

LOOP(adds_locked)
{
	__asm__ volatile("1:\tldaxr x9, [%1]\n\tadd x9, x9, #1\n\tstlxr w10, x9, [%1]\n\t" AGAIN
			 : "+r"(n)
			 : "r"(to)
			 : "x9", "x10", "memory", "cc");
}
LOOP(divides)
{
	__asm__ volatile("1:\tudiv x9, %0, %1\n\tadd x10, x10, x9\n\t" AGAIN
			 : "+r"(n)
			 : "r"(7UL)
			 : "x9", "x10", "cc");
}
LOOP(adds_4)
{
	__asm__ volatile("1:\tadd v0.4s, v0.4s, v1.4s\n\tmul v0.4s, v0.4s, v1.4s\n\t" AGAIN
			 : "+r"(n)
			 :
			 : "v0", "v1", "cc");
}
LOOP(chases)
{
	void *p = ring;

	__asm__ volatile("1:\tldr %1, [%1]\n\tldr %1, [%1]\n\t" AGAIN : "+r"(n), "+r"(p) : : "cc");
}
LOOP(multiplies)
{
	__asm__ volatile(
		"1:\tmul x9, x9, x9\n\tadd x9, x9, #3\n\tmul x9, x9, x9\n\tadd x9, x9, #5\n\t" AGAIN
		: "+r"(n)
		:
		: "x9", "cc");
}
#else
LOOP(divides)
{
	uint64_t by = 7, sum = 0;

	__asm__ volatile("1:\tdivu t0, %0, %2\n\tadd %1, %1, t0\n\taddi %0, %0, -1\n\tbnez %0, 1b"
			 : "+r"(n), "+r"(sum)
			 : "r"(by)
			 : "t0");
}
LOOP(adds_locked)
{
	__asm__ volatile("1:\tamoadd.d t0, %0, (%1)\n\taddi %0, %0, -1\n\tbnez %0, 1b"
			 : "+r"(n)
			 : "r"(to)
			 : "t0", "memory");
}
#endif

static struct {
	const char *class, *name;
	void (*loop)(uint64_t n);
	int (*is_there)(void);
	uint64_t each, ns;
} loops[] = {
#define L(class, name, each, is_there)                \
	{                                             \
		class, #name, name, is_there, each, 0 \
	}
	L("lock", adds_locked, 2000, always),      L("div", divides, 8000, always),
#ifdef __x86_64__
	L("div", takes_roots, 6000, always),       L("pause", pauses, 800, always),
	L("string", copies_string, 30000, always), L("crypto", encrypts, 6000, has_aes),
	L("vector-128", adds_4, 10000, has_sse4),  L("vector-256", adds_8, 10000, has_avx2),
	L("float", adds_one, 16000, always),       L("call", calls, 13000, always),
	L("branch", branches, 27000, always),      L("load", chases, 6000, always),
	L("store", stores, 50000, always),         L("load-store", moves, 14000, always),
	L("integer", multiplies, 4500, always),
#elif defined(__aarch64__)
	L("vector-128", adds_4, 10000, always), L("load", chases, 6000, always),
	L("integer", multiplies, 4500, always),
#endif
};

enum { N_LOOPS = sizeof(loops) / sizeof(*loops) };

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};
	uint64_t end;

	clock_fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	end = cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 3) * 1e9);
	make_ring();
	while (cpu_ns() < end) {
		for (int i = 0; i < N_LOOPS; i++) {
			uint64_t at = cpu_ns();

			if (!loops[i].is_there())
				continue;
			loops[i].loop(loops[i].each * jitter());
			loops[i].ns += cpu_ns() - at;
		}
	}
	for (int i = 0; i < N_LOOPS; i++) {
		if (loops[i].ns)
			printf("%s %s %llu\n", loops[i].class, loops[i].name,
			       (unsigned long long)loops[i].ns);
	}
	return 0;
}
