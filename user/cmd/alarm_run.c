// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/alarm_run.h"

#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"

/* Beyond its limit: what has been killed may take a moment to be gone. */
enum { GRACE_S = 3 };

int alarm_run__start(struct alarm_run *run, struct err *err)
{
	return run->program ? runner__start(&run->runner, run->program, ALARM_RUN_S * 1000, err) :
			      0;
}

void alarm_run__raised(struct alarm_run *run, const struct alarm_figures *f)
{
	_cleanup_(buf__done) struct buf environment = {0};

	if (!run->program)
		return;
	run->alarms++;
	buf__printf(&environment, "PATH=/usr/local/bin:/usr/bin:/bin%c", '\0');
	buf__printf(&environment, "PMUBPF_RELATION=%s%c", f->relation, '\0');
	buf__printf(&environment, "PMUBPF_AT_S=%.3f%c", f->at_s, '\0');
	buf__printf(&environment, "PMUBPF_SINCE_S=%.3f%c", f->since_s, '\0');
	buf__printf(&environment, "PMUBPF_PERCENT=%.1f%c", f->percent, '\0');
	runner__run(&run->runner, &environment);
}

static void tell_end(struct alarm_run *run, int status, struct buf *talk)
{
	run->ended++;
	if (WIFSIGNALED(status))
		buf__printf(talk, "--alarm-run: '%s' was ended by signal %d\n", run->program,
			    WTERMSIG(status));
	else if (WEXITSTATUS(status))
		buf__printf(talk, "--alarm-run: '%s' ended with status %d\n", run->program,
			    WEXITSTATUS(status));
}

static void tell(struct alarm_run *run, const struct runner_reply *reply, struct buf *talk)
{
	switch (reply->outcome) {
	case RUNNER_ENDED:
		tell_end(run, reply->value, talk);
		return;
	case RUNNER_KILLED:
		run->killed++;
		buf__printf(talk,
			    "--alarm-run: '%s', or what it had started, was still there after %d "
			    "s: killed\n",
			    run->program, ALARM_RUN_S);
		return;
	case RUNNER_BUSY:
		run->busy++;
		buf__printf(
			talk,
			"--alarm-run: '%s' is not run, for it still runs for the alarm before\n",
			run->program);
		return;
	case RUNNER_CANNOT:
		run->failed++;
		buf__printf(talk, "--alarm-run: can't run '%s': %s\n", run->program,
			    strerror(reply->value));
		return;
	default:
		run->failed++;
		buf__printf(talk,
			    "--alarm-run: '%s' is not run, for the process that runs it has gone\n",
			    run->program);
	}
}

void alarm_run__tell(struct alarm_run *run, struct buf *talk)
{
	struct runner_reply reply;

	while (run->program && runner__next(&run->runner, 0, &reply))
		tell(run, &reply, talk);
}

void alarm_run__finish(struct alarm_run *run, struct buf *talk)
{
	struct runner_reply reply;

	if (!run->program || !run->alarms)
		return;
	while (runner__next(&run->runner, (ALARM_RUN_S + GRACE_S) * 1000, &reply))
		tell(run, &reply, talk);
	buf__printf(talk, "--alarm-run: '%s': alarms: %zu; runs: %zu", run->program, run->alarms,
		    run->ended + run->killed + run->runner.pending);
	if (run->killed)
		buf__printf(talk, "; killed after %d s: %zu", ALARM_RUN_S, run->killed);
	if (run->busy)
		buf__printf(talk, "; not run, for one was running: %zu", run->busy);
	if (run->failed)
		buf__printf(talk, "; could not be run: %zu", run->failed);
	if (run->runner.pending)
		buf__printf(talk, "; can't be ended: %zu", run->runner.pending);
	buf__putc(talk, '\n');
}

void alarm_run__done(struct alarm_run *run)
{
	if (run->program)
		runner__done(&run->runner);
}
