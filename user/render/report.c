// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What all forms of a report say. The hard thing is what a ratio means: its parts are sums of
 * samples, so each has the uncertainty of a count, and an event of which only a part was delivered
 * can't be divided by.
 */
#include "render/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/poisson.h"
#include "pmu/event.h"
#include "render/escape.h"
#include "render/roles.h"
#include "sys/pmus.h"

size_t report_event__type(const struct prof_event *event)
{
	if (event->events != PROF_NO_TYPE)
		return event->events;
	return event->time != PROF_NO_TYPE ? event->time : event->samples;
}

/* Of a profile that doesn't say it, an older one or another tool's: as the parser of -e has it, of
 * perf's names and aliases alone, for it needn't be of this machine: no PMUs, database or libpfm. A
 * name that it doesn't know is OTHER, or says "miss". */
static struct derive_event guess_role(const char *name)
{
	enum { MAX_LEN = 64 };
	static const char signs[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:";
	_cleanup_(event_list__done) struct event_list list = {0};
	const struct pmus none = {.recorded = true};
	struct derive_event role = {.role = ROLE_OTHER};

	if (strlen(name) <= MAX_LEN && strspn(name, signs) == strlen(name) &&
	    event_list__parse_with(&list, name, &none, NULL) == 0 && list.n == 1)
		return event_role(&list.events[0]);
	if (strcasestr(name, "miss"))
		role.role = ROLE_OTHER_MISSES;
	return role;
}

static struct derive_event role_of(const struct prof *p, const char *name)
{
	_cleanup_(buf__done) struct buf key = {0};
	struct derive_event role;
	const char *text;

	buf__puts(&key, "role ");
	escape_name(&key, name);
	text = prof__remark(p, key.data);
	return text && role__parse(text, &role) ? role : guess_role(name);
}

/* "… ratio=0.2500 …" */
static bool ratio_in(const char *remark, double *ret)
{
	static const char key[] = " ratio=";
	const char *at = strstr(remark, key);
	_cleanup_free_ char *number = NULL;

	if (!at)
		return false;
	at += strlen(key);
	number = xstrndup(at, strcspn(at, " "));
	return num__parse_f64(number, ret) == 0;
}

/* What part of the event's occurrences its overflows stand for, as the recording says in a comment;
 * false if it says nothing, or they are what they should be. */
static bool under_delivered(const struct prof *p, const char *event, double *ret)
{
	_cleanup_(buf__done) struct buf start = {0};
	bool any = false;

	buf__puts(&start, "event ");
	escape_name(&start, event);
	buf__puts(&start, ": ");
	for (size_t i = 0; i < p->n_comments; i++) { /* of each recording that was added up */
		const char *text = prof__text(p, p->comments[i]);
		double ratio;

		if (strncmp(text, start.data, start.len) != 0 || !ratio_in(text, &ratio) ||
		    (ratio >= 0.9 && ratio <= 1.1))
			continue;
		if (!any || fabs(ratio - 1) > fabs(*ret - 1))
			*ret = ratio;
		any = true;
	}
	return any;
}

static void add_ratios(struct report *r, const struct derived *figures, size_t n)
{
	r->ratios = xcalloc(n, sizeof(*r->ratios));
	for (size_t i = 0; i < n; i++) {
		const struct derived *f = &figures[i];
		double part;

		if (!derived__is_ratio(f))
			continue;
		r->ratios[r->n_ratios++] = (struct report_ratio){
			.event = f->event,
			.other = f->other,
			.kind = f->kind,
			.factor = f->factor,
			.doubtful = under_delivered(r->prof, r->events[f->event].name, &part) ||
				    under_delivered(r->prof, r->events[f->other].name, &part),
		};
	}
}

/* Those that there are if all events have happened. */
static void find_ratios(struct report *r)
{
	_cleanup_free_ struct derive_event *roles = xcalloc(r->n_events, sizeof(*roles));
	_cleanup_free_ struct perf_count *counts = xcalloc(r->n_events, sizeof(*counts));
	_cleanup_free_ struct derived *figures =
		xcalloc(DERIVE_MAX * r->n_events, sizeof(*figures));

	for (size_t i = 0; i < r->n_events; i++) {
		roles[i] = role_of(r->prof, r->events[i].name);
		counts[i] = (struct perf_count){.value = 1, .enabled_ns = 1, .running_ns = 1};
	}
	add_ratios(r, figures, derive(roles, counts, r->n_events, 0, false, figures));
}

void report__settle(struct report *r)
{
	r->n_events = prof__events(r->prof, &r->events);
	find_ratios(r);
}

void report__done(struct report *r)
{
	prof_events__free(r->events, r->n_events);
	free(r->ratios);
}

const int64_t *report__ratio_values(const struct report *r, uint32_t row)
{
	return r->shape == GROUP_KEYS ? group__self(r->group, row) : group__total(r->group, row);
}

void report_ratio__parts(const struct report *r, const struct report_ratio *ratio,
			 const struct prof_event **ret_above, const struct prof_event **ret_below)
{
	/* the event of a figure is above, but of CPI, which stands beside the instructions */
	bool upside_down = ratio->kind == DERIVED_CPI;

	*ret_above = &r->events[upside_down ? ratio->other : ratio->event];
	*ret_below = &r->events[upside_down ? ratio->event : ratio->other];
}

struct ratio_value report_ratio__of(const struct report *r, const struct report_ratio *ratio,
				    const int64_t *values)
{
	const struct prof_event *top, *bottom;
	double above, below, n_above, n_below;
	struct ratio_value ret = {0};

	report_ratio__parts(r, ratio, &top, &bottom);
	above = (double)values[report_event__type(top)];
	below = (double)values[report_event__type(bottom)];
	if (above < 0 || !(below > 0))
		return ret;
	ret.valid = true;
	ret.value = ratio->factor * above / below;
	if (top->samples == PROF_NO_TYPE || bottom->samples == PROF_NO_TYPE)
		return ret;
	n_above = (double)values[top->samples];
	n_below = (double)values[bottom->samples];
	if (n_above < 0 || n_below <= 0)
		return ret;
	ret.has_samples = true;
	ret.few = n_above < RATIO_FEW || n_below < RATIO_FEW;
	if (!r->confidence || !(n_above > 0))
		return ret;
	poisson_ratio_interval(n_above, n_below, &ret.low, &ret.high);
	ret.low *= ret.value * n_below / n_above;
	ret.high *= ret.value * n_below / n_above;
	return ret;
}

const char *report__imbalance(const struct prof *p)
{
	static const char key[] = "ledger: ", good[] = "balanced";

	for (size_t i = 0; i < p->n_comments; i++) {
		const char *text = prof__text(p, p->comments[i]);

		if (strncmp(text, key, strlen(key)) == 0 &&
		    strncmp(text + strlen(key), good, strlen(good)) != 0)
			return text + strlen(key);
	}
	return NULL;
}

const char *report__but(const struct report *r)
{
	return r->n_ratios ? "shares are right, ratios with this event are not (marked !)" :
			     "shares are right, ratios with this event are not";
}

static void put_under_delivered(const struct prof *p, const char *event, const char *but,
				struct buf *out)
{
	double part;

