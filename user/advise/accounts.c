// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the recording says of itself and of its machine, in its comments: cmd/remarks.h and
 * cmd/held_up.h have their forms. */
#include <math.h>
#include <string.h>

#include "advise/look.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "prof/held_sum.h"

/* "user stacks: 1990 complete, 10 truncated" */
static void look_at_stacks(const struct advice *a, struct finding *f)
{
	static const char *const whole[] = {" complete", " complete_by_fp", " execing", " outside"};
	const char *text = prof__remark(a->prof, "user stacks");
	double good = 0, all = 0;

	if (!text)
		return;
	for (const char *p = text; *p;) {
		uint64_t number;
		size_t len;

		p += strspn(p, " ,");
		if (!num__take_u64(&p, &number))
			break;
		len = strcspn(p, ",");
		all += (double)number;
		for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
			if (strlen(whole[i]) == len && strncmp(p, whole[i], len) == 0)
				good += (double)number;
		}
		p += len;
	}
	f->samples = (int64_t)(all - good);
	f->of_samples = (int64_t)all;
	finding__share(all - good, good, all - good, good, f);
	finding__judge(f, all >= RULE_FEW_SAMPLES);
}

/* "processor: 6.1 % of the CPUs' time taken by the hypervisor, slowed down 3 times by heat" */
static void look_at_processor(const struct advice *a, struct finding *f)
{
	const char *text = prof__remark(a->prof, "processor");
	const char *slowed = text ? strstr(text, "slowed down ") : NULL;
	uint64_t times;

	if (f->rule->kind == RULE_STOLEN) {
		_cleanup_free_ char *percent = text ? xstrndup(text, strcspn(text, " ")) : NULL;

		if (!percent || num__parse_f64(percent, &f->value) < 0)
			return;
	} else {
		slowed = slowed ? slowed + strlen("slowed down ") : NULL;
		if (!slowed || !num__take_u64(&slowed, &times))
			return;
		f->value = (double)times;
	}
	f->low = f->high = f->value;
	if (f->rule->kind == RULE_HEAT) /* of what is longer than a minute: so often in each */
		f->low /= fmax(1, (double)a->prof->duration_ns / 60e9);
	f->stake = f->rule->kind == RULE_STOLEN ? f->value : 0;
	finding__judge(f, true);
}

/* ---- who was held up */

/* Behind "KEY: ", from that comment on; NULL: there is no other. */
static const char *next_remark(const struct advice *a, const char *key, size_t *at)
{
	while (*at < a->prof->n_comments) {
		const char *text = prof__text(a->prof, a->prof->comments[(*at)++]);

		if (starts_with(text, key) && starts_with(text + strlen(key), ": "))
			return text + strlen(key) + 2;
	}
	return NULL;
}

/* look: a word of the command that looks closer. */
static void set_place(struct finding *f, const char *text, const char *look)
{
	if (!f->n_places)
		f->places[f->n_places++] = (struct place){.percent = 100};
	free(f->places[0].text);
	free(f->places[0].function);
	f->places[0].text = xstrdup(text);
	f->places[0].function = xstrdup(look);
}

/* "84 of 100 periods, 6.312 s, 0.50 CPUs, of /sys/fs/cgroup/web.slice": that with the most time. */
static void look_at_quota(const struct advice *a, struct finding *f)
{
	const char *text, *whose;

	for (size_t i = 0; (text = next_remark(a, "quota", &i));) {
		struct held_quota q;

		if (!remark__quota(text, &q, &whose) || q.seconds <= f->seconds)
			continue;
		f->samples = (int64_t)q.held;
		f->of_samples = (int64_t)q.periods;
		f->seconds = q.seconds;
		f->cpus = q.cpus;
		set_place(f, whose, whose);
	}
	if (!f->of_samples)
		return;
	finding__share((double)f->samples, (double)(f->of_samples - f->samples), (double)f->samples,
		       (double)(f->of_samples - f->samples), f);
	f->of_seconds = f->seconds + a->clock_seconds;
	f->stake = 100 * f->seconds / f->of_seconds;
	finding__judge(f, f->of_samples >= RULE_FEW_PERIODS);
}

/* "… memory 4.20 1.00, …": of some, and of all. */
static bool percent_of(const char *text, const char *what, double *ret)
{
	_cleanup_free_ char *key = xasprintf(" %s ", what);
	_cleanup_free_ char *padded = xasprintf(" %s", text);
	const char *at = strstr(padded, key);

	if (!at)
		return false;
	at += strlen(key);
	return remark__take_f64(&at, " ", ret);
}

/* Of the cgroup that waited most, else of the machine: there it may be others who did. */
static void look_at_pressure(const struct advice *a, struct finding *f)
{
	const char *text;

	for (size_t i = 0; (text = next_remark(a, "pressure", &i));) {
		const char *whose = strstr(text, ", of ");
		_cleanup_free_ char *file = NULL;
		double percent;

		if (!whose || !percent_of(text, f->rule->account, &percent) || percent > 100)
			continue;
		whose += strlen(", of ");
		if (f->n_places && !f->of_machine && percent <= f->value)
			continue;
		f->of_machine = strcmp(whose, "the machine") == 0;
		f->value = f->low = f->high = percent;
		file = f->of_machine ? xasprintf("/proc/pressure/%s", f->rule->account) :
				       xasprintf("%s/%s.pressure", whose, f->rule->account);
		set_place(f, whose, file);
	}
	if (!f->n_places)
		return;
	f->stake = f->value;
	finding__judge(f, true);
	if (f->of_machine && f->rule != &rules[RULE_MEMORY_PRESSURE])
		f->verdict = RULE_BELOW;
}

void accounts__look(struct advice *a, struct finding *f)
{
	switch (f->rule->kind) {
	case RULE_OF_STACKS:
		look_at_stacks(a, f);
		break;
	case RULE_QUOTA:
		look_at_quota(a, f);
		break;
	case RULE_PRESSURE:
		look_at_pressure(a, f);
		break;
	default:
		look_at_processor(a, f);
	}
}
