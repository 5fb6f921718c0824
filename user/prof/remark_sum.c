// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The lines come from files that anybody may have written: what isn't as we write it counts
 * nothing, and there is a bound for each kind.
 */
#include "prof/remark_sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

enum { MOST_EVENTS = 256, MOST_STATUSES = 64, MOST_OTHERS = 1024 };

static const char *const sums[] = {
	"overflows", "emitted", "filtered", "lost", "weight", "counter",
};

struct remark_event {
	char *name;        /* as it stands there, escaped */
	char *counts, *pc; /* of the first */
	uint64_t period;   /* the longest */
	uint64_t sums[ARRAY_SIZE(sums)];
	double ratio, of; /* Σ ratio × counter, Σ counter */
	bool estimated;
};

struct remark_status {
	char *side, *word;
	uint64_t n;
};

/* The value of " key=value" in the line; the caller frees; NULL: it isn't there. */
static char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = line; (at = strchr(at, ' '));) {
		at++;
		if (strncmp(at, key, len) == 0 && at[len] == '=')
			return xstrndup(at + len + 1, strcspn(at + len + 1, " "));
	}
	return NULL;
}

static uint64_t number_of(const char *line, const char *key)
{
	_cleanup_free_ char *text = value_of(line, key);
	uint64_t n = 0;

	return text && num__parse_u64(text, &n) == 0 ? n : 0;
}

/* Sums that don't fit are as large as can be. */
static void add_to(uint64_t *to, uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		*to = UINT64_MAX;
}

static struct remark_event *event_called(struct remark_sum *s, const char *name, size_t len)
{
	struct remark_event *e;

	for (size_t i = 0; i < s->n_events; i++) {
		if (strlen(s->events[i].name) == len && memcmp(s->events[i].name, name, len) == 0)
			return &s->events[i];
	}
	if (s->n_events == MOST_EVENTS)
		return NULL;
	GROW(s->events, s->n_events, s->cap_events);
	e = &s->events[s->n_events++];
	*e = (struct remark_event){.name = xstrndup(name, len)};
	return e;
}

/* "event cycles: counts=cycles period=2000003 …" */
static void add_event(struct remark_sum *s, const char *text)
{
	const char *name = text + strlen("event ");
	const char *line = strstr(name, ": counts=");
	struct remark_event *e = line ? event_called(s, name, (size_t)(line - name)) : NULL;
	_cleanup_free_ char *ratio = NULL, *estimated = NULL;
	uint64_t period, counter;
	double value;

	if (!e)
		return;
	if (!e->counts) {
		e->counts = value_of(line, "counts");
		e->pc = value_of(line, "pc");
	}
	period = number_of(line, "period");
	if (period > e->period)
		e->period = period;
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		add_to(&e->sums[i], number_of(line, sums[i]));
	ratio = value_of(line, "ratio");
	counter = number_of(line, "counter");
	if (ratio && num__parse_f64(ratio, &value) == 0) {
		e->ratio += value * (double)counter;
		e->of += (double)counter;
	}
	estimated = value_of(line, "estimated");
	e->estimated |= estimated && strcmp(estimated, "yes") == 0;
}

static void add_status(struct remark_sum *s, const char *side, const char *word, uint64_t n)
{
	for (size_t i = 0; i < s->n_statuses; i++) {
		struct remark_status *st = &s->statuses[i];

		if (strcmp(st->side, side) == 0 && strcmp(st->word, word) == 0) {
			add_to(&st->n, n);
			return;
		}
	}
	if (s->n_statuses == MOST_STATUSES)
		return;
	GROW(s->statuses, s->n_statuses, s->cap_statuses);
	s->statuses[s->n_statuses++] = (struct remark_status){xstrdup(side), xstrdup(word), n};
}

/* "1990 complete, 10 truncated" */
static void add_statuses(struct remark_sum *s, const char *side, const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *part;

	while ((part = strsep(&rest, ","))) {
		const char *p = part + strspn(part, " ");
		uint64_t n;

		if (num__take_u64(&p, &n) && *p == ' ')
			add_status(s, side, p + 1, n);
	}
}

