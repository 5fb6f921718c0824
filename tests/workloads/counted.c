// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * counted [EVENT=task-clock[:u|:k]] [MROUNDS=300] [PAGES=20000]: counts an event of its own work,
 * with perf_event_open(2) and nothing else: an independent reading for a profiler's counters.
 *
 * EVENT is cycles, instructions, task-clock or page-faults. The work is a loop of MROUNDS million
 * rounds, and one fault for each of PAGES fresh pages. The process has little else to do: it starts
 * and ends.
 *
 * Known answer: the count on stdout, and page-faults: PAGES. Who counts the whole process sees its
 * start and end
 * besides: on x86_64 about 60 faults and a few hundred thousand instructions of user code.
 *
 * stdout: "EVENT COUNT". Exit status 3: the event can't be had; 1: it did not count all the time.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "spin.h"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} known[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

/* A disabled counter of this thread, or -1. */
static int open_counter(const char *event)
{
	size_t len = strcspn(event, ":");
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = strcmp(event + len, ":u") == 0,
		.exclude_user = strcmp(event + len, ":k") == 0,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strlen(known[i].name) != len || memcmp(known[i].name, event, len) != 0)
			continue;
		attr.type = known[i].type;
		attr.config = known[i].config;
		return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	errno = ENOENT;
	return -1;
}

WORK static void touch_pages(volatile char *base, size_t pages, size_t page_size)
{
	for (size_t i = 0; i < pages; i++)
		base[i * page_size] = 1;
}

WORK static void busy(uint64_t rounds)
{
	burn(rounds);
}

int main(int argc, char **argv)
{
	const char *event = argc > 1 ? argv[1] : "task-clock";
	uint64_t rounds = (uint64_t)(arg_num(argc, argv, 2, 300) * 1e6);
	size_t pages = (size_t)arg_num(argc, argv, 3, 20000);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t count[3] = {0}; /* value, time enabled, time running */
	char *base = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_counter(event);

	if (fd < 0 || base == MAP_FAILED) {
		fprintf(stderr, "counted: %s: %s\n", event, strerror(errno));
		return 3;
	}
	madvise(base, (pages + 1) * page_size, MADV_NOHUGEPAGE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	busy(rounds);
	touch_pages(base, pages, page_size);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, count, sizeof(count)) != sizeof(count) || count[1] != count[2]) {
		fprintf(stderr, "counted: %s ran for %llu of %llu ns\n", event,
			(unsigned long long)count[2], (unsigned long long)count[1]);
		return 1;
	}
	printf("%s %llu\n", event, (unsigned long long)count[0]);
	return 0;
}
