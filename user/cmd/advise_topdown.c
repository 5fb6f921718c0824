// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/advise_topdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/rules.h"
#include "base/cleanup.h"
#include "base/formula.h"
#include "base/mem.h"
#include "pmu/topdown_table.h"
#include "pmu/probe.h"
#include "sys/processor.h"

enum state { UNTRIED, HERE, ADDED, LACKING };

struct tried {
	char *name;
	enum state state;
};

struct topdown_events {
	struct record_args *args;
	struct tried *list;
	size_t n, cap;
	char *reason; /* the first one */
	size_t size;
	bool lacking; /* some event of the formula at hand */
};

static void topdown_events__done(struct topdown_events *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].name);
	free(t->list);
}

static struct tried *find(struct topdown_events *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcasecmp(t->list[i].name, name) == 0)
			return &t->list[i];
	}
	GROW(t->list, t->n, t->cap);
	t->list[t->n] = (struct tried){.name = xstrdup(name)};
	return &t->list[t->n++];
}

static void try_event(void *ctx, const char *name)
{
	struct topdown_events *t = ctx;
	struct tried *tried = find(t, name);
	char reason[256] = "";
	size_t n;

	if (tried->state == UNTRIED) {
		n = event__overflowing(&t->args->sampling.what.names, name, reason, sizeof(reason));
		tried->state = n == 1 ? HERE : LACKING;
		if (tried->state == LACKING && !*t->reason)
			snprintf(t->reason, t->size, "%.*s", (int)t->size - 1, reason);
	}
	t->lacking |= tried->state == LACKING;
}

static void add_event(void *ctx, const char *name)
{
	struct topdown_events *t = ctx;
	struct tried *tried = find(t, name);
	struct sampling_args *s = &t->args->sampling;
	struct err err = {0};

	if (tried->state == HERE &&
	    event_names__parse_ours(&s->what.names, &s->parsed, name, &err) == 0)
		tried->state = ADDED;
}

static bool add_metric(struct topdown_events *t, const struct topdown_metric *m)
{
	struct formula *f = NULL;
	const char *located = m->located;

	if (located)
		try_event(t, located);
	if (located && find(t, located)->state == LACKING)
		located = NULL;
	t->lacking = formula__parse(&f, m->formula) < 0;
	if (f)
		formula__each_name(f, try_event, t);
	if (!t->lacking) {
		formula__each_name(f, add_event, t);
		if (located)
			add_event(t, located);
		buf__printf(&t->args->remarks, "topdown %s: %d %s %s\n", m->name, m->level,
			    located ? located : "-", m->formula);
	}
	formula__free(f);
	return !t->lacking;
}

/* What no rule looks at isn't recorded. */
static bool is_asked(const struct topdown_metric *m)
{
	for (size_t i = 0; i < N_RULES; i++) {
		if (rules[i].kind == RULE_SLOTS && strcmp(rules[i].account, m->name) == 0)
			return true;
	}
	return false;
}

bool advise_topdown__add(struct record_args *args, char *reason, size_t size)
{
	const struct event_db *db = args->sampling.what.names.db;
	_cleanup_(topdown_events__done) struct topdown_events t = {.args = args,
								   .reason = reason,
								   .size = size};
	struct topdown_table table;
	struct err err = {0};
	bool any = false;
	int r;

	*reason = '\0';
	if (!db)
		return true;
	r = topdown_table__read(&table, db, processor_threads(""), &err);
	if (r < 0)
		snprintf(reason, size, "%.*s", (int)size - 1, err.text);
	if (r < 0 || !table.n)
		return !*reason;
	for (size_t i = 0; i < table.n; i++)
		any |= is_asked(&table.list[i]) && add_metric(&t, &table.list[i]);
	topdown_table__done(&table);
	return any;
}
