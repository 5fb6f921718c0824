// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/alarms.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/stat_baseline.h"

/* Without the blanks around it; ours. */
static char *term(const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (from < to && isspace((unsigned char)to[-1]))
		to--;
	return xasprintf("%.*s", (int)(to - from), from);
}

/* The one that isn't in a target's name; NULL: none. */
static const char *tilde(const char *text)
{
	bool inside = false;

	for (; *text; text++) {
		if (*text == '{' || *text == '}')
			inside = *text == '{';
		else if (*text == '~' && !inside)
			return text;
	}
	return NULL;
}

/* units: what they are called; NULL: there are none. */
static int settle_term(struct alarms *alarms, const char *text, const char *name,
		       const struct event_names *names, struct event_list *events,
		       const char *units, struct alarm_term *ret, struct err *err)
{
	bool windows = strcmp(name, "windows") == 0;

	ret->of = TERM_UNITS;
	if (windows && !units)
		return err__usage(err,
				  "%s '%s': windows are those of --window, or units of --per, and "
				  "there are none",
				  alarms->option, text);
	if (windows || (units && strcmp(name, units) == 0))
		return 0;
	return alarm_term__parse(ret, &alarms->targets, names, events, text, name, err);
}

static int same_events(const struct alarms *alarms, const char *text, struct err *err)
{
	return err__usage(err, "%s '%s': a relation needs two different events", alarms->option,
			  text);
}

/* "Y ~ X" in two, of which the caller frees both. */
static int split(const struct alarms *alarms, const char *text, char **ret_y, char **ret_x,
		 struct err *err)
{
	const char *middle = tilde(text);

	*ret_y = *ret_x = NULL;
	if (middle && !tilde(middle + 1)) {
		*ret_y = term(text, middle);
		*ret_x = term(middle + 1, middle + strlen(middle));
	}
	if (!*ret_y || !**ret_y || !**ret_x)
		return err__usage(err,
				  "%s '%s': say 'Y ~ X', an event and the one that explains it, "
				  "such as 'task-clock ~ page-faults'",
				  alarms->option, text);
	return strcmp(*ret_y, *ret_x) != 0 ? 0 : same_events(alarms, text, err);
}

static int settle_one(struct alarms *alarms, struct watched_relation *alarm,
		      const struct event_names *names, struct event_list *events, const char *units,
		      struct err *err)
{
	const char *text = alarm->text;
	_cleanup_free_ char *y = NULL, *x = NULL;
	int r = split(alarms, text, &y, &x, err);

	if (r == 0)
		r = settle_term(alarms, text, y, names, events, units, &alarm->y, err);
	if (r == 0)
		r = settle_term(alarms, text, x, names, events, units, &alarm->x, err);
	if (r == 0 && alarm->x.of == TERM_UNITS && alarm->y.of == TERM_UNITS)
		return same_events(alarms, text, err);
	return r;
}

static int check_text(const struct alarms *alarms, const char *text, struct err *err)
{
	_cleanup_free_ char *y = NULL, *x = NULL;

	if (strlen(text) > ALARM_RELATION_MAX)
		return err__usage(err, "%s: more than %d bytes", alarms->option,
				  ALARM_RELATION_MAX);
	return split(alarms, text, &y, &x, err);
}

int alarms__check(const struct alarms *alarms, struct err *err)
{
	const char *alone = alarms->n_texts     ? NULL :
			    alarms->exit        ? "--alarm-exit" :
			    alarms->run.program ? "--alarm-run" :
			    alarms->baseline    ? "--baseline" :
						  NULL;
	int r = 0;

	if (alone)
		return err__usage(err, "%s goes with %s", alone, alarms->option);
	for (size_t i = 0; r == 0 && i < alarms->n_texts; i++)
		r = check_text(alarms, alarms->texts[i], err);
	return r;
}

int alarms__settle(struct alarms *alarms, const struct event_names *names,
		   struct event_list *events, const char *units, struct err *err)
{
	int r = 0;

	alarms->list = xcalloc(alarms->n_texts ? alarms->n_texts : 1, sizeof(*alarms->list));
	alarms->news = xcalloc(alarms->n_texts ? alarms->n_texts : 1, sizeof(*alarms->news));
	alarms->n = alarms->n_texts;
	alarms->targets.option = alarms->option;
	for (size_t i = 0; r == 0 && i < alarms->n; i++) {
		alarms->list[i].text = alarms->texts[i];
		r = settle_one(alarms, &alarms->list[i], names, events, units, err);
	}
	return r;
}

