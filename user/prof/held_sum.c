// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/held_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

#define MOST 1e12 /* of a profile that anybody may have written */

/* In their order: of some tasks, and of all. */
static const char *const kinds[] = {"cpu ", "memory ", "io "};

bool remark__take_f64(const char **p, const char *behind, double *ret)
{
	_cleanup_free_ char *number = xstrndup(*p, strspn(*p, "0123456789."));

	if (num__parse_f64(number, ret) < 0 || !starts_with(*p + strlen(number), behind))
		return false;
	*p += strlen(number) + strlen(behind);
	return true;
}

bool remark__quota(const char *text, struct held_quota *ret, const char **ret_whose)
{
	*ret_whose = text;
	return remark__take_f64(ret_whose, " of ", &ret->held) &&
	       remark__take_f64(ret_whose, " periods, ", &ret->periods) &&
	       remark__take_f64(ret_whose, " s, ", &ret->seconds) &&
	       remark__take_f64(ret_whose, " CPUs, of ", &ret->cpus) && ret->held <= ret->periods &&
	       ret->periods <= MOST && ret->seconds <= MOST;
}

static void add_quota(struct held_sum *s, const char *text)
{
	struct held_quota q = {0}, *to = NULL;
	const char *whose;

	if (!remark__quota(text, &q, &whose))
		return;
	for (size_t i = 0; i < s->n_quotas && !to; i++)
		to = strcmp(s->quotas[i].whose, whose) == 0 ? &s->quotas[i] : NULL;
	if (!to && s->n_quotas == HELD_SUM_MOST)
		return;
	if (!to) {
		GROW(s->quotas, s->n_quotas, s->cap_quotas);
		to = &s->quotas[s->n_quotas++];
		*to = (struct held_quota){.whose = xstrdup(whose), .cpus = q.cpus};
	}
	to->held += q.held;
	to->periods += q.periods;
	to->seconds += q.seconds;
}

/* "cpu 12.31 0.00, memory 0.00 0.00, io 1.20 0.80, of the machine" */
static bool read_pressure(const char **p, double *ret)
{
	for (size_t i = 0; i < HELD_NUMBERS; i += 2) {
		const char *kind = kinds[i / 2];

		if (!starts_with(*p, kind))
			return false;
		*p += strlen(kind);
		if (!remark__take_f64(p, " ", &ret[i]) || !remark__take_f64(p, ", ", &ret[i + 1]) ||
		    ret[i] > 100 || ret[i + 1] > 100)
			return false;
	}
	if (!starts_with(*p, "of "))
		return false;
	*p += strlen("of ");
	return true;
}

static void add_pressure(struct held_sum *s, const char *text, double seconds)
{
	struct held_pressure *to = NULL;
	double numbers[HELD_NUMBERS];

	if (!read_pressure(&text, numbers))
		return;
	for (size_t i = 0; i < s->n_pressures && !to; i++)
		to = strcmp(s->pressures[i].whose, text) == 0 ? &s->pressures[i] : NULL;
	if (!to && s->n_pressures == HELD_SUM_MOST)
		return;
	if (!to) {
		GROW(s->pressures, s->n_pressures, s->cap_pressures);
		to = &s->pressures[s->n_pressures++];
		*to = (struct held_pressure){.whose = xstrdup(text)};
	}
	for (size_t i = 0; i < HELD_NUMBERS; i++)
		to->of[i] += numbers[i] * seconds;
	to->seconds += seconds;
}

void held_sum__add(struct held_sum *s, const char *comment, double seconds)
{
	if (seconds > 0 && starts_with(comment, "quota: "))
		add_quota(s, comment + strlen("quota: "));
	else if (seconds > 0 && starts_with(comment, "pressure: "))
		add_pressure(s, comment + strlen("pressure: "), seconds);
}

static void add_line(struct prof *to, struct buf *line)
{
	prof__comment(to, line->data);
	buf__clear(line);
}

void held_sum__put(const struct held_sum *s, struct prof *to)
{
	_cleanup_(buf__done) struct buf line = {0};

	for (size_t i = 0; i < s->n_pressures; i++) {
		const struct held_pressure *p = &s->pressures[i];

		buf__puts(&line, "pressure:");
		for (size_t k = 0; k < HELD_NUMBERS; k += 2)
			buf__printf(&line, " %s%.2f %.2f,", kinds[k / 2], p->of[k] / p->seconds,
				    p->of[k + 1] / p->seconds);
		buf__printf(&line, " of %s", p->whose);
		add_line(to, &line);
	}
	for (size_t i = 0; i < s->n_quotas; i++) {
		const struct held_quota *q = &s->quotas[i];

		buf__printf(&line, "quota: %.0f of %.0f periods, %.3f s, %.2f CPUs, of %s", q->held,
			    q->periods, q->seconds, q->cpus, q->whose);
		add_line(to, &line);
	}
}

void held_sum__done(struct held_sum *s)
{
	for (size_t i = 0; i < s->n_quotas; i++)
		free(s->quotas[i].whose);
	for (size_t i = 0; i < s->n_pressures; i++)
		free(s->pressures[i].whose);
	free(s->quotas);
	free(s->pressures);
	*s = (struct held_sum){0};
}