static void add_other(struct remark_sum *s, const char *text)
{
	for (size_t i = 0; i < s->n_others; i++) {
		if (strcmp(s->others[i], text) == 0)
			return;
	}
	if (s->n_others == MOST_OTHERS)
		return;
	GROW(s->others, s->n_others, s->cap_others);
	s->others[s->n_others++] = xstrdup(text);
}

/* Of which the first to come speaks for all. */
static bool is_said(const struct remark_sum *s, const char *text)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; i < s->n_others; i++) {
		if (strncmp(s->others[i], text, len + 1) == 0)
			return true;
	}
	return false;
}

static void add_ledger(struct remark_sum *s, const char *text)
{
	if (strcmp(text, "balanced") == 0)
		s->balanced++;
	else if (!s->imbalance)
		s->imbalance = xstrdup(text);
}

static const char *behind(const char *text, const char *key)
{
	size_t len = strlen(key);

	return strncmp(text, key, len) == 0 ? text + len : NULL;
}

/* A whole window, of which the time that a hypervisor took is a part. */
struct remark_window {
	double seconds;        /* 0: it doesn't say how long it was */
	const char *processor; /* what it says of its CPUs; NULL: nothing */
};

/* "boot=… seq=7 begin=NS end=NS clock=monotonic", behind a space */
static void find_window(const struct prof *from, struct remark_window *w)
{
	static const char key[] = "window:";

	*w = (struct remark_window){0};
	for (size_t i = 0; i < from->n_comments; i++) {
		const char *text = prof__text(from, from->comments[i]);

		if (behind(text, key)) {
			uint64_t begin = number_of(text, "begin"), end = number_of(text, "end");

			w->seconds = end > begin ? (double)(end - begin) / 1e9 : 0;
		}
		if (behind(text, "processor: "))
			w->processor = text + strlen("processor: ");
	}
}

/* "6.1 % of the CPUs' time taken by the hypervisor, slowed down 3 times by heat" */
static bool read_processor(const char *text, double *ret_percent, const char **ret_rest)
{
	const char *unit = strstr(text, " % of the CPUs' time");
	_cleanup_free_ char *number = unit ? xstrndup(text, (size_t)(unit - text)) : NULL;

	*ret_rest = unit;
	return number && num__parse_f64(number, ret_percent) == 0 && *ret_percent <= 100;
}

/* And what held the targets up. */
static void add_processor(struct remark_sum *s, const struct prof *from)
{
	static const char slowed[] = "slowed down ";
	struct remark_window w;
	const char *rest;
	double percent;
	uint64_t times;

	find_window(from, &w);
	for (size_t i = 0; i < from->n_comments; i++)
		held_sum__add(&s->held, prof__text(from, from->comments[i]), w.seconds);
	if (!w.processor || !(w.seconds > 0) || !read_processor(w.processor, &percent, &rest))
		return;
	s->stolen += percent * w.seconds;
	s->stolen_of += w.seconds;
	rest = strstr(rest, slowed);
	rest = rest ? rest + strlen(slowed) : NULL;
	if (!rest || !num__take_u64(&rest, &times))
		return;
	s->knows_heat = true;
	add_to(&s->slowed, times);
}

static void add_line(struct remark_sum *s, const char *text)
{
	static const char *const whole[] = {"pmubpf: ", "command: ",         "machine: ",
					    "kernel: ", "kernel build-id: ", "timeline: ",
					    "role ",    "topdown ",          "warning: ",
					    "hint: "};
	const char *rest;

	if (behind(text, "event "))
		add_event(s, text);
	else if ((rest = behind(text, "user stacks: ")))
		add_statuses(s, "user", rest);
	else if ((rest = behind(text, "kernel stacks: ")))
		add_statuses(s, "kernel", rest);
	else if ((rest = behind(text, "ledger: ")))
		add_ledger(s, rest);
	else if (behind(text, "time ") && !is_said(s, text))
		add_other(s, text);
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		if (behind(text, whole[i]))
			add_other(s, text);
	}
}