static void ask_column(struct baseline_column *column, const struct watched_relation *a,
		       const struct alarm_term *term, const struct event_list *events)
{
	if (term->of == TERM_EVENT)
		column->name = events->events[term->index].name;
	if (term->of == TERM_APART)
		column->relation = a->text;
	column->is_y = term == &a->y;
}

/* Two columns for each: y, x. */
static void ask_columns(const struct alarms *alarms, const struct event_list *events,
			struct stat_baseline *b)
{
	b->n_columns = 2 * alarms->n;
	b->columns = xcalloc(b->n_columns, sizeof(*b->columns));
	for (size_t i = 0; i < alarms->n; i++) {
		const struct watched_relation *a = &alarms->list[i];

		ask_column(&b->columns[2 * i], a, &a->y, events);
		ask_column(&b->columns[2 * i + 1], a, &a->x, events);
	}
}

/* The last interval of a counting is shorter. */
static size_t whole_lines(const struct stat_baseline *b)
{
	return b->n && b->spans[b->n - 1] < stat_baseline__span(b) / 2 ? b->n - 1 : b->n;
}

static int expect_one(struct watched_relation *a, const struct stat_baseline *b, size_t index,
		      const char *file, struct err *err)
{
	size_t lines = whole_lines(b);
	struct alarm_change change;

	for (size_t i = 0; i < lines; i++) {
		const double *yx = &b->cells[i * b->n_columns + 2 * index];

		alarm__add(&a->alarm, yx[1], yx[0], &change);
	}
	a->expects = true;
	a->y_user_only = b->columns[2 * index].user_only;
	a->x_user_only = b->columns[2 * index + 1].user_only;
	if (lines < ALARM_FIXES)
		return err__usage(err, "--baseline %s: %zu intervals, and %d at least are needed",
				  file, lines, ALARM_FIXES);
	if (!alarm__fix(&a->alarm))
		return err__usage(err, "--baseline %s: '%s' changes before its end", file, a->text);
	return 0;
}

int alarms__expect(struct alarms *alarms, const struct event_list *events, uint64_t interval_ns,
		   struct buf *notes, struct err *err)
{
	_cleanup_(stat_baseline__done) struct stat_baseline b = {0};
	int r;

	if (!alarms->baseline)
		return 0;
	ask_columns(alarms, events, &b);
	r = stat_baseline__read(&b, alarms->baseline, interval_ns, err);
	for (size_t i = 0; r == 0 && i < alarms->n; i++)
		r = expect_one(&alarms->list[i], &b, i, alarms->baseline, err);
	if (r == 0)
		buf__printf(notes, "alarms: what is usual is that of %zu intervals of %s\n",
			    whole_lines(&b), alarms->baseline);
	return r;
}

static void tell(const struct watched_relation *a, enum alarm_news news,
		 const struct alarm_change *change, double now_s, struct buf *talk)
{
	char much[48] = "far above";

	if (isfinite(change->percent))
		snprintf(much, sizeof(much), "%.1f %% %s", fabs(change->percent),
			 change->percent < 0 ? "below" : "above");
	buf__printf(talk, "at %.3f s: '%s': ", now_s, a->text);
	if (news == ALARM_RAISED)
		buf__printf(talk, "alarm, %s what was usual, since %.3f s\n", much, a->raised_s);
	else if (news == ALARM_OVER)
		buf__printf(talk, "as usual again; it was %s since %.3f s\n", much, a->raised_s);
	else
		buf__printf(talk, "%s since %.3f s: from here on that is usual\n", much,
			    a->raised_s);
}

static struct alarm_figures figures_of(const struct watched_relation *a,
				       const struct alarm_change *change, double now_s)
{
	return (struct alarm_figures){
		.relation = a->text,
		.at_s = now_s,
		.since_s = a->raised_s,
		.percent = change->percent,
	};
}

