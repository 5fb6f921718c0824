// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pmubpf agent: one recording that goes on, kept as windows in a folder. The hard thing is that
 * nothing but its own end may end it: a disk that is full or hangs is another process's trouble
 * (spool/writer.h), and windows wait for it in memory, up to a bound.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/agent_alarms.h"
#include "cmd/agent_args.h"
#include "cmd/cmd.h"
#include "cmd/held_up.h"
#include "cmd/live.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "cmd/remarks.h"
#include "cmd/schema_arg.h"
#include "cmd/window_remarks.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "render/escape.h"
#include "session/signals.h"
#include "ship/keeper.h"
#include "spool/writer.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/no_network.h"
#include "sys/notify.h"
#include "sys/processor.h"
#include "sys/procfs.h"

enum { DRAIN_MS = 20000, DURATION_DIGITS = 32 };

struct agent {
	struct agent_args args;
	struct writer writer;
	struct keeper keeper;
	struct agent_metrics metrics;
	struct agent_alarms alarms;
	struct notify notify;
	struct processor_counts processor;
	struct held_up held_up; /* since the window began */
	char boot[BOOT_ID_SIZE];
	struct live *live;
	int timer;
	int wake;   /* an epoll: the timer, and news of senders */
	int hangup; /* readable: SIGHUP has come */
	bool hangup_ignored, ended;
	bool in_trouble, keeper_missed, ends_for_keeper;
	struct agent_total {
		uint64_t seen, in_windows, lost;
	} * totals; /* per event */
	uint64_t windows;
};

/* ---------------------------------------------------------------- what is said */

static void say_port(const struct agent *g)
{
	if (g->metrics.port && !g->args.sampling.quiet)
		fprintf(stderr, "pmubpf: --metrics answers on port %u\n", g->metrics.port);
}

static void say_start(const struct agent *g)
{
	const struct writer *w = &g->writer;

	if (w->there.leftovers)
		fprintf(stderr,
			"pmubpf: %" PRIu64 " file(s) that an agent was just writing when it was "
			"killed: removed\n",
			w->there.leftovers);
	if (!g->args.sampling.quiet)
		fprintf(stderr,
			"pmubpf: a window each %.6g s into '%s', which has %" PRIu64
			" (%.1f MB); Ctrl-C ends it\n",
			(double)g->args.every_ns / 1e9, g->args.dir, w->there.windows,
			(double)w->there.bytes / 1e6);
	say_port(g);
}

/* Once when it begins, and once when it is over. */
static void say_trouble(struct agent *g)
{
	const struct writer *w = &g->writer;
	bool trouble = w->trouble < 0;

	if (trouble == g->in_trouble || (!trouble && w->busy))
		return;
	g->in_trouble = trouble;
	if (w->trouble == -EFBIG)
		fprintf(stderr,
			"pmubpf: a window is larger than --max-disk and is lost; a longer one "
			"isn't kept either\n");
	else if (trouble)
		fprintf(stderr,
			"pmubpf: can't write to '%s': %s; the recording goes on, and windows wait "
			"in memory, up to %.0f MB\n",
			g->args.dir, strerror(-w->trouble), (double)w->max_bytes / 1e6);
	else
		fprintf(stderr, "pmubpf: windows are written again; %" PRIu64 " were lost so far\n",
			w->lost);
}

static void say_lines(const struct buf *text)
{
	const char *at = text->len ? text->data : "";

	for (const char *end; (end = strchr(at, '\n')); at = end + 1)
		fprintf(stderr, "pmubpf: %.*s\n", (int)(end - at), at);
}

static void say_destinations(const struct agent *g)
{
	_cleanup_(buf__done) struct buf text = {0};

	agent_to__print(&g->args.to, &g->keeper, &text);
	if (!g->args.sampling.quiet)
		say_lines(&text);
}

/* For `systemctl status`, and whoever asks as it does. */
static void say_status(const struct agent *g)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (!g->keeper.n)
		return;
	buf__printf(&text, "STATUS=%" PRIu64 " windows written, %" PRIu64 " lost; ",
		    g->writer.written, g->writer.lost);
	agent_to__print(&g->args.to, &g->keeper, &text);
	for (char *c = text.data; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	notify__say(&g->notify, text.data);
}

/*
 * None can be started without the network. Who was started by a service manager ends, and is
 * started again by that, with senders; else the recording goes on, and windows are there for the
 * next one.
 */
static void miss_keepers(struct agent *g)
{
	g->keeper_missed = true;
	if (g->keeper.n && g->notify.sock >= 0) {
		g->ended = g->ends_for_keeper = true;
		return;
	}
	fprintf(stderr,
		"pmubpf: both processes that keep senders were ended, and none can be started "
		"without the network: restart the agent%s\n",
		g->keeper.n ? "; windows wait in the folder" : " before another server is named");
}

