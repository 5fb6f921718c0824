// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/alarm_terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/derive.h"

static size_t find(const struct event_list *events, const char *name)
{
	size_t i = 0;

	while (i < events->n && strcmp(events->events[i].name, name) != 0)
		i++;
	return i;
}

/* A name, which may be of no event that is counted yet. */
static int settle(const struct event_names *names, struct event_list *events, const char *option,
		  const char *relation, const char *name, size_t *ret, struct err *err)
{
	int r = 0;

	*ret = find(events, name);
	if (*ret == events->n)
		r = event_names__parse(names, events, name, err);
	if (r == 0 && events->n != *ret + 1 && find(events, name) != *ret)
		return err__usage(err, "%s '%s': '%s' is not one event", option, relation, name);
	return r;
}

static int parse_target(struct alarm_target *t, const char *option, const char *relation,
			struct err *err)
{
	char *value = strchr(t->text, '=');
	int r = -ENOENT;

	if (value) {
		*value = '\0';
		r = target_args__add(&t->args, t->text, value + 1);
	}
	if (r == -ENOENT)
		return err__usage(err,
				  "%s '%s': a target is pid=, tid=, cgroup= or container=, as in "
				  "'page-faults{container=db}'",
				  option, relation);
	return r;
}

static int parse_apart(struct alarm_term *ret, struct alarm_targets *targets,
		       const struct event_names *names, const char *relation, const char *name,
		       const char *target, struct err *err)
{
	struct alarm_target *t;
	size_t index;
	int r;

	GROW(targets->list, targets->n, targets->cap);
	*ret = (struct alarm_term){.of = TERM_APART, .index = targets->n};
	t = &targets->list[targets->n++];
	*t = (struct alarm_target){
		.text = xstrndup(target, strlen(target) - 1),
		.args = {.err = err, .many_cgroups = true},
	};
	r = parse_target(t, targets->option, relation, err);
	if (r < 0)
		return r;
	return settle(names, &t->events, targets->option, relation, name, &index, err);
}

int alarm_term__parse(struct alarm_term *ret, struct alarm_targets *targets,
		      const struct event_names *names, struct event_list *events,
		      const char *relation, const char *term, struct err *err)
{
	const char *brace = strchr(term, '{');
	_cleanup_free_ char *name = brace ? xstrndup(term, (size_t)(brace - term)) : NULL;

	if (brace && brace > term && term[strlen(term) - 1] == '}')
		return parse_apart(ret, targets, names, relation, name, brace + 1, err);
	*ret = (struct alarm_term){.of = TERM_EVENT};
	return settle(names, events, targets->option, relation, term, &ret->index, err);
}

const struct counting_beside *alarm_targets__beside(struct alarm_targets *targets)
{
	targets->beside = xcalloc(targets->n ? targets->n : 1, sizeof(*targets->beside));
	for (size_t i = 0; i < targets->n; i++) {
		targets->beside[i].events = &targets->list[i].events;
		targets->beside[i].whom = target_args__target(&targets->list[i].args, false);
	}
	return targets->beside;
}

void alarm_targets__done(struct alarm_targets *targets)
{
	for (size_t i = 0; i < targets->n; i++) {
		free(targets->list[i].text);
		target_args__done(&targets->list[i].args);
		event_list__done(&targets->list[i].events);
	}
	free(targets->list);
	free(targets->beside);
}

static double sum_of(const struct counts *counts, size_t event)
{
	double sum = 0;

	for (size_t row = 0; row < counts->n_rows; row++)
		sum += count__scaled(&counts->cells[row * counts->n_events + event]);
	return sum;
}

double alarm_term__value(const struct alarm_term *term, const struct counting_result *result)
{
	switch (term->of) {
	case TERM_EVENT:
		return sum_of(&result->counts, term->index);
	case TERM_APART:
		return sum_of(&result->beside[term->index].counts, 0);
	case TERM_UNITS:
	default:
		return (double)result->n_units;
	}
}

const struct probe_result *alarm_term__tried(const struct alarm_term *term,
					     const struct counting_result *result)
{
	switch (term->of) {
	case TERM_EVENT:
		return &result->tried[term->index];
	case TERM_APART:
		return &result->beside[term->index].tried[0];
	case TERM_UNITS:
	default:
		return NULL;
	}
}