static enum alarm_news add_one(struct alarms *alarms, struct watched_relation *a,
			       const struct counting_result *result, struct stat_alarm_news *ret,
			       struct buf *talk)
{
	const struct counts *counts = &result->counts;
	double x = alarm_term__value(&a->x, result), y = alarm_term__value(&a->y, result);
	double now_s = (double)counts->to_ns / 1e9;
	double span_s = (double)(counts->to_ns - counts->from_ns) / 1e9;
	struct alarm_change change = {0};
	bool watched = alarm__watches(&a->alarm);
	enum alarm_news news = alarm__add(&a->alarm, x, y, &change);

	a->news = news;
	a->change = change;
	if (news == ALARM_RAISED)
		a->raised_s = fmax(0, now_s - span_s * change.intervals);
	if (!watched && alarm__watches(&a->alarm))
		buf__printf(talk, "at %.3f s: '%s': has learnt what is usual, and watches\n", now_s,
			    a->text);
	if (news != ALARM_NOTHING)
		tell(a, news, &change, now_s, talk);
	if (news == ALARM_RAISED) {
		struct alarm_figures figures = figures_of(a, &change, now_s);

		alarm_run__raised(&alarms->run, &figures);
	}
	*ret = (struct stat_alarm_news){
		.relation = a->text,
		.counted = true,
		.y = y,
		.x = x,
		.watches = alarm__watches(&a->alarm),
		.raised = a->alarm.raised,
		.since_s = a->raised_s,
		.percent = change.percent,
	};
	return news;
}

/* Why it isn't watched; NULL: it is. */
static const char *unwatched(const struct watched_relation *a, const struct counting_result *result)
{
	const struct probe_result *y = alarm_term__tried(&a->y, result);
	const struct probe_result *x = alarm_term__tried(&a->x, result);

	if ((y && !y->ok) || (x && !x->ok))
		return "not both are counted here";
	if (a->expects &&
	    ((y && y->user_only != a->y_user_only) || (x && x->user_only != a->x_user_only)))
		return "of this and --baseline one counts user code only";
	return NULL;
}

/* Windows of an interval in which probes came or went: how many there were is a guess, from which
 * nothing is learnt. */
static bool is_guessed(struct watched_relation *a, const struct counting_result *result,
		       struct buf *talk)
{
	const struct probed *p = &result->work.probed;

	if ((a->x.of != TERM_UNITS && a->y.of != TERM_UNITS) || p->on_ns == p->span_ns)
		return false;
	if (!a->guessed)
		buf__printf(talk,
			    "'%s': not looked at in intervals in which the budget takes the "
			    "probes of windows out (--budget)\n",
			    a->text);
	a->guessed = true;
	return true;
}

bool alarms__any_watched(const struct alarms *alarms, const struct counting_result *result)
{
	for (size_t i = 0; i < alarms->n; i++) {
		if (!unwatched(&alarms->list[i], result))
			return true;
	}
	return false;
}

unsigned alarms__add(struct alarms *alarms, const struct counting_result *result, struct buf *talk)
{
	unsigned raised = 0;

	for (size_t i = 0; i < alarms->n; i++) {
		struct watched_relation *a = &alarms->list[i];
		const char *why = unwatched(a, result);

		a->news = ALARM_NOTHING;
		alarms->news[i] = (struct stat_alarm_news){.relation = a->text};
		if (!why && is_guessed(a, result, talk))
			continue;
		if (!why)
			raised += add_one(alarms, a, result, &alarms->news[i], talk) ==
				  ALARM_RAISED;
		else if (result->counts.from_ns == 0)
			buf__printf(talk, "'%s': not watched, for %s\n", a->text, why);
	}
	alarm_run__tell(&alarms->run, talk);
	return raised;
}

void alarms__say(const struct buf *talk)
{
	const char *end;

	for (const char *line = talk->data; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		fprintf(stderr, "pmubpf: %.*s\n", (int)(end - line), line);
	}
}

void alarms__end(struct alarms *alarms)
{
	_cleanup_(buf__done) struct buf talk = {0};

	alarm_run__finish(&alarms->run, &talk);
	alarms__say(&talk);
}

void alarms__done(struct alarms *alarms)
{
	free(alarms->texts);
	free(alarms->list);
	free(alarms->news);
	alarm_targets__done(&alarms->targets);
	alarm_run__done(&alarms->run);
	*alarms = (struct alarms){0};
}
