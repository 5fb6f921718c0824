// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/limits.h"

char *command__file(const char *name)
{
	const char *path = getenv("PATH");
	_cleanup_free_ char *all = xstrdup(path ? path : "/bin:/usr/bin");
	char *folder, *rest = all;

	if (strchr(name, '/'))
		return realpath(name, NULL);
	while ((folder = strsep(&rest, ":"))) {
		_cleanup_free_ char *file = xasprintf("%s/%s", *folder ? folder : ".", name);

		if (access(file, X_OK) == 0)
			return realpath(file, NULL);
	}
	return NULL;
}

/* In the child: the signal state that a program expects, then wait for the word. */
static void __attribute__((noreturn))
child(char *const argv[], int stdout_fd, int go_fd, int failed_fd)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigset_t none;
	int failure;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* while stopped, it must not outlive us */
	sigaction(SIGPIPE, &dfl, NULL);
	sigaction(SIGXFSZ, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (read(go_fd, &byte, 1) != 1)
		_exit(127);
	prctl(PR_SET_PDEATHSIG, 0);
	restore_limits();
	if (stdout_fd >= 0)
		dup2(stdout_fd, STDOUT_FILENO);
	execvp(argv[0], argv);
	failure = errno;
	if (write(failed_fd, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

int command__start(struct command *c, char *const argv[], int stdout_fd, struct err *err)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) < 0)
		return err__set(err, -errno, "can't start '%s': %s", argv[0], strerror(errno));
	if (pipe2(failed, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return err__set(err, -errno, "can't start '%s': %s", argv[0], strerror(errno));
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]); /* else our death would not end its read */
		child(argv, stdout_fd, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go_fd = go[1];
	c->failed_fd = failed[0];
	if (c->pid < 0) {
		c->pid = 0;
		return err__set(err, -errno, "can't start '%s': %s", argv[0], strerror(errno));
	}
	return 0;
}

/* "--timeline 10ms" is the option, and a command. */
static const char *hint(const char *name)
{
	uint64_t ns;

	return num__parse_time(name, 1, &ns) == 0 ?
		       " (if an option's value was meant: behind a =, as in --timeline=10ms)" :
		       "";
}

int command__go(struct command *c, const char *name, struct err *err)
{
	int failure = 0;
	ssize_t n;

	if (write(c->go_fd, "", 1) != 1)
		return err__set(err, -errno, "can't start '%s': %s", name, strerror(errno));
	cleanup_close(&c->go_fd);
	c->go_fd = -1;
	do {
		n = read(c->failed_fd, &failure, sizeof(failure)); /* 0: exec closed it */
	} while (n < 0 && errno == EINTR);
	cleanup_close(&c->failed_fd);
	c->failed_fd = -1;
	if (n != sizeof(failure))
		return 0;
	return err__set(err, -failure, "can't run '%s': %s%s", name, strerror(failure),
			failure == ENOENT ? hint(name) : "");
}

bool command__exited(struct command *c)
{
	if (!c->reaped && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->reaped = true;
	return c->reaped;
}

void command__terminate(struct command *c)
{
	if (!c->pid || c->reaped)
		return;
	cleanup_close(&c->go_fd);
	cleanup_close(&c->failed_fd);
	c->go_fd = c->failed_fd = -1;
	kill(c->pid, SIGTERM);
}

void command__wait(struct command *c)
{
	if (!c->pid || c->reaped)
		return;
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->reaped = true;
}

int command__exit_status(const struct command *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}
