// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters that are open: enabled, and read into the cells of their rows. */
#include <string.h>
#include <sys/ioctl.h>

#include "session/counting_internal.h"

enum { PRESENCE_SLACK_NS = 1000000 };

int counting__enable(struct counting *c, struct err *err)
{
	bool on_exec = target__is_command(&c->opts->whom);
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_fds; i++) {
		if (c->fds[i].target.tid < 0 || !on_exec)
			r = perf_enable(c->fds[i].fd, err);
	}
	for (const struct presence *p = c->presences; r == 0 && p && !on_exec; p = p->hh.next)
		ioctl(p->fd, PERF_EVENT_IOC_ENABLE, 0);
	return r;
}

static void read_presences(struct counting *c)
{
	for (struct presence *p = c->presences; p; p = p->hh.next) {
		struct perf_count count = {0};

		perf_read(p->fd, &count);
		p->delta_ns = count.running_ns - p->before_ns;
		p->before_ns = count.running_ns;
	}
}

/* What it counted since it was read before, that long ago. */
static struct perf_count read_delta(struct counting_fd *fd, uint64_t span_ns)
{
	struct perf_count now, delta = {0};

	/* end of file: pinned, and no counter was free */
	if (perf_read(fd->fd, &now) < 0)
		return (struct perf_count){.enabled_ns = span_ns};
	delta.value = now.value - fd->before.value;
	delta.enabled_ns = now.enabled_ns - fd->before.enabled_ns;
	delta.running_ns = now.running_ns - fd->before.running_ns;
	fd->before = now;
	if (!fd->presence)
		return delta;
	delta.enabled_ns = fd->presence->delta_ns;
	/* the two are started and read one after the other */
	if (delta.running_ns + PRESENCE_SLACK_NS + delta.enabled_ns / 100 >= delta.enabled_ns)
		delta.enabled_ns = delta.running_ns;
	return delta;
}

void counting__read(struct counting *c, uint64_t to_ns)
{
	struct counts *counts = &c->result->counts;

	counts->from_ns = counts->to_ns;
	counts->to_ns = to_ns;
	memset(counts->cells, 0, counts->n_rows * counts->n_events * sizeof(*counts->cells));
	read_presences(c);
	for (size_t i = 0; i < c->n_fds; i++) {
		struct perf_count delta = read_delta(&c->fds[i], counts->to_ns - counts->from_ns);
		struct perf_count *cell =
			&counts->cells[c->fds[i].target.row * counts->n_events + c->fds[i].event];

		cell->value += delta.value;
		cell->enabled_ns += delta.enabled_ns;
		cell->running_ns += delta.running_ns;
	}
}