static void take_news_of_senders(struct agent *g)
{
	keeper__step(&g->keeper);
	keeper__watch(&g->keeper, g->wake);
	if (keeper__is_over(&g->keeper) && !g->keeper_missed)
		miss_keepers(g);
}

static void say_end(const struct agent *g)
{
	const struct event_list *events = &g->args.sampling.events;
	const struct writer *w = &g->writer;
	_cleanup_(buf__done) struct buf text = {0};

	buf__printf(&text,
		    "pmubpf: %" PRIu64 " windows written, %" PRIu64 " lost; removed: %" PRIu64
		    " too old, %" PRIu64 " for --max-disk\n",
		    w->written, w->lost + w->n, w->there.expired, w->there.over);
	for (size_t i = 0; i < events->n; i++) {
		const struct agent_total *t = &g->totals[i];

		if (events->events[i].added)
			continue;
		buf__puts(&text, "pmubpf: ");
		escape_name(&text, events->events[i].name);
		buf__printf(&text,
			    ": %" PRIu64 " overflows, %" PRIu64 " samples in windows, %" PRIu64
			    " lost\n",
			    t->seen, t->in_windows, t->lost);
	}
	if (!g->args.sampling.quiet)
		fputs(text.data, stderr);
	say_destinations(g);
}

/* ---------------------------------------------------------------- windows */

static void add_up(struct agent *g, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_events; i++) {
		const struct ledger_event *e = &ledger->events[i];

		g->totals[i].seen += e->kernel.seen;
		g->totals[i].in_windows += e->aggregated;
		g->totals[i].lost += ledger_event__dropped(e);
	}
}

static void add_remarks_of_window(struct agent *g, const struct part *part, uint64_t seq)
{
	const struct window_span span = {
		.id.seq = seq,
		.begin_ns = part->begin_ns,
		.end_ns = part->end_ns,
	};
	struct processor_counts now;
	struct processor_loss loss;

	processor_count("", &now);
	loss = processor_loss(&g->processor, &now);
	g->processor = now;
	add_remarks_of_host(part->prof, "agent", g->args.words.words + 1, &loss);
	add_remark_of_window(part->prof, g->boot, &span);
	held_up__end(&g->held_up);
	held_up__remarks(&g->held_up, live__cgroups(g->live), part->prof);
	held_up__done(&g->held_up);
	held_up__begin(&g->held_up, &g->args.sampling.session.whom);
	add_remarks_of_columns(part->prof, &part->ledger);
	add_remark_of_cost(part->prof, &part->cost);
	agent_alarms__put(&g->alarms, part->prof, part->end_ns, part->last);
}

static void write_metrics(struct agent *g)
{
	agent_metrics__write(&g->metrics, &g->writer, &g->args.to, &g->keeper, &g->alarms);
}

/* Alarms are news at once, not only with the window. */
static void stepped(void *ctx, uint64_t now)
{
	struct agent *g = ctx;

	if (agent_alarms__step(&g->alarms, live__session(g->live), now))
		write_metrics(g);
}

static void keep(struct agent *g, struct part *part)
{
	uint64_t seq = g->writer.next_seq++;
	int fd;

	add_up(g, &part->ledger);
	add_remarks_of_window(g, part, seq);
	fd = profile__pack(part->prof);
	agent_metrics__add(&g->metrics, part);
	part__done(part);
	g->windows++;
	if (fd >= 0)
		writer__add(&g->writer, seq, fd);
	else
		g->writer.lost++;
	say_trouble(g);
	say_status(g);
	write_metrics(g);
}

/* ---------------------------------------------------------------- SIGHUP */

/* All that has to be opened is, before anything changes. */
static int change(struct agent *g, struct agent_args *now, struct err *err)
{
	struct agent_metrics_opened metrics;
	struct agent_to_opened to;
	struct agent_args *a = &g->args;
	uint64_t every_ns = a->every_ns;
	int r = agent_to__open(&now->to, a->dir, &a->to, &to, err);

	if (r < 0)
		return r;
	r = agent_metrics__open(&g->metrics, &now->metrics, &g->keeper, &metrics, err);
	if (r < 0) {
		agent_to_opened__done(&to);
		return r;
	}
	agent_args__take(a, now);
	agent_metrics__apply(&g->metrics, &metrics);
	r = agent_to__apply(&a->to, &to, &g->keeper);
	agent_to_opened__done(&to);
	if (r < 0 && a->to.n)
		fprintf(stderr, "pmubpf: nobody is left who sends: restart the agent\n");
	g->writer.bounds.keep_ns = a->keep_ns;
	g->writer.bounds.max_bytes = a->max_disk;
	g->writer.every_ns = a->every_ns;
	if (a->every_ns != every_ns)
		live__set_part(g->live, a->every_ns);
	return 0;
}

