// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/agent_alarms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/alarm_args.h"
#include "render/escape.h"
#include "spool/alarm_line.h"
#include "sys/clock.h"

#define LOOK_NS 1000000000ULL

/* Options without a letter, apart from those of the subcommand. */
enum { OPT_ALARM = 11264 };
enum { LISTED_MAX = 128 }; /* of one window */

struct agent_alarm {
	uint64_t mono_ns;
	struct alarm_line line; /* its relation is one of the names */
};

/* ---------------------------------------------------------------- options */

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What is watched:", 8},
	{"alarm", OPT_ALARM, "'Y ~ X'", 0,
	 "Raise an alarm when event Y is no more what event X explains, looked at each second, as "
	 "for stat: it is said, kept with the window, sent, and told Prometheus (may be given up "
	 "to 8 times)",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct agent_alarm_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->alarms;
		return 0;
	case OPT_ALARM:
		alarm_args__ask(&a->alarms, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &alarm_what_argp}, {0}};
const struct argp agent_alarm_argp = {.options = options, .parser = parse, .children = children};

void agent_alarm_args__init(struct agent_alarm_args *a, struct err *err)
{
	a->alarms.option = "--alarm";
	a->err = err;
}

int agent_alarm_args__check(const struct agent_alarm_args *a)
{
	const struct alarms *alarms = &a->alarms;

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
	a->next_ns = now_ns() + LOOK_NS;
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

static bool look(struct agent_alarms *a, const struct session *s, uint64_t now)
{
	const struct alarms *alarms = &a->args->alarms;
	_cleanup_(buf__done) struct buf talk = {0};
	bool any = false;

	watched__look(&a->watched, s, now, &talk);
	alarms__say(&talk);
	for (size_t i = 0; i < alarms->n; i++) {
		const struct watched_relation *w = &alarms->list[i];

		if (w->news == ALARM_NOTHING)
			continue;
		a->raised[i] += w->news == ALARM_RAISED;
		a->active[i] = w->news == ALARM_RAISED;
		keep(a, i, now);
		any = true;
	}
	return any;
}

bool agent_alarms__step(struct agent_alarms *a, const struct session *s, uint64_t now)
{
	if (!a->args || now < a->next_ns)
		return false;
	a->next_ns += LOOK_NS;
	if (a->next_ns < now)
		a->next_ns = now + LOOK_NS;
	return look(a, s, now);
}

void agent_alarms__put(struct agent_alarms *a, struct prof *window, uint64_t end_ns)
{
	size_t n = 0;

	while (n < a->n && a->list[n].mono_ns <= end_ns) {
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
	a->unlisted = 0;
	a->n -= n;
	if (n)
		memmove(a->list, a->list + n, a->n * sizeof(*a->list));
}

size_t agent_alarms__metrics(const struct agent_alarms *a,
			     struct metrics_alarm list[static AGENT_ALARMS_MAX])
{
	size_t n = a->args ? a->args->alarms.n : 0;

	for (size_t i = 0; i < n; i++)
		list[i] = (struct metrics_alarm){a->names[i], a->raised[i], a->active[i]};
	return n;
}

void agent_alarms__done(struct agent_alarms *a)
{
	watched__done(&a->watched);
	free(a->list);
	for (size_t i = 0; i < AGENT_ALARMS_MAX; i++)
		free(a->names[i]);
	*a = (struct agent_alarms){0};
}
