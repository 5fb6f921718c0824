// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A recording goes on in steps, so that whoever has other descriptors to wait for can wait for all
 * of them. After a round that something else than its time has begun, the rings aren't looked at
 * for a moment: once woken, their epoll set stays readable as long as any sample arrives. What the
 * kernel tells of processes is taken meanwhile: one that lives for 2 ms has its files opened while
 * it lives.
 */
#include <poll.h>

#include "opener/opener.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/usage.h"

enum {
	ROUND_NS = 100 * 1000 * 1000,
	/* while stacks are being copied, because tables or programs aren't known yet */
	HURRY_NS = 25 * 1000 * 1000,
	REST_NS = 10 * 1000 * 1000,
	NEWS_NS = 1000 * 1000, /* between two looks at what processes do */
	MS = 1000 * 1000,
};

/* While it rests, only those before FD_TABLES are waited for, and descriptions. */
enum { FD_SIGNALS, FD_READER, FD_NEWS, FD_TABLES, FD_LARGE_TABLES, FD_RINGS, N_FDS };
_Static_assert((int)N_FDS == (int)SESSION_FDS, "what session__fds() fills in");

static void session__tick(struct session *s, uint64_t now)
{
	struct session_tick tick = {.elapsed_ns = now - s->start_ns};

	if (!s->opts->tick)
		return;
	for (size_t i = 0; i < s->opts->events->n; i++) {
		struct pmb_stats stats;

		if (s->opts->events->events[i].mode == EVENT_OVERFLOWS)
			tick.samples += s->assembly.books.events[i].decoded;
		tick.lost += s->assembly.books.events[i].no_memory;
		if (programs__stats(s->programs, i, &stats) < 0)
			continue;
		for (int k = 0; k < PMB_N_DROPS; k++)
			tick.lost += stats.dropped[k];
	}
	s->opts->tick(s->opts->tick_ctx, &tick);
}

int session__fds(struct session *s, uint64_t now, struct pollfd *fds)
{
	bool resting = now < s->when.rest_ns;
	uint64_t until = resting ? s->when.rest_ns : s->when.due_ns;

	fds[FD_SIGNALS] = (struct pollfd){.fd = s->opts->signals->fd, .events = POLLIN};
	fds[FD_READER] = (struct pollfd){.fd = s->opts->whom.reader_fd};
	fds[FD_NEWS] = (struct pollfd){.fd = -1, .events = POLLIN};
	fds[FD_TABLES] = fds[FD_LARGE_TABLES] = (struct pollfd){.fd = -1, .events = POLLIN};
	fds[FD_RINGS] = (struct pollfd){.fd = -1, .events = POLLIN};
	if (now >= s->when.news_ns)
		fds[FD_NEWS].fd = sideband__epoll_fd(s->sideband);
	else
		until = earlier(until, s->when.news_ns);
	for (size_t i = 0; s->unwind.tables && i < TABLES_HELPERS; i++) {
		if (!resting || tables__describes(s->unwind.tables, i))
			fds[FD_TABLES + i].fd = tables__fd(s->unwind.tables, i);
	}
	if (!resting)
		fds[FD_RINGS].fd = rings__epoll_fd(s->rings);
	until = earlier(until, session__window_probes_due(s));
	until = earlier(until, session__sliced_due(s));
	if (s->when.news_pace.share > 0)
		s->when.wait_cpu_ns = usage_thread_ns();
	if (s->opts->whom.duration_ns)
		until = earlier(until, s->start_ns + s->opts->whom.duration_ns);
	return until <= now || kernel_names__reading(s->opts->kernel) || session__allocs_due(s) ?
		       0 :
		       (int)((until - now + MS - 1) / MS);
}

int session__fds_until(struct session *s, uint64_t now, uint64_t until_ns, struct pollfd *fds)
{
	int ms = session__fds(s, now, fds);

	if (until_ns <= now)
		return 0;
	return (until_ns - now) / MS < (uint64_t)ms ? (int)((until_ns - now) / MS) + 1 : ms;
}

/* What looks cost that no round has asked for, with being woken; and when the next one may be. */
static void session__charge_look(struct session *s, uint64_t now)
{
	struct session_when *w = &s->when;
	uint64_t spent, until;

	w->news_ns = now + NEWS_NS;
	if (w->news_pace.share <= 0)
		return;
	spent = usage_thread_ns() - w->wait_cpu_ns;
	w->looks_cpu_ns += spent;
	until = pace__spend(&w->news_pace, now, spent);
	w->news_ns = until > w->news_ns ? until : w->news_ns;
}

void session__pace(struct session *s, uint64_t now, bool woken)
{
	bool hurry = s->assembly.dumps.hurry && !s->opts->patient;

	s->when.rest_ns = woken ? now + REST_NS : now;
	s->when.due_ns = now + (hurry ? HURRY_NS : ROUND_NS);
}

/* News of processes, and which runtime a file is, need none. */
static bool needs_round(const struct session *s, const struct pollfd *fds)
{
	for (int i = 0; i < SESSION_FDS; i++) {
		bool table = i == FD_TABLES || i == FD_LARGE_TABLES;

		if (fds[i].revents && i != FD_NEWS &&
		    !(table && tables__describes(s->unwind.tables, (size_t)i - FD_TABLES)))
			return true;
	}
	return false;
}

bool session__step(struct session *s, uint64_t now, const struct pollfd *fds)
{
	bool woken;

	if (s->stopped_ns)
		return false;
	opener__attended(s->opts->opener, now, true);
	if (session__time_is_up(s, now)) {
		session__stop(s);
		return false;
	}
	if (now >= session__window_probes_due(s))
		session__window_probes_look(s);
	if (now >= session__sliced_due(s))
		session__sliced_look(s);
	woken = needs_round(s, fds);
	if (!woken)
		session__describe(s);
	if (fds[FD_NEWS].revents && !woken) {
		session__news(s);
		session__charge_look(s, now);
	}
	session__allocs_work(s);
	if (!woken && now < s->when.due_ns) {
		kernel_names__read_on(s->opts->kernel);
		return !s->stopped_ns;
	}
	if (session__ended(s, fds[FD_READER].revents & POLLERR)) {
		session__stop(s);
		return false;
	}
	s->assembly.dumps.hurry = false;
	session__round(s, false);
	if (s->stopped_ns)
		return false;
	opener__attended(s->opts->opener, now_ns(), false);
	session__spend_round(s);
	session__arrivals_round(s);
	session__mapped_round(s);
	session__allocs_round(s);
	session__tick(s, now_ns());
	session__pace(s, now_ns(), woken);
	return !s->stopped_ns;
}
