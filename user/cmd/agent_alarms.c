// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/agent_alarms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/alarm_args.h"
#include "render/escape.h"
#include "spool/alarm_line.h"
#include "sys/clock.h"
#include "sys/procfs.h"

#define SECOND_NS 1000000000ULL
#define MOST_LOOKAHEAD_NS (3600 * SECOND_NS)

/* Options without a letter, apart from those of the subcommand. */
enum { OPT_ALARM = 11264, OPT_WHEN, OPT_DETAIL, OPT_LOOKAHEAD, OPT_DETAIL_SHARE };
enum { LISTED_MAX = 128 }; /* of one window */
enum { DETAIL_TIMES = 20, MOST_TIMES = 1000, LOOKAHEAD_S = 30 };
static const double DETAIL_SHARE = 5; /* percent */

struct agent_alarm {
	uint64_t mono_ns;
	struct alarm_line line; /* its relation is one of the names */
};

/* ---------------------------------------------------------------- options */

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Alarms:", 10},
	{"alarm", OPT_ALARM, "'Y ~ X'", 0,
	 "Raise an alarm when event Y is no more what event X explains, looked at each second, as "
	 "for stat: it is said, kept with the window, sent, and told Prometheus (may be given up "
	 "to 8 times)",
	 0},
	{"when", OPT_WHEN, "'Y ~ X'", 0,
	 "The same, and what is around its alarms is recorded in detail; nothing is restarted", 0},
	{"detail", OPT_DETAIL, "TIMES", 0, "How many times as many samples that is (default: 20)",
	 0},
	{"lookahead", OPT_LOOKAHEAD, "TIME", 0,
	 "How long after an alarm, from 1s to 1h (default: 30s)", 0},
	{"detail-share", OPT_DETAIL_SHARE, "PERCENT", 0,
	 "How much of the time may be in detail, besides five alarms (default: 5)", 0},
	{0},
};

static int ask(struct agent_alarm_args *a, const char *text, bool when)
{
	size_t n = a->alarms.n_texts;

	if (n < AGENT_ALARMS_MAX)
		a->when[n] = when;
	a->any_when |= when;
	a->any_alarm |= !when;
	alarm_args__ask(&a->alarms, text);
	return 0;
}

static int parse_detail(struct agent_alarm_args *a, int key, const char *arg)
{
	uint64_t ns;
	double percent;
	int times;

	a->detail_given = true;
	switch (key) {
	case OPT_DETAIL:
		if (num__parse_int(arg, 2, MOST_TIMES, &times) < 0)
			return err__usage(a->err, "--detail '%s' is not a number from 2 to %d", arg,
					  MOST_TIMES);
		a->times = (unsigned)times;
		return 0;
	case OPT_LOOKAHEAD:
		if (num__parse_time(arg, SECOND_NS, &ns) < 0 || ns < SECOND_NS ||
		    ns > MOST_LOOKAHEAD_NS)
			return err__usage(a->err, "--lookahead '%s' is not a time from 1s to 1h",
					  arg);
		a->detail.lookahead_ns = ns;
		return 0;
	default:
		if (num__parse_f64(arg, &percent) < 0 || percent < 0 || percent > 100)
			return err__usage(a->err,
					  "--detail-share '%s' is not a part of the time in "
					  "percent, from 0 to 100",
					  arg);
		a->detail.share = percent / 100;
		return 0;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct agent_alarm_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->alarms;
		return 0;
	case OPT_ALARM:
	case OPT_WHEN:
		return -ask(a, arg, key == OPT_WHEN);
	case OPT_DETAIL:
	case OPT_LOOKAHEAD:
	case OPT_DETAIL_SHARE:
		return -parse_detail(a, key, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &alarm_what_argp}, {0}};
const struct argp agent_alarm_argp = {.options = options, .parser = parse, .children = children};

void agent_alarm_args__init(struct agent_alarm_args *a, struct err *err)
{
	a->err = err;
	a->times = DETAIL_TIMES;
	a->detail = (struct detail_opts){LOOKAHEAD_S * SECOND_NS, DETAIL_SHARE / 100};
}

int agent_alarm_args__check(struct agent_alarm_args *a)
{
	struct alarms *alarms = &a->alarms;

	alarms->option = a->any_when == a->any_alarm ? "--alarm or --when" :
			 a->any_when                 ? "--when" :
						       "--alarm";
	if (a->detail_given && !a->any_when)
		return err__usage(a->err,
				  "--detail, --lookahead and --detail-share go with --when");
	if (alarms->n_texts > AGENT_ALARMS_MAX)
		return err__usage(a->err, "%s can be given %d times", alarms->option,
				  AGENT_ALARMS_MAX);
	for (size_t i = 0; i < alarms->n_texts; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(alarms->texts[i], alarms->texts[k]) == 0)
				return err__usage(a->err, "%s '%s' is there twice", alarms->option,
						  alarms->texts[i]);
		}
	}
	return alarms__check(alarms, a->err);
}

