// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/agent_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/usage.h"

/* Options without a letter, apart from those of the subcommand. */
enum { OPT_TEXTFILE = 10240, OPT_METRICS };
/* Who collects it is another user. */
enum { TEXTFILE_MODE = 0644, SETTLE_MS = 2000, OPEN_MS = 1000 };

static const struct argp_option options[] = {
	{0, 0, 0, 0, "For Prometheus:", 8},
	{"textfile", OPT_TEXTFILE, "FILE", 0,
	 "Renew FILE with each window, for node_exporter's textfile collector", 0},
	{"metrics", OPT_METRICS, "[ADDR:]PORT", 0,
	 "Answer scrapes there, of /metrics (ADDR is 127.0.0.1 unless given)", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct agent_metrics_args *a = state->input;

	switch (key) {
	case OPT_TEXTFILE:
		a->textfile = arg;
		return 0;
	case OPT_METRICS:
		a->listen = arg;
		return -scrape__check(arg, a->err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp agent_metrics_argp = {.options = options, .parser = parse_option};

int agent_metrics__start(struct agent_metrics *m, const struct agent_metrics_args *args,
			 struct err *err)
{
	int r = 0;

	*m = (struct agent_metrics){.args = args, .scrape.listener = -1};
	if (args->textfile)
		r = renewal__start_mode(&m->textfile, args->textfile, TEXTFILE_MODE, err);
	if (r == 0 && args->listen)
		r = scrape__open(args->listen, &m->port, err);
	if (r >= 0 && args->listen)
		r = scrape__start(&m->scrape, r, err);
	if (r == 0 && (args->textfile || args->listen))
		m->sums = metrics__new();
	return r;
}

static bool differs(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

static int open_port(struct agent_metrics_opened *o, const char *where, struct keeper *keeper,
		     struct err *err)
{
	int fd = keeper__listen(keeper, where, &o->port);

	if (fd < 0)
		return err__set(err, fd, "can't listen on --metrics '%s': %s", where,
				fd == -EPIPE ? "nobody is left who has the network: restart the "
					       "agent" :
					       strerror(-fd));
	return scrape__start(&o->scrape, fd, err);
}

int agent_metrics__open(const struct agent_metrics *m, const struct agent_metrics_args *args,
			struct keeper *keeper, struct agent_metrics_opened *o, struct err *err)
{
	int r = 0;

	*o = (struct agent_metrics_opened){
		.has_file = differs(m->args->textfile, args->textfile),
		.has_port = differs(m->args->listen, args->listen),
		.textfile.sock = -1,
		.scrape = {.listener = -1, .sock = -1},
	};
	if (o->has_file && args->textfile)
		r = renewal__start_within(&o->textfile, args->textfile, TEXTFILE_MODE, OPEN_MS,
					  err);
	if (r == 0 && o->has_port && args->listen)
		r = open_port(o, args->listen, keeper, err);
	if (r < 0) {
		renewal__done(&o->textfile);
		scrape__done(&o->scrape);
	}
	return r;
}

void agent_metrics__apply(struct agent_metrics *m, struct agent_metrics_opened *o)
{
	if (o->has_file) {
		renewal__done(&m->textfile);
		m->textfile = o->textfile;
		m->in_trouble = false;
	}
	if (o->has_port) {
		scrape__done(&m->scrape);
		m->scrape = o->scrape;
		m->port = o->port;
	}
	if (!m->args->textfile && !m->args->listen)
		m->sums = metrics__free(m->sums);
	else if (!m->sums)
		m->sums = metrics__new();
}

void agent_metrics__add(struct agent_metrics *m, const struct part *part)
{
	const struct metrics_window window = {
		.prof = part->prof,
		.ledger = &part->ledger,
		.end_ns = part->end_ns,
		.kernel_ns = part->cost.kernel_ns,
		.process_ns = part->cost.process_ns,
		.helpers_ns = part->cost.helpers_ns,
	};

	if (m->sums)
		metrics__add(m->sums, &window);
}

static size_t destinations(const struct agent_to *to, const struct keeper *keeper,
			   struct metrics_destination *list)
{
	for (size_t i = 0; i < keeper->n; i++) {
		const struct destination_books *b = &keeper->books[i];

		list[i] = (struct metrics_destination){
			.to = to->list[i].url,
			.sent = b->sent,
			.refused = b->refused,
			.expired = b->expired,
			.uncertain = b->uncertain,
			.starts = b->starts,
			.running = b->running,
		};
	}
	return keeper->n;
}

void agent_metrics__write(struct agent_metrics *m, const struct writer *w,
			  const struct agent_to *to, const struct keeper *keeper,
			  const struct agent_alarms *alarms)
{
	struct metrics_destination list[DESTINATIONS_MAX];
	struct metrics_alarm relations[AGENT_ALARMS_MAX];
	struct metrics_now now = {
		.windows = w->there.windows,
		.bytes = w->there.bytes,
		.written = w->written,
		.lost = w->lost,
		.waiting = w->n,
		.expired = w->there.expired,
		.over = w->there.over,
		.rss_bytes = usage_rss_bytes(0),
		.destinations = list,
	};
	struct timespec date;

	if (!m->sums)
		return;
	now.n_destinations = destinations(to, keeper, list);
	agent_alarms__metrics(alarms, relations, &now);
	clock_gettime(CLOCK_REALTIME, &date);
	now.last_ns = date.tv_sec * 1000000000LL + date.tv_nsec;
	buf__clear(&m->text);
	metrics__print(m->sums, &now, &m->text);
	scrape__put(&m->scrape, &m->text);
	if (m->args->textfile)
		renewal__write(&m->textfile, &m->text);
}

void agent_metrics__step(struct agent_metrics *m)
{
	const char *path = m->sums ? m->args->textfile : NULL;
	bool trouble;

	if (m->sums && scrape__has_gone(&m->scrape))
		scrape__put(&m->scrape, &m->text);
	if (!path)
		return;
	renewal__settle(&m->textfile, 0);
	trouble = m->textfile.last < 0;
	if (trouble && !m->in_trouble)
		fprintf(stderr, "pmubpf: can't renew --textfile '%s': %s; it is tried again\n",
			path, strerror(-m->textfile.last));
	m->in_trouble = trouble;
	if (m->textfile.sock < 0)
		renewal__restart(&m->textfile, path, TEXTFILE_MODE);
}

void agent_metrics__done(struct agent_metrics *m)
{
	if (m->sums && m->args->textfile)
		renewal__settle(&m->textfile, SETTLE_MS);
	renewal__done(&m->textfile);
	scrape__done(&m->scrape);
	metrics__free(m->sums);
	buf__done(&m->text);
}
