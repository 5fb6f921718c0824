// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"

void signals__ignore_of_files(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGPIPE, &ignore, NULL); /* a reader that has gone is an EPIPE, not our end */
	sigaction(SIGXFSZ, &ignore, NULL); /* and ulimit -f an EFBIG */
}

int signals__catch(struct signals *s, struct err *err)
{
	struct sigaction hangup;
	sigset_t ours;

	signals__ignore_of_files();
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	/* What is blocked comes, even if it is ignored: right for a shell's background job, which
	 * is asked by kill -INT; wrong under nohup. */
	if (!s->spare_hangup &&
	    (sigaction(SIGHUP, NULL, &hangup) < 0 || hangup.sa_handler != SIG_IGN))
		sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &ours, &s->before) < 0)
		return err__set(err, -errno, "can't block signals: %s", strerror(errno));
	s->fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return err__set(err, -errno, "can't receive signals: %s", strerror(errno));
	return 0;
}

int signals__next(const struct signals *s)
{
	struct signalfd_siginfo info;

	return read(s->fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

int signals__hangup_fd(bool *ret_ignored)
{
	struct sigaction before;
	sigset_t hangup;
	int fd;

	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	*ret_ignored = sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
	if (sigprocmask(SIG_BLOCK, &hangup, NULL) < 0)
		return -errno;
	fd = signalfd(-1, &hangup, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals__more_fd(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals__release(struct signals *s)
{
	if (s->fd < 0)
		return;
	while (signals__next(s))
		;
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	cleanup_close(&s->fd);
	s->fd = -1;
}