void remark_sum__add(struct remark_sum *s, const struct prof *from, const char *host)
{
	s->profiles++;
	add_processor(s, from);
	for (size_t i = 0; i < from->n_comments; i++) {
		const char *text = prof__text(from, from->comments[i]);

		add_line(s, text);
		alarm_sum__add(&s->alarms, text, host);
	}
}

static void put_event(const struct remark_event *e, struct prof *to)
{
	_cleanup_(buf__done) struct buf line = {0};

	buf__printf(&line, "event %s: counts=%s period=%" PRIu64, e->name,
		    e->counts ? e->counts : "", e->period);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		buf__printf(&line, " %s=%" PRIu64, sums[i], e->sums[i]);
	buf__printf(&line, " ratio=%.4f estimated=%s pc=%s", e->of > 0 ? e->ratio / e->of : NAN,
		    e->estimated ? "yes" : "no", e->pc ? e->pc : "near");
	prof__comment(to, line.data);
}

static void put_statuses(const struct remark_sum *s, const char *side, struct prof *to)
{
	_cleanup_(buf__done) struct buf line = {0};
	bool any = false;

	buf__printf(&line, "%s stacks:", side);
	for (size_t i = 0; i < s->n_statuses; i++) {
		const struct remark_status *st = &s->statuses[i];

		if (strcmp(st->side, side) != 0)
			continue;
		buf__printf(&line, "%s %" PRIu64 " %s", any ? "," : "", st->n, st->word);
		any = true;
	}
	if (any)
		prof__comment(to, line.data);
}

/* Of windows of one length it is what was taken of all; of others, too. */
static void put_processor(const struct remark_sum *s, struct prof *to)
{
	_cleanup_(buf__done) struct buf line = {0};

	if (!(s->stolen_of > 0))
		return;
	buf__printf(&line, "processor: %.1f %% of the CPUs' time taken by the hypervisor",
		    s->stolen / s->stolen_of);
	if (s->knows_heat)
		buf__printf(&line, ", slowed down %" PRIu64 " times by heat", s->slowed);
	prof__comment(to, line.data);
}

static void put_ledger(const struct remark_sum *s, struct prof *to)
{
	_cleanup_(buf__done) struct buf line = {0};

	if (s->imbalance)
		buf__printf(&line, "ledger: %s (one of %" PRIu64 " profiles)", s->imbalance,
			    s->profiles);
	else if (s->balanced == s->profiles)
		buf__puts(&line, "ledger: balanced");
	if (line.len)
		prof__comment(to, line.data);
}

void remark_sum__put(const struct remark_sum *s, struct prof *to)
{
	for (size_t i = 0; i < s->n_others; i++)
		prof__comment(to, s->others[i]);
	alarm_sum__put(&s->alarms, to);
	put_processor(s, to);
	held_sum__put(&s->held, to);
	for (size_t i = 0; i < s->n_events; i++)
		put_event(&s->events[i], to);
	put_ledger(s, to);
	put_statuses(s, "user", to);
	put_statuses(s, "kernel", to);
}

void remark_sum__done(struct remark_sum *s)
{
	for (size_t i = 0; i < s->n_events; i++) {
		free(s->events[i].name);
		free(s->events[i].counts);
		free(s->events[i].pc);
	}
	for (size_t i = 0; i < s->n_statuses; i++) {
		free(s->statuses[i].side);
		free(s->statuses[i].word);
	}
	for (size_t i = 0; i < s->n_others; i++)
		free(s->others[i]);
	free(s->events);
	free(s->statuses);
	free(s->others);
	free(s->imbalance);
	held_sum__done(&s->held);
	alarm_sum__done(&s->alarms);
	*s = (struct remark_sum){0};
}
