// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What asks servers may start threads, as its libraries do, and no process, however a library calls
 * that. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symd/fetch.h"

static void *nothing(void *ctx)
{
	return ctx;
}

static int a_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
}

static int a_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0;
}

static int after_the_filter(int (*deed)(void))
{
	int status = 0;
	pid_t pid = fork();

	cr_assert_geq(pid, 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || fetch_forbid_calls() < 0)
			_exit(99);
		_exit(deed());
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

Test(fetch_calls, threads_are_allowed)
{
	int status = after_the_filter(a_thread);

	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status 0x%x", status);
}

Test(fetch_calls, another_process_ends_it)
{
	int status = after_the_filter(a_process);

	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "status 0x%x", status);
}
