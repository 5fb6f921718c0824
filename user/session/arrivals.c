// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CPUs that come online while it goes on. The kernel has no events for those that are offline, and
 * takes those of a CPU that goes away for good: so one that comes back is as new. What had been
 * counted there stays in the books.
 *
 * By then this process may open no counter any more: the opener's spawner does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/procfs.h"

enum { LIST_MAX = 4096 }; /* sysfs gives a page at most */

struct arrivals {
	int fd;              /* what the kernel says is online; -1: it doesn't say */
	char text[LIST_MAX]; /* …and said last */
	struct cpus online;
};

/* What is online, where that has changed. */
static bool news(struct arrivals *a, struct cpus *ret)
{
	char text[LIST_MAX];
	ssize_t n = a->fd < 0 ? -1 : pread(a->fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (strcmp(text, a->text) == 0 || cpus__parse(text, ret) < 0)
		return false;
	memcpy(a->text, text, (size_t)n + 1);
	return true;
}

void session__arrivals_begin(struct session *s)
{
	struct arrivals *a = xcalloc(1, sizeof(*a));

	a->fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	s->arrivals = a;
	a->online.n = s->online.n;
	a->online.cpu = xcalloc((size_t)s->online.n, sizeof(*a->online.cpu));
	memcpy(a->online.cpu, s->online.cpu, (size_t)s->online.n * sizeof(*a->online.cpu));
}

/* Counters of CPUs that came are the last. */
bool session__any_came(const struct session *s)
{
	return s->counters.n && s->counters.list[s->counters.n - 1].since_ns;
}

bool session__has_successor(const struct session *s, size_t at)
{
	const struct counter *c = &s->counters.list[at];

	for (size_t i = at + 1; session__any_came(s) && c->tid < 0 && i < s->counters.n; i++) {
		const struct counter *other = &s->counters.list[i];

		if (other->since_ns && other->event == c->event && other->cpu == c->cpu)
			return true;
	}
	return false;
}

void session__forget_succeeded(struct session *s)
{
	size_t kept = 0, n = session__any_came(s) ? s->counters.n : 0;

	for (size_t i = 0; i < n; i++) {
		if (session__has_successor(s, i))
			cleanup_close(&s->counters.list[i].fd);
		else
			s->counters.list[kept++] = s->counters.list[i];
	}
	s->counters.n = n ? kept : s->counters.n;
}

static bool was_watched(const struct session *s, int cpu)
{
	for (size_t i = 0; i < s->counters.n; i++) {
		if (s->counters.list[i].tid < 0 && s->counters.list[i].cpu == cpu)
			return true;
	}
	return false;
}

/* Its idle time before is none of ours. */
static void note_idle(struct session *s, int cpu)
{
	_cleanup_free_ uint64_t *idle = xcalloc((size_t)s->n_cpus, sizeof(*idle));

	if (procfs_idle_ns(idle, s->n_cpus) == 0 && cpu < s->n_cpus)
		s->idle_before[cpu] = idle[cpu];
}

static int give_ring(struct session *s, int cpu)
{
	bool had = cpu < programs__n_cpus(s->programs) && programs__ring_fd(s->programs, cpu) >= 0;
	int r = programs__add_ring(s->programs, cpu);

	return r < 0 || had ? r : rings__add_cpu(s->rings, s->programs, cpu);
}

static int open_for(void *ctx, const struct perf_event_attr *attr, int cpu)
{
	return opener__cpu_counter(ctx, attr, cpu, -1);
}

static int open_counters(struct session *s, int cpu)
{
	const struct cpus one = {.cpu = &cpu, .n = 1};
	_cleanup_free_ int *opened = xcalloc(s->opts->events->n, sizeof(*opened));
	struct counters fresh = {0};
	size_t first = s->counters.n;
	int r = session__open_on(s, &one, true, opened, NULL);

	if (r < 0) {
		for (size_t i = first; i < s->counters.n; i++)
			cleanup_close(&s->counters.list[i].fd);
		s->counters.n = first;
		return r;
	}
	for (size_t i = first; i < s->counters.n; i++)
		s->counters.list[i].since_ns = now_ns();
	sideband__watch_throttling(s->sideband, &s->counters, first);
	fresh.list = s->counters.list + first;
	fresh.n = s->counters.n - first;
	return counters__enable(&fresh, NULL);
}

/* With -C only those that were asked for; what follows tasks needs a ring everywhere. */
static void came(struct session *s, int cpu)
{
	bool sampled = !s->opts->whom.cpus || cpus__has(s->opts->whom.cpus, cpu);
	struct buf *notes = &s->result->notes;
	int r = cpu < s->n_cpus ? give_ring(s, cpu) : -ERANGE;

	if (r == 0 && sampled) {
		bool is_new = !was_watched(s, cpu);

		if (is_new)
			note_idle(s, cpu);
		r = open_counters(s, cpu);
		if (r == 0 && is_new)
			session__spend_on_another(s);
	}
	if (r < 0) {
		buf__printf(notes, "CPU %d came online and is not sampled: %s\n", cpu,
			    r == -ENOBUFS ? "the rings already take all the memory they may" :
					    strerror(-r));
		return;
	}
	r = sideband__add_cpu(s->sideband, cpu, open_for, s->opts->opener);
	if (r < 0)
		buf__printf(
			notes,
			"CPU %d came online; programs that start there aren't seen (%s) and may lack "
			"names\n",
			cpu, strerror(-r));
}

void session__arrivals_round(struct session *s)
{
	struct cpus online;

	if (!news(s->arrivals, &online))
		return;
	session__news(s); /* what rings of a CPU that went have left */
	for (int i = 0; i < online.n; i++) {
		if (!cpus__has(&s->arrivals->online, online.cpu[i]))
			came(s, online.cpu[i]);
	}
	cpus__done(&s->arrivals->online);
	s->arrivals->online = online;
}

void session__arrivals_free(struct session *s)
{
	if (!s->arrivals)
		return;
	cleanup_close(&s->arrivals->fd);
	cpus__done(&s->arrivals->online);
	free(s->arrivals);
	s->arrivals = NULL;
}
