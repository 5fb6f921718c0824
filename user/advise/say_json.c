// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "advise/say.h"
#include "base/cleanup.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/report_head.h"

static void put_text(struct json *j, const char *key, struct buf *text)
{
	json__str(j, key, text->len ? text->data : NULL);
	buf__clear(text);
}

/* JSON has none for "not known": those are null. */
static void put_known(struct json *j, const char *key, double value, int decimals)
{
	if (value > 0)
		json__f64(j, key, value, decimals);
	else
		json__null(j, key);
}

static void put_numbers(const struct finding *f, struct json *j)
{
	json__f64(j, "value", f->value, 3);
	json__f64(j, "low", f->low, 3);
	json__f64(j, "high", f->high, 3);
	json__f64(j, "threshold", f->rule->least, 3);
	json__i64(j, "samples", f->samples);
	json__i64(j, "of_samples", f->of_samples);
	put_known(j, "seconds", f->seconds, 6);
	put_known(j, "of_seconds", f->of_seconds, 6);
	put_known(j, "at_stake_percent", f->stake, 3);
	put_known(j, "events_per_cpu_second", f->rate, 1);
	put_known(j, "instructions_per_cycle", f->ipc, 3);
}

static void put_finding(const struct saying *s, const struct finding *f, struct json *j)
{
	_cleanup_(buf__done) struct buf text = {0};

	json__obj(j, NULL);
	json__str(j, "rule", f->rule->id);
	saying__put(s, f, f->rule->title, &text);
	put_text(j, "title", &text);
	put_numbers(f, j);
	saying__put_evidence(s, f, &text);
	put_text(j, "evidence", &text);
	json__arr(j, "places");
	for (size_t i = 0; i < f->n_places; i++) {
		json__obj(j, NULL);
		json__str(j, "place", f->places[i].text);
		json__str(j, "function", *f->places[i].function ? f->places[i].function : NULL);
		json__f64(j, "percent", f->places[i].percent, 3);
		json__end_obj(j);
	}
	json__end_arr(j);
	json__str(j, "because", f->because ? f->because->rule->id : NULL);
	saying__put_stake(f, &text);
	put_text(j, "at_stake", &text);
	json__str(j, "why", f->rule->why);
	json__str(j, "try", f->rule->what);
	saying__put_look(s, f, &text);
	put_text(j, "look", &text);
	json__end_obj(j);
}

static const char *word_of(enum verdict_of_rule verdict)
{
	static const char *const words[] = {
		[RULE_NOT_ASKED] = "not_recorded",
		[RULE_FEW] = "few_samples",
		[RULE_BELOW] = "below_threshold",
		[RULE_COVERED] = "covered",
		[RULE_HOLDS] = "holds",
	};

	return words[verdict];
}

static void put_other(const struct saying *s, const struct finding *f, struct json *j)
{
	_cleanup_(buf__done) struct buf text = {0};

	json__obj(j, NULL);
	json__str(j, "rule", f->rule->id);
	json__str(j, "verdict", word_of(f->verdict));
	put_numbers(f, j);
	saying__put_reason(s, f, &text);
	put_text(j, "reason", &text);
	json__end_obj(j);
}

void saying__json(const struct saying *s, struct buf *out)
{
	const struct report *r = s->report;
	const struct advice *a = s->advice;
	struct json j = {.out = out};

	report__begin_json(r, "advise", &j);
	report__trouble_json(r, r->events, r->n_events, &j);
	json__arr(&j, "findings");
	for (size_t i = 0; i < a->n; i++)
		put_finding(s, a->order[i], &j);
	json__end_arr(&j);
	json__arr(&j, "others");
	for (size_t i = 0; i < N_RULES; i++) {
		if (a->findings[i].verdict != RULE_HOLDS)
			put_other(s, &a->findings[i], &j);
	}
	json__end_arr(&j);
	json__end_obj(&j);
}
