// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program of the caller's: what it gets, what becomes of it, and of what it leaves behind. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "session/runner.h"
#include "sys/procfs.h"

enum { SOON_MS = 3000, LONG_MS = 60000, WAIT_MS = 120000 };

static char *folder;

static void make_folder(void)
{
	folder = xstrdup("/tmp/pmb-runner.XXXXXX");
	cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
	static const char *const names[] = {"program", "said", "pid"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, names[i]);

		unlink(path);
	}
	rmdir(folder);
	free(folder);
}

TestSuite(runner, .init = make_folder, .fini = remove_folder, .timeout = 60);

static char *in_folder(const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

/* $F is the folder. */
static char *program(const char *text, mode_t mode)
{
	char *path = in_folder("program");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	_cleanup_free_ char *all = xasprintf("#!/bin/sh\nF=%s\n%s\n", folder, text);

	cr_assert_eq(write(fd, all, strlen(all)), (ssize_t)strlen(all));
	fchmod(fd, mode);
	close(fd);
	return path;
}

static void started(struct runner *r, const char *text, unsigned limit_ms)
{
	_cleanup_free_ char *path = program(text, 0700);
	struct err err = {0};

	cr_assert_eq(runner__start(r, path, limit_ms, &err), 0, "%s", err.text);
}

static void ask(struct runner *r)
{
	_cleanup_(buf__done) struct buf environment = {0};

	buf__add(&environment, "PATH=/usr/bin:/bin", sizeof("PATH=/usr/bin:/bin"));
	buf__add(&environment, "A=one; $(two)", sizeof("A=one; $(two)"));
	runner__run(r, &environment);
}

static struct runner_reply answer(struct runner *r)
{
	struct runner_reply reply;

	cr_assert(runner__next(r, WAIT_MS, &reply), "no answer");
	return reply;
}

static struct runner_reply outcome_of(const char *text, unsigned limit_ms)
{
	struct runner_reply reply;
	struct runner r;

	started(&r, text, limit_ms);
	ask(&r);
	reply = answer(&r);
	runner__done(&r);
	return reply;
}

static char *said(void)
{
	_cleanup_free_ char *path = in_folder("said");
	char *text = file_read(path);

	cr_assert(text, "it has said nothing");
	return text;
}

/* Whose number a program has left in "pid". */
static void expect_gone(void)
{
	_cleanup_free_ char *path = in_folder("pid");
	uint64_t pid = file_read_u64(path, 0);

	cr_assert(pid, "no number was left");
	for (int i = 0; i < 1000 && kill((pid_t)pid, 0) == 0; i++)
		usleep(10000);
	cr_expect(kill((pid_t)pid, 0) < 0 && errno == ESRCH, "%d is still there", (int)pid);
}

Test(runner, its_environment_is_what_it_is_given)
{
	struct runner_reply reply;

	setenv("SECRET", "1", 1);
	reply = outcome_of("tr '\\0' '\\n' </proc/$$/environ >$F/said", LONG_MS);
	cr_expect_eq(reply.outcome, RUNNER_ENDED);
	cr_expect_eq(reply.value, 0);
	cr_expect_str_eq(said(), "PATH=/usr/bin:/bin\nA=one; $(two)\n");
}

/* A shell has its script open besides, as number 10 or 255. */
Test(runner, it_has_no_descriptors_of_ours)
{
	cr_assert(dup2(STDIN_FILENO, 50) == 50 && dup2(STDIN_FILENO, 60) == 60);
	outcome_of(
		"a=; for fd in 3 4 5 6 7 50 60; do [ ! -e /proc/$$/fd/$fd ] || a=\"$a $fd\"; done\n"
		"b=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2; pwd)\n"
		"echo \"$b$a\" >$F/said",
		LONG_MS);
	cr_expect_str_eq(said(), "/dev/null\n/dev/null\n/dev/null\n/\n");
}

Test(runner, it_has_no_capabilities_and_gets_none)
{
	outcome_of("exec sed -n '/^Cap\\|^NoNew\\|^SigBlk/s/[[:space:]]//gp' /proc/self/status "
		   ">$F/said",
		   LONG_MS);
	cr_expect(strstr(said(), "CapInh:0000000000000000\nCapPrm:0000000000000000\n"
				 "CapEff:0000000000000000\n"));
	cr_expect(strstr(said(), "CapAmb:0000000000000000\nNoNewPrivs:1\n"));
	cr_expect(strstr(said(), "SigBlk:0000000000000000\n"));
	if (geteuid() == 0)
		cr_expect(strstr(said(), "CapBnd:0000000000000000\n"));
}

Test(runner, how_it_ended)
{
	struct runner_reply reply = outcome_of("exit 3", LONG_MS);

	cr_expect_eq(reply.outcome, RUNNER_ENDED);
	cr_expect_eq(WEXITSTATUS(reply.value), 3);
	reply = outcome_of("kill -KILL $$", LONG_MS);
	cr_expect_eq(reply.outcome, RUNNER_ENDED);
	cr_expect(WIFSIGNALED(reply.value) && WTERMSIG(reply.value) == SIGKILL);
}

static void expect_refused(const char *path, const char *words)
{
	struct err err = {0};
	struct runner r;

	cr_expect_lt(runner__start(&r, path, LONG_MS, &err), 0, "%s", path);
	cr_expect(strstr(err.text, words), "%s", err.text);
	cr_expect_eq(r.pid, 0);
}

Test(runner, what_cannot_be_run_is_refused)
{
	_cleanup_free_ char *path = program("", 0600), *missing = in_folder("missing");
	_cleanup_free_ char *too_long = xcalloc(5000, 1);

	memset(too_long, '/', 4999);
	expect_refused(path, "program': Permission denied");
	expect_refused(missing, "missing': No such file or directory");
	expect_refused(folder, "': Is a directory");
	expect_refused("true", "has no '/': say where it is (./true)");
	expect_refused(too_long, "more than 4095 bytes");
	expect_refused("/dev/null", "': Permission denied");
}

/* It was there in the evening. */
Test(runner, what_cannot_be_run_any_more_is_said)
{
	_cleanup_free_ char *path = in_folder("program");
	struct runner_reply reply;
	struct runner r;

	started(&r, "", LONG_MS);
	unlink(path);
	ask(&r);
	reply = answer(&r);
	cr_expect_eq(reply.outcome, RUNNER_CANNOT);
	cr_expect_eq(reply.value, ENOENT);
	free(program("", 0600));
	ask(&r);
	cr_expect_eq(answer(&r).value, EACCES);
	cr_assert_eq(truncate(path, 0), 0);
	chmod(path, 0700);
	ask(&r);
	cr_expect_eq(answer(&r).value, ENOEXEC);
	runner__done(&r);
}

Test(runner, a_path_is_from_where_we_are)
{
	struct runner_reply reply;
	struct err err = {0};
	struct runner r;

	free(program("exit 5", 0700));
	cr_assert_eq(chdir(folder), 0);
	cr_assert_eq(runner__start(&r, "./program", LONG_MS, &err), 0, "%s", err.text);
	cr_assert_eq(chdir("/"), 0);
	ask(&r);
	reply = answer(&r);
	cr_expect_eq(WEXITSTATUS(reply.value), 5);
	runner__done(&r);
}

Test(runner, one_that_ignores_signals_is_killed)
{
	struct runner_reply reply = outcome_of("echo $$ >$F/pid\n"
					       "trap '' TERM INT HUP\nwhile :; do sleep 9; done",
					       SOON_MS);

	cr_expect_eq(reply.outcome, RUNNER_KILLED);
	expect_gone();
}

Test(runner, what_has_forked_away_is_killed)
{
	struct runner_reply reply = outcome_of("(setsid sh -c 'echo $$ >$0/pid; trap \"\" TERM\n"
					       "while :; do sleep 9; done' $F &)\n"
					       "while [ ! -s $F/pid ]; do sleep 0.01; done",
					       SOON_MS);

	cr_expect_eq(reply.outcome, RUNNER_KILLED);
	expect_gone();
}

/* As long as what it has started runs, it does. */
Test(runner, what_has_forked_away_may_end_in_time)
{
	struct runner_reply reply = outcome_of("(setsid sh -c 'sleep 0.3; echo late >$0/said' $F "
					       "&)\nexit 7",
					       LONG_MS);

	cr_expect_eq(reply.outcome, RUNNER_ENDED);
	cr_expect_eq(WEXITSTATUS(reply.value), 7);
	cr_expect_str_eq(said(), "late\n");
}

Test(runner, one_that_writes_endlessly_is_killed)
{
	struct runner_reply reply = outcome_of("echo $$ >$F/pid; exec yes", SOON_MS);

	cr_expect_eq(reply.outcome, RUNNER_KILLED);
	expect_gone();
}

Test(runner, one_at_a_time)
{
	struct runner r;

	started(&r, "while [ ! -e $F/pid ]; do sleep 0.01; done", LONG_MS);
	ask(&r);
	ask(&r);
	ask(&r);
	cr_expect_eq(r.pending, 3);
	cr_expect_eq(answer(&r).outcome, RUNNER_BUSY);
	cr_expect_eq(answer(&r).outcome, RUNNER_BUSY);
	{
		_cleanup_free_ char *path = in_folder("pid");

		close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	}
	cr_expect_eq(answer(&r).outcome, RUNNER_ENDED);
	cr_expect_eq(r.pending, 0);
	ask(&r);
	cr_expect_eq(answer(&r).outcome, RUNNER_ENDED, "and then the next");
	runner__done(&r);
}

/* Nobody asks any more, and it is killed all the same. */
Test(runner, it_does_not_outlive_us_for_long)
{
	struct runner r;

	started(&r, "echo $$ >$F/pid; exec sleep 100", SOON_MS);
	ask(&r);
	for (int i = 0; i < 1000; i++) {
		_cleanup_free_ char *path = in_folder("pid");

		if (file_read_u64(path, 0))
			break;
		usleep(10000);
	}
	runner__done(&r);
	expect_gone();
}

Test(runner, its_process_may_go)
{
	struct runner_reply reply;
	struct runner r;

	started(&r, "", LONG_MS);
	kill(r.pid, SIGKILL);
	waitpid(r.pid, NULL, 0);
	ask(&r);
	ask(&r);
	reply = answer(&r);
	cr_expect_eq(reply.outcome, RUNNER_GONE);
	reply = answer(&r);
	cr_expect_eq(reply.outcome, RUNNER_GONE);
	cr_expect_not(runner__next(&r, 0, &reply));
	runner__done(&r);
}
