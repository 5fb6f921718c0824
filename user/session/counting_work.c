// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What units of work cost: the same events once more, on every CPU, for programs that read them
 * where a unit begins and ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/work.h"
#include "session/counting_internal.h"
#include "session/cpu_counters.h"
#include "session/gate_events.h"
#include "session/gate_sites.h"
#include "session/probing.h"
#include "sys/clock.h"
#include "sys/procfs.h"

struct counting_work {
	struct gates gates; /* with whose */
	struct work_programs *programs;
	struct cpu_counters counters;
	struct counters events;    /* that begin and end units */
	struct work_counts before; /* at the end of the previous interval */
	struct probing probing;    /* of probes in programs */
	struct counting_clock clock;
	struct probed told; /* at the end of the previous interval */
};

static pid_t command_pid(const struct counting *c)
{
	return target__is_command(&c->opts->whom) ? c->result->command.pid : 0;
}

static void mark_target(void *ctx, pid_t tid)
{
	struct counting *c = ctx;

	work_programs__mark(c->work->programs, tid,
			    command_pid(c) ? PMB_MARK_ARMED : PMB_MARK_TARGET);
}

/* Whose windows. */
static int set_gates(const struct counting *c, struct gates *gates, struct err *err)
{
	struct probe_costs *each = &c->work->probing.each;
	const struct target *whom = &c->opts->whom;
	int r;

	*gates = *c->opts->per;
	gates->whose = (struct pmb_config){
		.filter = target__filter(whom),
		.pidns = procfs_nested_pid_namespace(),
	};
	r = target__set_cgroup(whom->n_cgroups ? whom->cgroups : NULL, NULL, &gates->whose, err);
	gates->counted = true;
	gates->sliced = gates__by_probes(gates) && c->opts->budget > 0;
	return r < 0 ? r :
		       gate_sites__find(gates, whom, c->opts->opener, each, &c->result->notes, err);
}

static int set_counter(void *programs, size_t counter, int cpu, int fd)
{
	return work_programs__set_counter(programs, counter, cpu, fd);
}

static int load(struct counting *c, struct err *err)
{
	struct work_opts opts = {
		.gates = &c->work->gates,
		.n_counters = c->result->work.n_counters,
		.inherit = c->opts->whom.inherit,
		.sums = c->opts->inside,
		.longer_ns = c->opts->longer_ns,
	};
	int r = set_gates(c, &c->work->gates, err);

	if (r == 0)
		r = work_programs__load(&c->work->programs, &opts, err);
	return r < 0 ? r :
		       cpu_counters__hand_over(&c->work->counters, c, set_counter,
					       c->work->programs, err);
}

static int open_counters(struct counting *c, struct err *err)
{
	struct counting_result *result = c->result;
	struct cpu_counters *counters = &c->work->counters;
	int r;

	counters->option = c->opts->per->option;
	result->work_tried = xcalloc(result->events.n, sizeof(*result->work_tried));
	r = cpu_counters__open(counters, c, result->work_tried, err);
	result->work.n_counters = counters->n;
	result->work.by_process = c->opts->per->by_process;
	memcpy(result->work.event, counters->event, sizeof(counters->event));
	return r;
}

static int open_events(struct counting *c, struct err *err)
{
	const struct gate_events_opts opts = {
		.gates = &c->work->gates,
		.fds = work_programs__gate_fds(c->work->programs),
		.whom = &c->opts->whom,
		.tasks = &c->tasks,
		.command = command_pid(c),
		.cpus = &c->online,
		.opener = c->opts->opener,
	};

	return gate_events__open(&c->work->events, &opts, err);
}

int counting_work__open(struct counting *c, struct err *err)
{
	int r;

	c->work = xcalloc(1, sizeof(*c->work));
	r = open_counters(c, err);
	if (r == 0)
		r = load(c, err);
	if (r == 0 && target__filter(&c->opts->whom) == PMB_FILTER_TASKS)
		r = tasks__each(&c->tasks, command_pid(c), mark_target, c, err);
	if (r == 0)
		r = open_events(c, err);
	if (r < 0)
		return r;
	if (c->work->gates.sliced)
		counting_clock__open(&c->work->clock, c);
	work_counts__init(&c->result->work);
	work_counts__init_like(&c->work->before, &c->result->work);
	r = cpu_counters__enable(&c->work->counters, err);
	if (r == 0)
		work_programs__calibrate(c->work->programs);
	return r;
}

static int hits(void *counting, struct probe_hits *ret)
{
	const struct counting *c = counting;

	*ret = work_programs__hits(c->work->programs);
	return 0;
}

static int take_out(void *counting)
{
	const struct counting *c = counting;

	return work_programs__take_out(c->work->programs);
}

static int put_in(void *counting, struct err *err)
{
	const struct counting *c = counting;

	return work_programs__put_in(c->work->programs, err);
}

static uint64_t cpu_ns(void *counting)
{
	const struct counting *c = counting;

	return counting_clock__read(&c->work->clock);
}

static const struct probing_fns fns = {
	.hits = hits,
	.take_out = take_out,
	.put_in = put_in,
	.cpu_ns = cpu_ns,
};

static void begin_probing(struct counting *c)
{
	struct probing *p = &c->work->probing;

	if (!gates__by_probes(&c->work->gates))
		return;
	p->fns = &fns;
	p->ctx = c;
	p->notes = &c->result->notes;
	probing__begin(p, c->opts->budget / 100 * c->online.n, 0, now_ns());
}

uint64_t counting_work__due(const struct counting *c)
{
	return c->work ? probing__due(&c->work->probing) : UINT64_MAX;
}

void counting_work__look(struct counting *c)
{
	probing__look(&c->work->probing, now_ns());
	work_programs__leave_ended(c->work->programs, now_ns());
}

int counting_work__start(struct counting *c, struct err *err)
{
	int r;

	probing__expect(&c->work->probing, c->opts->opener);
	r = work_programs__attach(c->work->programs, err);
	if (r == 0)
		begin_probing(c);
	if (r == 0 && c->opts->inside)
		work_programs__settle(c->work->programs);
	return r < 0 ? r : gate_events__start(&c->work->events, &c->opts->whom, err);
}

void counting_work__read(struct counting *c, bool last)
{
	struct work_counts *counts = &c->result->work;
	struct work_counts now;

	work_counts__init_like(&now, counts);
	probing__look(&c->work->probing, now_ns());
	if (last)
		probing__end(&c->work->probing, now_ns());
	counts->probed = probing__part(&c->work->probing, &c->work->told);
	if (c->opts->inside)
		work_programs__settle(c->work->programs);
	work_programs__read(c->work->programs, &now);
	work_counts__set(counts, &now, &c->work->before);
	c->result->n_units = distribution__n(&counts->of[PMB_UNITS_REAL][PMB_SERIES_DURATION]);
	work_counts__done(&c->work->before);
	c->work->before = now;
}

void counting_work__close(struct counting *c)
{
	if (!c->work)
		return;
	counting_clock__close(&c->work->clock);
	counters__close(&c->work->events);
	gate_sites__close(&c->work->gates);
	work_programs__free(c->work->programs);
	cpu_counters__done(&c->work->counters);
	work_counts__done(&c->work->before);
	free(c->work);
}