static void reload(struct agent *g)
{
	_cleanup_(buf__done) struct buf news = {0}, text = {0};
	unsigned port = g->metrics.port;
	struct agent_args now;
	struct err err = {0};
	int r;

	buf__printf(&text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now_ns() / 1000);
	notify__say(&g->notify, text.data);
	r = agent_args__read_again(&g->args, &now, &news, &err);
	if (r == 0) {
		r = change(g, &now, &err);
		agent_args__done(&now);
	}
	if (r < 0) {
		fprintf(stderr, "pmubpf: nothing is changed: %s\n", err.text);
	} else {
		say_lines(&news);
		if (!g->args.sampling.quiet)
			fprintf(stderr, "pmubpf: '%s' was read again\n", g->args.config);
		if (port != g->metrics.port)
			say_port(g);
		write_metrics(g);
	}
	notify__say(&g->notify, "READY=1");
}

/* Of a terminal that closes it is the end, as for any program; of whoever sends one it isn't. */
static void take_hangups(struct agent *g)
{
	struct signalfd_siginfo info;
	bool asked = false;

	while (read(g->hangup, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_code == SI_KERNEL)
			g->ended |= !g->hangup_ignored;
		else
			asked = true;
	}
	if (asked && !g->ended)
		reload(g);
}

static void tick(struct agent *g)
{
	uint64_t n;

	take_news_of_senders(g);
	if (read(g->timer, &n, sizeof(n)) < 0)
		return;
	notify__say(&g->notify, "WATCHDOG=1");
	writer__step(&g->writer);
	say_trouble(g);
	agent_metrics__step(&g->metrics);
	take_hangups(g);
}

/* A part has no names if no helper can be started, and is kept all the same. */
static int run(struct agent *g, struct err *err)
{
	struct part part;
	struct err of_names;
	enum cutting_news news;

	while (!g->ended && (news = live__wait(g->live, g->wake)) != CUTTING_ENDED) {
		if (news == CUTTING_INPUT) {
			tick(g);
			continue;
		}
		live__cut(g->live, &part, &of_names);
		keep(g, &part);
		notify__say(&g->notify, "WATCHDOG=1");
	}
	notify__say(&g->notify, "STOPPING=1");
	live__end(g->live, &part, &of_names);
	keep(g, &part);
	writer__drain(&g->writer, DRAIN_MS);
	keeper__step(&g->keeper);
	write_metrics(g);
	alarms__end(&g->args.alarm.alarms);
	say_end(g);
	if (!g->writer.n && live__out_of_memory(g->live))
		return err__set(err, -ENOMEM,
				"ended early: the system refused memory, and what was held back "
				"for that was used up (ulimit -d, -v, MemoryMax?)");
	if (!g->writer.n && g->ends_for_keeper)
		return err__set(err, -EPIPE,
				"both processes that keep senders were ended, and none can be "
				"started without the network: the recording ends, so that the "
				"service is started again");
	if (!g->writer.n)
		return 0;
	return err__set(err, -EIO, "%zu windows could not be written to '%s': %s", g->writer.n,
			g->args.dir,
			g->writer.trouble ? strerror(-g->writer.trouble) : "it takes too long");
}

/* ---------------------------------------------------------------- the whole */

static int start_writer(struct agent *g, struct err *err)
{
	const struct agent_args *a = &g->args;
	_cleanup_free_ char *boot = file_read_line("/proc/sys/kernel/random/boot_id");
	int dir;

	if (!boot || !boot_id__parse(boot, g->boot))
		return err__set(err, -EIO, "can't read /proc/sys/kernel/random/boot_id");
	dir = folder__open(a->dir, err);
	if (dir < 0)
		return dir;
	g->writer = (struct writer){
		.path = a->dir,
		.dir = dir,
		.bounds = {.keep_ns = a->keep_ns, .max_bytes = a->max_disk},
		.every_ns = a->every_ns,
		.max_bytes = a->sampling.session.max_memory / BUDGET_SPOOL_PART,
		.sock = -1,
	};
	return writer__start(&g->writer, err);
}

/* Once a second: a watchdog is fed, and what waits is tried again. */
static int start_timer(struct agent *g, struct err *err)
{
	struct epoll_event event = {.events = EPOLLIN};
	const struct itimerspec second = {.it_interval.tv_sec = 1, .it_value.tv_sec = 1};

	g->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	g->wake = epoll_create1(EPOLL_CLOEXEC);
	if (g->timer < 0 || g->wake < 0 || timerfd_settime(g->timer, 0, &second, NULL) < 0 ||
	    epoll_ctl(g->wake, EPOLL_CTL_ADD, g->timer, &event) < 0)
		return err__set(err, -errno, "can't make a timer: %s", strerror(errno));
	return 0;
}

