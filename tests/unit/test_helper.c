// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The helper as a process: when it is replaced, whose fault it is that it is late, and that it ends
 * with its client. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_helper.h"
#include "sym/helper.h"
#include "symd/protocol.h"
#include "symd/symd.h"
#include "sys/clock.h"
#include "sys/usage.h"

TestSuite(helper, .timeout = 60);

/* A limit of CPU time is one of a process: each file has to have its share. */
Test(helper, a_tired_helper_makes_room)
{
	struct helper h;
	pid_t first;

	helper__init(&h, symd_main);
	cr_assert_eq(helper__start(&h, now_ns() + 5000000000ULL), 0);
	first = h.pid;
	cr_assert_eq(helper__start(&h, now_ns() + 5000000000ULL), 0);
	cr_expect_eq(h.pid, first);
	h.worked_ns = (HELPER_WORK_S + 1) * 1000000000ULL;
	cr_assert_eq(helper__start(&h, now_ns() + 5000000000ULL), 0);
	cr_expect_neq(h.pid, first);
	cr_expect_eq(h.worked_ns, 0);
	helper__done(&h);
}

/* Work for a CPU that others have, too: what it waits for is not its fault. Without others all
 * is. */
static int spin_at_once(int sock)
{
	(void)sock;
	for (;;)
		;
	return 0;
}

static pid_t spin_on(int cpu)
{
	pid_t pid = fork();
	cpu_set_t one;

	if (pid == 0) {
		CPU_ZERO(&one);
		CPU_SET((unsigned)cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin_at_once(-1);
	}
	cr_assert_gt(pid, 0);
	return pid;
}

/* How much later than its deadline a request is late, of a helper that has waited for a CPU for
 * so long at least. */
Test(helper, waiting_for_a_cpu_is_no_fault)
{
	enum { OTHERS = 4, LEAST_MS = 100, MS = 1000000 };
	uint64_t asked, delayed = 0;
	pid_t others[OTHERS];
	struct helper h;
	int cpu = sched_getcpu();

	helper__init(&h, NULL);
	h.pid = spin_on(cpu);
	helper__begin(&h, SYMD_BUILD_TABLE);
	asked = now_ns();
	cr_expect(helper__is_late(&h, asked - 50 * MS), "nobody has kept it waiting");
	for (int i = 0; i < OTHERS; i++)
		others[i] = spin_on(cpu);
	while (delayed < (uint64_t)LEAST_MS * MS && now_ns() < asked + 20000ULL * MS) {
		usleep(5000);
		delayed = usage_delayed_ns(h.pid) - h.delayed_ns;
	}
	for (int i = 0; i < OTHERS; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	cr_expect_geq(delayed, (uint64_t)LEAST_MS * MS, "the kernel counts no delays");
	cr_expect(!helper__is_late(&h, now_ns() - LEAST_MS / 2 * MS), "it had less than its time");
	cr_expect(helper__is_late(&h, asked - 40000ULL * MS), "nobody waits for ever");
	helper__done(&h);
}

/* What it has cost doesn't become less while one that was given up still dies. */
Test(helper, who_dies_has_cost_what_it_has)
{
	enum { LEAST_MS = 30, MS = 1000000 };
	int cpu = sched_getcpu();
	uint64_t before;
	struct helper h;
	cpu_set_t one;

	/* it can't die before this one waits */
	CPU_ZERO(&one);
	CPU_SET((unsigned)cpu, &one);
	cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	helper__init(&h, NULL);
	h.pid = spin_on(cpu);
	while (helper__cpu_ns(&h) < (uint64_t)LEAST_MS * MS)
		usleep(5000);
	before = helper__cpu_ns(&h);
	helper__abandon(&h);
	cr_expect_geq(helper__cpu_ns(&h), before - MS, "just killed");
	do {
		usleep(5000);
		helper__done(&h);
	} while (h.n_dying);
	cr_expect_geq(helper__cpu_ns(&h), before - MS, "gone");
}

/* A client that is killed takes its helper along, even a hanging one. */
static int hang_at_once(int sock)
{
	say_hello(sock);
	while (pause() < 0)
		;
	return 0;
}

Test(helper, kill_leaves_no_helper)
{
	struct helper h;
	int pipes[2];
	pid_t client, helper = 0;

	cr_assert_eq(pipe(pipes), 0);
	client = fork();
	if (client == 0) {
		helper__init(&h, hang_at_once);
		if (helper__start(&h, now_ns() + 5000000000ULL) < 0 ||
		    write(pipes[1], &h.pid, sizeof(h.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(pipes[0], &helper, sizeof(helper)), (ssize_t)sizeof(helper));
	cr_assert_eq(kill(helper, 0), 0);
	kill(client, SIGKILL);
	waitpid(client, NULL, 0);
	for (int i = 0; i < 200; i++) {
		char path[64], state[512] = "";
		int fd;

		/* Gone, or a zombie that nobody here can reap. */
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)helper);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			return;
		if (read(fd, state, sizeof(state) - 1) > 0 && strstr(state, ") Z "))
			return;
		close(fd);
		usleep(10000);
	}
	cr_assert_fail("the helper still runs");
}

/* What a client has open is its files: those may be all that it may have. */
Test(helper, starts_at_the_limit_of_descriptors)
{
	struct rlimit limit = {.rlim_cur = 32, .rlim_max = 32};
	struct helper h;
	int last, before = -1;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	helper__init(&h, hang_at_once);
	while ((last = open("/dev/null", O_RDONLY)) >= 0)
		before = last;
	cr_assert_eq(errno, EMFILE);
	close(before); /* the pair of sockets' */
	close(before - 1);
	cr_expect_eq(helper__start(&h, now_ns() + 5000000000ULL), 0);
	helper__done(&h);
}