/* Those that overflow by a rate that nobody has put into their text. */
static uint64_t in_detail(const struct event *event, unsigned times, uint64_t most_hz)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t period = attr->sample_period;

	if (event->mode != EVENT_OVERFLOWS || event->rate_given || event->off_cpu || period < 2)
		return 0;
	if (attr->freq)
		return attr->sample_freq * times < most_hz ? attr->sample_freq * times : most_hz;
	period /= times;
	if (most_hz > CLOCK_MOST_HZ)
		most_hz = CLOCK_MOST_HZ;
	if (event->unit == UNIT_NS && period < SECOND_NS / most_hz)
		period = SECOND_NS / most_hz;
	return period < attr->sample_period ? period__prime(period ? period : 1) : 0;
}

int agent_alarm_args__settle(struct agent_alarm_args *a, struct event_list *events)
{
	uint64_t most_hz = file_read_u64("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
	bool any = false;

	for (size_t i = 0; a->any_when && i < events->n; i++) {
		struct event *event = &events->events[i];

		event->detail = in_detail(event, a->times, most_hz ? most_hz : 1);
		any |= event->detail;
	}
	if (a->any_when && !any)
		return err__usage(a->err, "--when: no event here has a rate that can be raised (a "
					  "period in its text stays); --alarm tells all the same");
	return 0;
}

void agent_alarm_args__done(struct agent_alarm_args *a)
{
	alarms__done(&a->alarms);
	event_list__done(&a->watched);
}

/* ---------------------------------------------------------------- while it is recorded */

static char *name_of(const char *relation)
{
	struct buf name = {0};

	escape_line(&name, relation);
	return name.data;
}

int agent_alarms__start(struct agent_alarms *a, struct agent_alarm_args *args,
			struct sampling_args *sampling, struct err *err)
{
	int r;

	if (!args->alarms.n)
		return 0;
	r = watched__settle(&a->watched, &args->alarms, sampling, &args->watched, err);
	if (r < 0)
		return r;
	sampling->session.opened = watched__open;
	sampling->session.opened_ctx = &a->watched;
	for (size_t i = 0; i < args->alarms.n; i++)
		a->names[i] = name_of(args->alarms.list[i].text);
	a->args = args;
	watched__begin(&a->watched, now_ns());
	detail__begin(&a->detail, &args->detail, now_ns());
	return 0;
}

static enum alarm_word word_of(enum alarm_news news)
{
	return news == ALARM_RAISED ? ALARM_WORD_RAISED :
	       news == ALARM_OVER   ? ALARM_WORD_OVER :
				      ALARM_WORD_USUAL;
}

static void keep(struct agent_alarms *a, size_t index, uint64_t now)
{
	const struct watched_relation *w = &a->args->alarms.list[index];
	double at_s = (double)a->watched.counted.counts.to_ns / 1e9;
	int64_t date_ns = (int64_t)clock_ns(CLOCK_REALTIME);

	if (a->n == LISTED_MAX) {
		a->unlisted++;
		return;
	}
	GROW(a->list, a->n, a->cap);
	a->list[a->n++] = (struct agent_alarm){
		.mono_ns = now,
		.line = {.at_ns = date_ns,
			 .since_ns = date_ns - (int64_t)((at_s - w->raised_s) * 1e9),
			 .word = word_of(w->news),
			 .relation = a->names[index],
			 .percent = w->change.percent,
			 .observed = w->change.y,
			 .expected = w->change.expected},
	};
}

/* What a look finds. */
struct findings {
	bool any, raised, near; /* of those that want detail: an alarm, one that may come */
};

static struct findings look(struct agent_alarms *a, const struct session *s, uint64_t now)
{
	const struct alarms *alarms = &a->args->alarms;
	_cleanup_(buf__done) struct buf talk = {0};
	struct findings f = {0};

	watched__look(&a->watched, s, now, &talk);
	alarms__say(&talk);
	for (size_t i = 0; i < alarms->n; i++) {
		const struct watched_relation *w = &alarms->list[i];

		f.near |= a->args->when[i] && alarm__is_near(&w->alarm);
		if (w->news == ALARM_NOTHING)
			continue;
		a->raised[i] += w->news == ALARM_RAISED;
		a->active[i] = w->news == ALARM_RAISED;
		f.raised |= a->args->when[i] && w->news == ALARM_RAISED;
		f.any = true;
		keep(a, i, now);
	}
	return f;
}

/* Whether it is another than before. */
static bool follow(struct agent_alarms *a, struct session *s, const struct findings *f)
{
	struct detail *d = &a->detail;
	bool was = d->on;
	uint64_t refused = d->refused, now;

	if (!a->args->any_when)
		return false;
	now = now_ns();
	detail__look(d, &a->args->detail, now, f->raised, f->near);
	if (d->refused != refused)
		fprintf(stderr,
			"pmubpf: not in detail, for more than --detail-share was already\n");
	if (d->on == was)
		return false;
	session__set_detail(s, d->on);
	if (!d->on) {
		a->spans[a->n_spans - 1].to_ns = now;
		return true;
	}
	GROW(a->spans, a->n_spans, a->cap_spans);
	a->spans[a->n_spans++] = (struct detail_span){.from_ns = now};
	return true;
}

bool agent_alarms__step(struct agent_alarms *a, struct session *s, uint64_t now)
{
	struct findings f;

	if (!a->args || now < a->watched.next_ns)
		return false;
	f = look(a, s, now);
	return follow(a, s, &f) || f.any;
}

/* Of the spans until then; what is behind it stays. */
static uint64_t take_detail(struct agent_alarms *a, uint64_t end_ns)
{
	uint64_t sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < a->n_spans; i++) {
		struct detail_span *s = &a->spans[i];
		uint64_t to = s->to_ns && s->to_ns < end_ns ? s->to_ns : end_ns;

		if (to > s->from_ns) {
			sum += to - s->from_ns;
			s->from_ns = to;
		}
		if (!s->to_ns || s->from_ns < s->to_ns)
			a->spans[n++] = *s;
	}
	a->n_spans = n;
	return sum;
}