static int start_senders(struct agent *g, struct err *err)
{
	/* the lock of ours isn't theirs */
	_cleanup_close_ int spool = openat(g->writer.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct agent_to_opened opened;
	struct agent_args *a = &g->args;
	int r;

	if (spool < 0)
		return err__set(err, -errno, "can't open '%s': %s", a->dir, strerror(errno));
	/* before there are passwords in our memory */
	r = keeper__start(&g->keeper, spool, agent_to__say, err);
	if (r == 0)
		r = agent_to__open(&a->to, a->dir, NULL, &opened, err);
	if (r < 0)
		return r;
	r = agent_to__apply(&a->to, &opened, &g->keeper);
	agent_to_opened__done(&opened);
	if (r < 0)
		return err__set(err, r, "the process that keeps senders has ended");
	return agent_metrics__start(&g->metrics, &a->metrics, err);
}

/* Its command is already there, and keeps it. */
static void give_up_network(void)
{
	int r = drop_new_privileges();

	if (r == 0)
		r = no_network();
	if (r < 0)
		fprintf(stderr, "pmubpf: the network can't be given up, and is kept: %s\n",
			strerror(-r));
}

static int record(struct agent *g, struct err *err)
{
	const struct live_opts opts = {
		.sampling = &g->args.sampling,
		.part_ns = g->args.every_ns,
		.lean = true,
		.stepped = stepped,
		.stepped_ctx = g,
	};
	int r = agent_alarms__start(&g->alarms, &g->args.alarm, &g->args.sampling, err);

	if (r == 0)
		r = live__open(&g->live, &opts, err);
	if (r < 0)
		return r;
	give_up_network();
	g->totals = xcalloc(g->args.sampling.events.n, sizeof(*g->totals));
	processor_count("", &g->processor);
	held_up__begin(&g->held_up, &g->args.sampling.session.whom);
	write_metrics(g);
	say_start(g);
	notify__say(&g->notify, "READY=1");
	return run(g, err);
}

static void agent__done(struct agent *g)
{
	live__free(g->live);
	held_up__done(&g->held_up);
	keeper__done(&g->keeper);
	agent_metrics__done(&g->metrics);
	agent_alarms__done(&g->alarms);
	opener__free(g->args.sampling.session.opener);
	writer__done(&g->writer);
	if (g->writer.path)
		close(g->writer.dir);
	cleanup_close(&g->timer);
	cleanup_close(&g->wake);
	cleanup_close(&g->hangup);
	notify__close(&g->notify);
	free(g->totals);
	agent_args__done(&g->args);
}

static int catch_hangup(struct agent *g, struct err *err)
{
	g->hangup = signals__hangup_fd(&g->hangup_ignored);
	return g->hangup < 0 ?
		       err__set(err, g->hangup, "can't receive SIGHUP: %s", strerror(-g->hangup)) :
		       0;
}

int cmd_agent(int argc, char **argv)
{
	struct signals signals = {.fd = -1, .spare_hangup = true};
	_cleanup_(agent__done) struct agent g = {
		.timer = -1,
		.wake = -1,
		.hangup = -1,
		.notify.sock = -1,
		.keeper = {.first.sock = -1, .spare.sock = -1},
		.metrics.scrape.listener = -1,
		.writer.sock = -1,
	};
	struct err err = {.exit_code = EXIT_FAILED};
	/* first: who ends it while it starts means it, too */
	int r = signals__catch(&signals, &err);

	if (r == 0)
		r = catch_hangup(&g, &err);
	if (r == 0)
		r = agent_args__parse(&g.args, argc, argv, &err);
	if (r == 0 && g.args.schema) {
		r = schema_arg__print(g.args.schema, &err);
		return r < 0 ? complain(&err) : EXIT_DONE;
	}
	notify__open(&g.notify);
	if (r == 0)
		r = agent_args__settle(&g.args, &err);
	g.args.sampling.session.signals = &signals;
	/* before there is anything that they must not have */
	if (r == 0)
		r = opener__start(&g.args.sampling.session.opener, &err);
	if (r == 0)
		r = start_writer(&g, &err);
	if (r == 0)
		r = start_senders(&g, &err);
	if (r == 0)
		r = start_timer(&g, &err);
	if (r == 0)
		r = record(&g, &err);
	return r < 0 ? complain(&err) : EXIT_DONE;
}
