// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every pass is an ordinary recording of some of the events. They add to one profile and one table
 * of files; ledgers, rates and scopes are put into the places of their events. Beside the sampled
 * events, those that fit into every set are also just counted, in each pass: their spread tells how
 * alike the runs were.
 */
#include "session/passes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct pass_run {
	const struct session_opts *all;
	struct session_result *result;
	struct passes *passes;
	struct event_list counted; /* in every pass; borrowed events */
	struct event_list clock;   /* ours: time is always counted */
};

static void free_list(struct event_list *list)
{
	free(list->events); /* the events themselves are borrowed */
}

static bool set_reads_counters(const struct event_list *all, const struct plan *plan, size_t set)
{
	for (size_t i = 0; i < all->n; i++) {
		if (plan->set[i] == set && all->events[i].mode == EVENT_READ)
			return true;
	}
	return false;
}

/* In a set of its own, an event is printed in the name of the first of those that go with it. */
static size_t lead_in_set(const struct event_list *set)
{
	size_t last = set->n - 1, i = 0;

	while (i < last && strcmp(set->events[i].name, set->events[last].name) != 0)
		i++;
	return i;
}

/* The events of one set, with our clock if it has to read some of them; numbers[i] is the i-th's
 * place among all. */
static void pick_set(const struct event_list *all, const struct plan *plan, size_t set,
		     struct event_list *ret, size_t *numbers)
{
	bool reads = set_reads_counters(all, plan, set);

	for (size_t i = 0; i < all->n; i++) {
		if (all->events[i].added ? !reads : plan->set[i] != set)
			continue;
		numbers[ret->n] = i;
		GROW(ret->events, ret->n, ret->cap);
		ret->events[ret->n++] = all->events[i];
		ret->events[ret->n - 1].lead = lead_in_set(ret);
	}
}

static void count_in_all(struct pass_run *run, const struct event *event)
{
	struct event_list *counted = &run->counted;

	GROW(counted->events, counted->n, counted->cap);
	counted->events[counted->n++] = *event;
	run->passes->names[run->passes->n_counts++] = xstrdup(event__label(event));
}

static int pick_counted(struct pass_run *run, const struct plan *plan, struct err *err)
{
	const struct event_list *all = run->all->events;
	int r = event_list__parse(&run->clock, "task-clock", NULL, err);

	if (r < 0)
		return r;
	run->passes->names = xcalloc(all->n + 1, sizeof(*run->passes->names));
	count_in_all(run, &run->clock.events[0]);
	for (size_t i = 0; i < all->n; i++) {
		/* a system counter counts for no command, a clock of ours is nobody's question */
		if (plan->everywhere[i] && all->events[i].mode != EVENT_SYSTEM &&
		    !all->events[i].added && strcmp(all->events[i].name, "task-clock") != 0)
			count_in_all(run, &all->events[i]);
	}
	return 0;
}

static void merge(struct pass_run *run, struct session_result *pass, const size_t *numbers,
		  int status)
{
	struct session_result *total = run->result;
	struct passes *passes = run->passes;

	ledger__add(&total->ledger, &pass->ledger, numbers);
	for (size_t i = 0; i < pass->ledger.n_events; i++) {
		total->rates[numbers[i]] = pass->rates[i];
		total->scopes[numbers[i]] = pass->scopes[i];
	}
	total->duration_ns += pass->duration_ns;
	total->cpu_ns = pass->cpu_ns;
	cost__add(&total->cost, &pass->cost);
	total->end = pass->end;
	if (pass->notes.len)
		buf__puts(&total->notes, pass->notes.data);
	passes->list[passes->n++] = (struct pass){
		.duration_ns = pass->duration_ns,
		.status = status,
		.counts = TAKE_PTR(pass->counts),
	};
}

static int record_pass(struct pass_run *run, const struct plan *plan, size_t set, int *ret_status,
		       struct err *err)
{
	_cleanup_(free_list) struct event_list events = {0};
	_cleanup_free_ size_t *numbers = xcalloc(run->all->events->n, sizeof(*numbers));
	_cleanup_(session_result__done) struct session_result pass = {0};
	struct session_opts opts = *run->all;
	struct session *session;
	int r;

	pick_set(run->all->events, plan, set, &events, numbers);
	opts.events = &events;
	opts.numbers = numbers;
	opts.profile = run->result->profile;
	opts.files = run->result->files;
	opts.objects = run->result->objects;
	opts.sites = run->result->sites;
	opts.contexts = run->result->contexts;
	opts.branches = run->result->branches;
	opts.cgroups = run->result->cgroups;
	opts.counted = &run->counted;
	opts.cpu_ns = run->result->cpu_ns;
	opts.more_follow = set + 1 < plan->n_sets;
	r = session__record(&session, &opts, &pass, err);
	if (r < 0)
		return r;
	*ret_status = session__wait(session);
	session__free(session);
	merge(run, &pass, numbers, *ret_status);
	return 0;
}

/* Rows of events whose pass did not come have their names at least. */
static void init_result(struct pass_run *run)
{
	size_t n = run->all->events->n;
	struct session_result *result = run->result;

	*result = (struct session_result){
		.profile = profile__new(),
		.files = files__new(run->all->opener),
		.objects = objects__new(run->all->max_memory / BUDGET_OBJECTS_PART),
		.sites = sites__new(run->all->max_memory / BUDGET_SITES_PART),
		.contexts = session_contexts(run->all),
		.branches = session_branches(run->all),
		.cgroups = session_wants_cgroups(run->all) ? cgroups__new(run->all->opener) : NULL,
		.ledger = {.events = xcalloc(n, sizeof(struct ledger_event)), .n_events = n},
		.rates = xcalloc(n, sizeof(*result->rates)),
		.scopes = xcalloc(n, sizeof(*result->scopes)),
	};
	for (size_t i = 0; i < n; i++)
		result->ledger.events[i].name = event__label(&run->all->events->events[i]);
}

int passes__record(const struct session_opts *opts, const struct plan *plan,
		   struct session_result *result, struct passes *passes, int *ret_status,
		   struct err *err)
{
	struct pass_run run = {.all = opts, .result = result, .passes = passes};
	int r;

	*passes = (struct passes){.list = xcalloc(plan->n_sets, sizeof(*passes->list))};
	init_result(&run);
	r = pick_counted(&run, plan, err);
	for (size_t set = 0; r == 0 && set < plan->n_sets; set++) {
		r = record_pass(&run, plan, set, ret_status, err);
		if (r < 0 || set + 1 == plan->n_sets)
			break;
		if (session_cut_short(result->end)) {
			buf__printf(&result->notes,
				    "ended after %zu of %zu passes: the events of the others were "
				    "not recorded\n",
				    set + 1, plan->n_sets);
			break;
		}
	}
	ledger__count_rows(&result->ledger, result->profile);
	free_list(&run.counted);
	event_list__done(&run.clock);
	return r;
}
