// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * storm [CHILDREN=500] [MS=0.6] [exec]: a storm of short-lived processes.
 *
 * Known answer: every child spins MS of CPU time in child_spin and exits; the parent spins about as
 * much as all children together, in parent_spin, a piece after each eighth child, so that both
 * shares are far from 0 and 1. The pieces differ in length by more than it takes to make a child,
 * so that no sampling period is in step with them.
 * The children name themselves "stormling"; with "exec" each runs this program anew before.
 *
 * stdout: "children NS parent NS stormling NS child_spin NS parent_spin NS": the CPU time of both
 * by getrusage, that of the children from when they had their name, and what of it the two
 * functions took. These are what the shares of the weight have to match.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"

enum {
	COUNTERS_FD = 3, /* where those that exec find the shared counters */
	PIECE_EACH = 8,
};

/* What the children used before they had their name, and in child_spin; shared by all. */
static struct {
	uint64_t unnamed_ns, spun_ns;
} * shared;

static int share_counters(int fd)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return shared == MAP_FAILED ? -1 : 0;
}

SPINS(child_spin)
SPINS(parent_spin)

static void spin_by_name(uint64_t ns)
{
	uint64_t before;

	prctl(PR_SET_NAME, "stormling");
	before = thread_cpu_ns();
	shared->unnamed_ns += before;
	child_spin(ns);
	shared->spun_ns += thread_cpu_ns() - before;
}

static unsigned long long rusage_ns(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (unsigned long long)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ull +
	       (unsigned long long)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ull;
}

static void child(const char *ms, uint64_t ns, int do_exec)
{
	if (do_exec) {
		execl("/proc/self/exe", "stormling", "child", ms, (char *)NULL);
		_exit(127);
	}
	spin_by_name(ns);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "child") == 0) {
		if (share_counters(COUNTERS_FD))
			return 1;
		spin_by_name((uint64_t)(strtod(argv[2], NULL) * 1e6));
		return 0;
	}
	int children = (int)arg_num(argc, argv, 1, 500);
	const char *ms = argc > 2 ? argv[2] : "0.6";
	uint64_t ns = (uint64_t)(strtod(ms, NULL) * 1e6);
	int do_exec = argc > 3 && strcmp(argv[3], "exec") == 0;
	uint64_t parent_ns = 0;
	int fd = memfd_create("storm", 0);

	if (fd < 0 || dup2(fd, COUNTERS_FD) < 0 || ftruncate(COUNTERS_FD, 4096) ||
	    share_counters(COUNTERS_FD))
		return 1;

	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(ms, ns, do_exec);
		if (pid < 0)
			return 1;
		waitpid(pid, NULL, 0);
		if (i % PIECE_EACH != PIECE_EACH - 1)
			continue;
		uint64_t before = thread_cpu_ns();

		parent_spin(PIECE_EACH * ns * 2 * jitter() / 17);
		parent_ns += thread_cpu_ns() - before;
	}
	unsigned long long children_ns = rusage_ns(RUSAGE_CHILDREN);

	printf("children %llu parent %llu stormling %llu child_spin %llu parent_spin %llu\n",
	       children_ns, rusage_ns(RUSAGE_SELF), children_ns - shared->unnamed_ns,
	       (unsigned long long)shared->spun_ns, (unsigned long long)parent_ns);
	return 0;
}