static void put_detail(struct agent_alarms *a, struct prof *window, uint64_t end_ns)
{
	uint64_t ns = take_detail(a, end_ns);
	_cleanup_free_ char *line = ns ? xasprintf("detail: %.3f s with %u times as many samples",
						   (double)ns / 1e9, a->args->times) :
					 NULL;

	if (line)
		prof__comment(window, line);
}

void agent_alarms__put(struct agent_alarms *a, struct prof *window, uint64_t end_ns, bool last)
{
	size_t n = 0;

	while (n < a->n && (last || a->list[n].mono_ns <= end_ns)) {
		_cleanup_(buf__done) struct buf line = {0};

		alarm_line__put(&a->list[n++].line, &line);
		prof__comment(window, line.data);
	}
	if (a->unlisted) {
		_cleanup_free_ char *line = xasprintf("warning: %" PRIu64
						      " more alarms than a window has room for",
						      a->unlisted);

		prof__comment(window, line);
	}
	put_detail(a, window, end_ns);
	a->unlisted = 0;
	a->n -= n;
	if (n)
		memmove(a->list, a->list + n, a->n * sizeof(*a->list));
}

void agent_alarms__metrics(const struct agent_alarms *a,
			   struct metrics_alarm list[static AGENT_ALARMS_MAX],
			   struct metrics_now *now)
{
	now->alarms = list;
	now->n_alarms = a->args ? a->args->alarms.n : 0;
	for (size_t i = 0; i < now->n_alarms; i++)
		list[i] = (struct metrics_alarm){a->names[i], a->raised[i], a->active[i]};
	now->may_detail = a->args && a->args->any_when;
	now->detail = a->detail.on;
	now->detail_ns = a->detail.total_ns;
	now->detail_refused = a->detail.refused;
}

void agent_alarms__done(struct agent_alarms *a)
{
	watched__done(&a->watched);
	free(a->list);
	free(a->spans);
	for (size_t i = 0; i < AGENT_ALARMS_MAX; i++)
		free(a->names[i]);
	*a = (struct agent_alarms){0};
}
