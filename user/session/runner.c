// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/runner.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/reexec.h"

enum { START_MS = 10000 };

static int order_of(const char *program, unsigned limit_ms, struct runner_order *ret,
		    struct err *err)
{
	_cleanup_free_ char *here = NULL;
	int n;

	if (!strchr(program, '/'))
		return err__usage(err, "'%s' has no '/': say where it is (./%s)", program, program);
	here = *program == '/' ? NULL : get_current_dir_name();
	*ret = (struct runner_order){.limit_ms = limit_ms};
	n = snprintf(ret->program, sizeof(ret->program), "%s%s%s", here ? here : "",
		     here ? "/" : "", program);
	if (n < (int)sizeof(ret->program))
		return 0;
	return err__usage(err, "a program's name of more than %zu bytes", sizeof(ret->program) - 1);
}

static int refuse(const struct runner_reply *reply, const char *program, struct err *err)
{
	if (reply->outcome == RUNNER_READY)
		return 0;
	if (reply->outcome == RUNNER_CANNOT)
		return err__usage(err, "can't run '%s': %s", program, strerror(reply->value));
	if (reply->outcome == RUNNER_CANNOT_BECOME)
		return err__set(err, -EPERM, "can't run '%s' as who called this: %s", program,
				strerror(reply->value));
	return err__set(err, -EIO, "what runs '%s' doesn't start", program);
}

int runner__start(struct runner *r, const char *program, unsigned limit_ms, struct err *err)
{
	const struct reexec what = {.child = runner_main};
	struct runner_reply reply = {.outcome = RUNNER_GONE};
	struct runner_order order;
	int result = order_of(program, limit_ms, &order, err);

	*r = (struct runner){.sock = -1};
	if (result < 0)
		return result;
	result = reexec_start(&what, &r->pid, &r->sock);
	if (result < 0)
		return err__set(err, result, "can't start a process that runs '%s': %s", program,
				strerror(-result));
	r->pending = 1;
	if (send(r->sock, &order, sizeof(order), MSG_NOSIGNAL) == sizeof(order))
		runner__next(r, START_MS, &reply);
	result = refuse(&reply, program, err);
	if (result < 0)
		runner__done(r);
	return result;
}

static void gone(struct runner *r)
{
	cleanup_close(&r->sock);
	r->sock = -1;
}

void runner__run(struct runner *r, const struct buf *environment)
{
	r->pending++;
	if (r->sock >= 0 && send(r->sock, environment->data, environment->len,
				 MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)environment->len)
		gone(r);
}

bool runner__next(struct runner *r, unsigned wait_ms, struct runner_reply *ret)
{
	struct pollfd answer = {.fd = r->sock, .events = POLLIN};

	if (!r->pending)
		return false;
	if (r->sock >= 0 && poll(&answer, 1, (int)wait_ms) <= 0)
		return false;
	r->pending--;
	if (r->sock >= 0 &&
	    recv(r->sock, ret, sizeof(*ret), MSG_DONTWAIT) == (ssize_t)sizeof(*ret) &&
	    ret->outcome < RUNNER_GONE)
		return true;
	gone(r);
	*ret = (struct runner_reply){.outcome = RUNNER_GONE};
	return true;
}

void runner__done(struct runner *r)
{
	bool idle = !r->pending;

	if (!r->pid)
		return;
	gone(r);
	if (idle)
		waitpid(r->pid, NULL, 0);
	*r = (struct runner){.sock = -1};
}
