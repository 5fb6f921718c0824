// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/watching.h"

#include <stdlib.h>

#include "base/mem.h"
#include "session/counting_internal.h"
#include "sys/clock.h"

struct watching {
	struct counting counting;
};

static int open_all(struct counting *c, struct err *err)
{
	int r = cpus__online(&c->online, err);

	if (r == 0)
		r = tasks__watch(&c->tasks, err);
	/* all terms may be of other targets */
	if (r == 0 && c->opts->events->n)
		r = counting__open(c, err);
	if (r == 0)
		r = counting_beside__open(c, err);
	if (r == 0)
		r = counting__enable(c, err);
	return r == 0 ? counting_beside__enable(c, err) : r;
}

int watching__open(struct watching **ret, const struct counting_opts *opts, pid_t command,
		   struct counting_result *result, struct err *err)
{
	struct watching *w = xcalloc(1, sizeof(*w));
	int r;

	w->counting = (struct counting){
		.opts = opts,
		.result = result,
		.tasks = {.whom = &opts->whom},
		.signals = {.fd = -1},
	};
	counting_result__begin(result, opts->events);
	result->command.pid = command;
	w->counting.start_ns = now_ns();
	r = open_all(&w->counting, err);
	if (r == 0) {
		*ret = w;
		return 0;
	}
	watching__free(w);
	counting_result__done(result);
	return r;
}

void watching__read(struct watching *w, uint64_t now)
{
	counting__read(&w->counting, now - w->counting.start_ns);
	counting_beside__read(&w->counting, now - w->counting.start_ns);
}

struct watching *watching__free(struct watching *w)
{
	if (!w)
		return NULL;
	counting_beside__close(&w->counting);
	counting__close(&w->counting);
	tasks__done(&w->counting.tasks);
	cpus__done(&w->counting.online);
	free(w);
	return NULL;
}
