// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/advise_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/advise_topdown.h"
#include "pmu/probe.h"
#include "render/escape.h"

/* Every kernel has these. */
static const char always[] = "cpu-clock,page-faults,context-switches,off-cpu";
/* Of a PMU, the most telling first. */
static const char *const counters[] = {
	"cycles",           "instructions",    "cache-misses",
	"dtlb-load-misses", "branch-misses",   "icache-load-misses",
	"itlb-load-misses", "stalls-frontend", "stalls-backend",
};

/* ---- which events */

struct lacking {
	struct buf names;
	char reason[sizeof(((struct probe_result *)NULL)->reason)];
};

static void put_name(struct buf *list, const char *name)
{
	if (list->len)
		buf__puts(list, ", ");
	escape_name(list, name);
}

static void add_lacking(struct lacking *lacking, const char *name, const char *reason)
{
	put_name(&lacking->names, name);
	if (!*lacking->reason)
		snprintf(lacking->reason, sizeof(lacking->reason), "%.*s",
			 (int)sizeof(lacking->reason) - 1, reason);
}

/* As far as the machine has it; the reason that the first one gave is kept. */
static void add_counter(struct sampling_args *s, const char *name, struct lacking *lacking)
{
	char reason[sizeof(lacking->reason)];
	struct err err = {0};

	if (!event__overflowing(&s->what.names, name, reason, sizeof(reason)))
		add_lacking(lacking, name, reason);
	else if (event_names__parse_ours(&s->what.names, &s->parsed, name, &err) < 0)
		add_lacking(lacking, name, err.text);
}

static int choose_events(struct record_args *args, struct lacking *lacking, struct err *err)
{
	struct sampling_args *s = &args->sampling;
	char reason[sizeof(lacking->reason)];
	int r;

	if (s->parsed.n || s->what.n_ops)
		return 0;
	r = event_names__parse_ours(&s->what.names, &s->parsed, always, err);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(counters); i++)
		add_counter(s, counters[i], lacking);
	if (r == 0 && !advise_topdown__add(args, reason, sizeof(reason)))
		add_lacking(lacking, "top-down analysis", reason);
	return r;
}

/* ---- what is said */

static void put_ids(const char *one, const char *several, const pid_t *ids, size_t n,
		    struct buf *out)
{
	buf__puts(out, n == 1 ? one : several);
	for (size_t i = 0; i < n; i++)
		buf__printf(out, "%s%d", i ? ", " : " ", ids[i]);
}

static void put_whom(const struct target_args *t, struct buf *out)
{
	if (t->n_pids || t->n_tids) {
		if (t->n_pids)
			put_ids("process", "processes", t->pids, t->n_pids, out);
		if (t->n_tids)
			put_ids(t->n_pids ? " and thread" : "thread", "threads", t->tids, t->n_tids,
				out);
	} else if (t->n_cgroups) {
		buf__puts(out, "cgroup ");
		escape_name(out, cgroup__path(&t->cgroups[0]));
	} else if (t->n_containers) {
		buf__puts(out, "container");
		for (size_t i = 0; i < t->n_containers; i++) {
			buf__puts(out, i ? ", " : " ");
			escape_name(out, t->containers[i]);
		}
	} else if (t->all || t->cpus.n) {
		buf__puts(out, t->all && !t->cpus.n ? "the whole system" : "some CPUs");
	} else {
		escape_name(out, t->command[0]);
	}
}

static void tell(const struct sampling_args *s, const struct lacking *lacking)
{
	_cleanup_(buf__done) struct buf text = {0};
	_cleanup_(buf__done) struct buf events = {0};

	buf__puts(&text, "pmubpf: recording ");
	put_whom(&s->target, &text);
	if (s->target.duration_ns)
		buf__printf(&text, " for %g s", (double)s->target.duration_ns / 1e9);
	else
		buf__puts(&text, " until it ends");
	for (size_t i = 0; i < s->parsed.n; i++)
		put_name(&events, s->parsed.events[i].name);
	for (size_t i = 0; i < s->what.n_ops; i++)
		put_name(&events, s->what.ops[i]);
	buf__printf(&text, ": %s\n", events.data);
	if (lacking->names.len)
		buf__printf(&text, "pmubpf: not looked at: %s: %s\n", lacking->names.data,
			    lacking->reason);
	fputs(text.data, stderr);
}

static void lacking__done(struct lacking *lacking)
{
	buf__done(&lacking->names);
}

int advise_record__settle(struct advise_args *a, struct err *err)
{
	_cleanup_(lacking__done) struct lacking lacking = {0};
	struct sampling_args *s = &a->record.sampling;
	int r = choose_events(&a->record, &lacking, err);

	if (r == 0 && !s->quiet)
		tell(s, &lacking);
	return r;
}