	if (!under_delivered(p, event, &part))
		return;
	escape_name(out, event);
	buf__printf(out, ": its samples stand for %.0f %% of what was counted; %s\n", 100 * part,
		    but);
}

void report__warnings(const struct prof *p, const struct prof_event *events, size_t n,
		      const char *but, struct buf *out)
{
	static const char key[] = "warning: ";

	for (size_t i = 0; i < n; i++)
		put_under_delivered(p, events[i].name, but, out);
	for (size_t i = 0; i < p->n_comments; i++) {
		const char *text = prof__text(p, p->comments[i]);

		if (strncmp(text, key, strlen(key)) != 0)
			continue;
		for (text += strlen(key); *text; text += *text == '\n') {
			_cleanup_free_ char *line = xstrndup(text, strcspn(text, "\n"));

			if (*line) {
				escape_name(out, line);
				buf__putc(out, '\n');
			}
			text += strcspn(text, "\n");
		}
	}
}

void report__put_warnings(const struct prof *p, const char *whose, const struct prof_event *events,
			  size_t n, const char *but, struct buf *out)
{
	_cleanup_(buf__done) struct buf warnings = {0};
	const char *imbalance = report__imbalance(p);

	if (imbalance) {
		buf__printf(out, "# %-9s %sthe books of this recording do not balance (", "WARNING",
			    whose);
		escape_name(out, imbalance);
		buf__puts(out, ")\n");
	}
	report__warnings(p, events, n, but, &warnings);
	for (const char *line = warnings.data; line && *line;) {
		size_t len = strcspn(line, "\n");

		buf__printf(out, "# %-9s %s%.*s\n", "WARNING", whose, (int)len, line);
		line += len + (line[len] == '\n');
	}
}

bool report__is_full(const struct report *r, size_t position, size_t before, struct buf *out)
{
	if (!buf__cut(out, r->max_bytes, before))
		return false;
	*r->n_cut = r->group->n_order - position;
	return true;
}
