// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * felt clock|clock-kernel|fault|fault-kernel SECONDS [bare RATE]: what an interrupted thread feels
 * of one sample, 30 frames deep, on the last CPU. Prints "GAPS NS".
 *
 * clock: it spins on the time-stamp counter; a jump of 0.7 to 60 us is time that was taken from it:
 * shorter is the loop itself, longer another program that ran. NS is the median. clock-kernel:
 * nearly all of a round is a system call, whose usual time is no part of the gaps. A timer's
 * interrupt leaves a virtual machine, for tens of us on some hosts.
 * fault: an overflow that the thread makes itself, without timer or interrupt: each gap is one
 * touch of a page that was given back, page faults being sampled one by one. It gets the page of
 * zeros, so nothing is allocated or cleared. What others do to caches and to the core only adds to
 * that, so NS is what a twentieth stays below; bursts keep it warm. fault-kernel: a system call
 * touches it.
 * bare: each overflow is that of an own event, of a cpu-clock at RATE or of page faults, whose
 * record is an address, in a ring that nobody reads.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	DEPTH = 24, /* and main, what called it, and the loop */
	SHORTEST_NS = 700,
	LONGEST_NS = 60000,
	BURST = 64, /* faults, and then a pause, so that no tool loses one */
	BETWEEN_NS = 2000,
	PAUSE_NS = 8000000,
	WARM_NS = 100000000,
	GAPS_MAX = 1 << 16,
	USUAL_ROUNDS = 4096,
};

static uint32_t gaps[GAPS_MAX]; /* ns */
static size_t n_gaps;
static double ticks_per_ns;
static uint64_t begin_tsc, end_tsc; /* what comes before begin_tsc warms up */
static bool in_kernel;
static char *page;
static size_t page_size;
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

static uint64_t in_ticks(uint64_t ns)
{
	return (uint64_t)((double)ns * ticks_per_ns);
}

static void note_gap(uint64_t begin, uint64_t taken)
{
	if (begin >= begin_tsc && n_gaps < GAPS_MAX)
		gaps[n_gaps++] = (uint32_t)((double)taken / ticks_per_ns);
}

static void read_zeros(void)
{
	static char zeros[1024];

	if (zero_fd >= 0 && read(zero_fd, zeros, sizeof(zeros)) < 0)
		exit(1);
}

__attribute__((noinline)) static void spin(void)
{
	uint64_t shortest = usual + in_ticks(SHORTEST_NS), longest = in_ticks(LONGEST_NS);

	for (uint64_t t, last = ticks(); last < end_tsc; last = t) {
		read_zeros();
		t = ticks();
		if (t - last > shortest && t - last < longest)
			note_gap(last, t - last - usual);
	}
}

/* The kernel reads a signal set from the page: an empty one. */
static void touch(void)
{
	if (!in_kernel)
		*(volatile char *)page;
	else if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, page, NULL, 8) != 0)
		exit(1);
}

__attribute__((noinline)) static void fault(void)
{
	uint64_t longest = in_ticks(LONGEST_NS);
	unsigned nth = 0;

	for (uint64_t t, begin; (begin = ticks()) < end_tsc;) {
		uint64_t pause = in_ticks(nth++ % BURST ? BETWEEN_NS : PAUSE_NS);

		if (madvise(page, page_size, MADV_DONTNEED) != 0)
			exit(1);
		while ((t = ticks()) - begin < pause)
			;
		touch();
		begin = ticks();
		if (begin - t < longest)
			note_gap(t, begin - t);
	}
}

/* What comes after the call keeps it a call. */
__attribute__((noinline)) static void descend(int left, void (*loop)(void))
{
	if (left)
		descend(left - 1, loop);
	else
		loop();
	__asm__ volatile("" : : "r"(left) : "memory");
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

		read_zeros();
		rounds[i] = (uint32_t)(ticks() - t);
	}
	qsort(rounds, USUAL_ROUNDS, sizeof(rounds[0]), compare);
	usual = rounds[USUAL_ROUNDS / 2];
}

/* The ring is mapped read-only: its oldest record makes room, it is never full. */
static void bare_events(bool faults, uint64_t rate)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = faults ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = faults ? 1 : rate, /* or sample_period */
		.freq = !faults,
		.sample_type = PERF_SAMPLE_IP,
	};
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd =
			(int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 || mmap(NULL, 2 * page_size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	bool faults = argc > 2 && strncmp(argv[1], "fault", 5) == 0;
	cpu_set_t last;

	if (argc < 3)
		return 2;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	in_kernel = strstr(argv[1], "-kernel") != NULL;
	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	sched_setaffinity(0, sizeof(last), &last);
	setpriority(PRIO_PROCESS, 0, -20); /* others shall disturb it little */
	calibrate();
	if (in_kernel && !faults)
		learn_usual();
	if (argc > 4 && strcmp(argv[3], "bare") == 0)
		bare_events(faults, strtoull(argv[4], NULL, 10));
	memset(gaps, 1, sizeof(gaps)); /* none of its pages comes later */
	begin_tsc = ticks() + in_ticks(WARM_NS);
	end_tsc = begin_tsc + (uint64_t)(strtod(argv[2], NULL) * 1e9 * ticks_per_ns);
	descend(DEPTH, faults ? fault : spin);
	qsort(gaps, n_gaps, sizeof(gaps[0]), compare);
	printf("%zu %u\n", n_gaps, n_gaps ? gaps[n_gaps / (faults ? 20 : 2)] : 0);
	return 0;
}
