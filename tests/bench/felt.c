// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * felt user|kernel SECONDS [bare RATE]: what an interrupted thread feels. It spins on the time-stamp counter, 30
 * frames deep, on one CPU; a jump of the counter is time that was taken from it. Prints "GAPS NS_OF_THE_MEDIAN
 * SUM_NS" of the gaps between 0.7 and 60 us: shorter is the loop itself, longer another program that ran.
 * kernel: nearly all of a round is a system call, whose usual time is no part of the gaps.
 * bare: each interrupt is that of a cpu-clock event at RATE, without call chains, into a ring that nobody reads.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 26, SHORTEST_NS = 700, LONGEST_NS = 60000, GAPS_MAX = 1 << 20, USUAL_ROUNDS = 4096 };

static uint32_t gaps[GAPS_MAX]; /* ns */
static size_t n_gaps;
static double ticks_per_ns;
static uint64_t end_tsc;
static int zero_fd = -1; /* >= 0: each round reads of it */
static uint64_t usual;   /* ticks of such a round */

#if defined(__x86_64__)
#include <x86intrin.h>
static uint64_t ticks(void)
{
	return __rdtsc();
}
#elif defined(__aarch64__)
static uint64_t ticks(void)
{
	uint64_t t;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
}
#else
static uint64_t ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
#endif

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void calibrate(void)
{
	uint64_t ns = now_ns(), t = ticks();

	while (now_ns() - ns < 20000000)
		;
	ticks_per_ns = (double)(ticks() - t) / (double)(now_ns() - ns);
}

static void round_inside(void)
{
	static char zeros[8192];

	if (zero_fd >= 0 && read(zero_fd, zeros, sizeof(zeros)) < 0)
		exit(1);
}

__attribute__((noinline)) static void spin(void)
{
	uint64_t shortest = usual + (uint64_t)(SHORTEST_NS * ticks_per_ns);
	uint64_t longest = (uint64_t)(LONGEST_NS * ticks_per_ns), last = ticks();

	while (last < end_tsc) {
		uint64_t t;

		round_inside();
		t = ticks();
		if (t - last > shortest && n_gaps < GAPS_MAX && t - last < longest)
			gaps[n_gaps++] = (uint32_t)((double)(t - last - usual) / ticks_per_ns);
		last = t;
	}
}

__attribute__((noinline)) static int descend(int left)
{
	if (left)
		return descend(left - 1) + 1;
	spin();
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void learn_usual(void)
{
	static uint32_t rounds[USUAL_ROUNDS];

	zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < USUAL_ROUNDS; i++) {
		uint64_t t = ticks();

		round_inside();
		rounds[i] = (uint32_t)(ticks() - t);
	}
	qsort(rounds, USUAL_ROUNDS, sizeof(rounds[0]), compare);
	usual = rounds[USUAL_ROUNDS / 2];
}

static void bare_events(uint64_t rate)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = rate,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP,
	};
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd =
			(int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
	}
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
	cpu_set_t last;
	uint64_t sum = 0;

	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	sched_setaffinity(0, sizeof(last), &last);
	calibrate();
	if (seconds > 0 && strcmp(argv[1], "kernel") == 0)
		learn_usual();
	if (argc > 4 && strcmp(argv[3], "bare") == 0)
		bare_events(strtoull(argv[4], NULL, 10));
	end_tsc = ticks() + (uint64_t)(seconds * 1e9 * ticks_per_ns);
	descend(DEPTH);
	qsort(gaps, n_gaps, sizeof(gaps[0]), compare);
	for (size_t i = 0; i < n_gaps; i++)
		sum += gaps[i];
	printf("%zu %u %lu\n", n_gaps, n_gaps ? gaps[n_gaps / 2] : 0, (unsigned long)sum);
	return 0;
}
