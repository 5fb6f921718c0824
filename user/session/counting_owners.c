// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whose the counts of whole CPUs are: the same events once more, on every CPU, for programs that
 * share out at each switch what they counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/owners.h"
#include "pmubpf/budgets.h"
#include "proc/cgroups.h"
#include "session/counting_internal.h"
#include "session/cpu_counters.h"
#include "sys/clock.h"
#include "sys/processor.h"
#include "sys/procfs.h"

enum {
	TELLING_NS = 1000000000, /* how soon a cgroup's name is looked up, or who has ended */
	SWEPT_FROM = BUDGET_OWNERS / 4,
};

struct counting_owners {
	struct owner_programs *programs;
	struct cpu_counters counters;
	struct cgroups *cgroups; /* NULL: rows are none */
	struct owners before;    /* at the end of the previous interval */
	/* What processes counted that have ended since, and whose rows others may have. */
	struct owner_row *ended;
	size_t n_ended, cap_ended;
	uint64_t told_ns;
};

static bool by_cgroup(const struct counting *c)
{
	return c->opts->by == COUNTING_BY_CGROUP || c->opts->by == COUNTING_BY_CONTAINER;
}

static int set_counter(void *programs, size_t counter, int cpu, int fd)
{
	return owner_programs__set_counter(programs, counter, cpu, fd);
}

static int open_counters(struct counting *c, struct err *err)
{
	struct counting_result *result = c->result;
	struct cpu_counters *counters = &c->owners->counters;
	int r;

	counters->option = c->opts->neighbours ? "--neighbours" : "--by";
	result->owners_tried = xcalloc(result->events.n, sizeof(*result->owners_tried));
	r = cpu_counters__open(counters, c, result->owners_tried, err);
	if (r == 0 && counters->n + c->opts->neighbours > PMB_MAX_READS)
		return err__usage(err,
				  "--neighbours: at most %d events can be counted so, and "
				  "these are %zu",
				  PMB_MAX_READS - 1, counters->n);
	return r;
}

/* Waits come first, and are of no event. */
static void set_events(const struct counting *c, struct owners *owners)
{
	size_t first = c->opts->neighbours;
	const struct cpu_counters *counters = &c->owners->counters;

	owners->of_waits = first;
	owners->n_counters = first + counters->n;
	memcpy(owners->event + first, counters->event, counters->n * sizeof(*counters->event));
}

/* Whose waits: of whom that is the target. */
static int set_waiter(struct counting *c, struct owner_opts *opts, struct err *err)
{
	const struct target *whom = &c->opts->whom;

	opts->waits = true;
	opts->process = whom->n_pids ? whom->pids[0] : 0;
	opts->waiter.filter = whom->n_cgroups ? PMB_FILTER_CGROUP : PMB_FILTER_NONE;
	return target__set_cgroup(whom->n_cgroups ? whom->cgroups : NULL, NULL, &opts->waiter, err);
}

static const struct cpus *cpus_of(const struct counting *c)
{
	return c->opts->whom.cpus ? c->opts->whom.cpus : &c->online;
}

/* -1: there is none among them. */
static int sibling_of(const struct cpus *cpus, int cpu)
{
	int sibling = processor_sibling("", cpu);

	return cpus__has(cpus, sibling) ? sibling : -1;
}

static bool any_siblings(const struct cpus *cpus)
{
	for (int i = 0; i < cpus->n; i++) {
		if (sibling_of(cpus, cpus->cpu[i]) >= 0)
			return true;
	}
	return false;
}

static void watch(const struct counting *c)
{
	const struct cpus *cpus = cpus_of(c);

	for (int i = 0; i < cpus->n; i++)
		owner_programs__watch(c->owners->programs, cpus->cpu[i],
				      sibling_of(cpus, cpus->cpu[i]));
}

static int load(struct counting *c, struct err *err)
{
	static const enum pmb_owner_by kinds[] = {
		[COUNTING_BY_PROCESS] = PMB_OWNER_BY_PROCESS,
		[COUNTING_BY_COMM] = PMB_OWNER_BY_COMM,
		[COUNTING_BY_CGROUP] = PMB_OWNER_BY_CGROUP,
		[COUNTING_BY_CONTAINER] = PMB_OWNER_BY_CGROUP,
	};
	struct owner_opts opts = {
		.by = kinds[c->opts->by],
		.config.pidns = procfs_nested_pid_namespace(),
		.n_counters = c->owners->counters.n,
	};
	const char *hierarchy;
	int r;

	if (by_cgroup(c))
		c->owners->cgroups = cgroups__new(c->opts->opener);
	hierarchy = c->owners->cgroups ? cgroups__hierarchy(c->owners->cgroups) : NULL;
	r = target__set_cgroup(NULL, hierarchy, &opts.config, err);
	if (r == 0 && c->opts->neighbours)
		r = set_waiter(c, &opts, err);
	if (r == 0)
		r = owner_programs__load(&c->owners->programs, &opts, err);
	if (r == 0 && c->opts->neighbours)
		watch(c);
	return r < 0 ? r :
		       cpu_counters__hand_over(&c->owners->counters, c, set_counter,
					       c->owners->programs, err);
}

int counting_owners__open(struct counting *c, struct err *err)
{
	const struct counting_opts *opts = c->opts;
	int r = 0;

	c->owners = xcalloc(1, sizeof(*c->owners));
	if (!opts->neighbours || (opts->by_sibling && any_siblings(cpus_of(c))))
		r = open_counters(c, err);
	set_events(c, &c->result->owners);
	return r < 0 ? r : load(c, err);
}

/* The programs first: what counters have counted then is whose the first switch finds on the CPU.
 */
int counting_owners__start(struct counting *c, struct err *err)
{
	int r = owner_programs__attach(c->owners->programs, err);

	return r < 0 ? r : cpu_counters__enable(&c->owners->counters, err);
}

static void add_counters(const struct cpu_counters *counters, struct owners *owners)
{
	for (size_t i = 0; i < counters->n_fds; i++) {
		size_t k = owners->of_waits + counters->fds[i].counter;
		struct perf_count count = {0}, *to = &owners->counter[k];

		perf_read(counters->fds[i].fd, &count);
		to->value += count.value;
		to->enabled_ns += count.enabled_ns;
		to->running_ns += count.running_ns;
	}
}

/* Not all that the CPUs counted is of those who wait: what their rows say. */
static void set_whole(struct owners *owners)
{
	for (size_t k = 1; k < owners->n_counters; k++) {
		owners->counter[k].value = 0;
		for (size_t i = 0; i < owners->n_rows; i++)
			owners->counter[k].value += owners->rows[i].counted.count[k];
		for (size_t own = 0; own < PMB_N_OWNER_OWN; own++)
			owners->counter[k].value += owners->own[own][k];
	}
}

/* They are counted all the time. */
static void set_waits(const struct counting *c, struct owners *owners)
{
	const struct target *whom = &c->opts->whom;

	if (whom->n_pids || whom->n_cgroups)
		set_whole(owners);
	owners->counter[0].value = owners->waits.all_ns;
	owners->counter[0].enabled_ns = owners->counter[0].running_ns = now_ns() - c->start_ns;
}

/* 0: it has no number here. */
static pid_t process_of(const struct pmb_owner *counted)
{
	return counted->process == PMB_OUTSIDE ? 0 : (pid_t)counted->process;
}

/* The names of cgroups that have been met; they may be gone later. */
static void look_up(struct counting *c, const struct owners *owners)
{
	struct cgroups *cgroups = c->owners->cgroups;

	for (size_t i = 0; cgroups && i < owners->n_rows; i++)
		cgroups__meet(cgroups, owners->rows[i].key.word[0],
			      process_of(&owners->rows[i].counted));
	if (cgroups)
		cgroups__look_up(cgroups, NULL, NULL);
}

static char *cgroup_name(const struct counting *c, uint64_t id)
{
	struct cgroup_info info = cgroups__info(c->owners->cgroups, id);

	if (c->opts->by == COUNTING_BY_CONTAINER)
		return xstrdup(info.container ? info.container : "[no container]");
	return info.path ? xstrdup(info.path) : xasprintf("[cgroup %" PRIu64 "]", id);
}

static bool is_asked_for(const struct counting *c, pid_t pid)
{
	const struct target *whom = &c->opts->whom;

	for (size_t i = 0; i < whom->n_pids; i++) {
		if (whom->pids[i] == pid)
			return true;
	}
	return !whom->n_pids || c->opts->neighbours;
}

static char *name_of(void *counting, const struct owner_row *row)
{
	const struct counting *c = counting;
	pid_t pid = (pid_t)row->key.word[0];

	switch (c->opts->by) {
	case COUNTING_BY_PROCESS:
		if (!is_asked_for(c, pid))
			return NULL;
		if ((uint32_t)pid == PMB_OUTSIDE)
			return xasprintf("%.*s-outside", PMB_COMM_LEN, row->counted.comm);
		return xasprintf("%.*s-%d", PMB_COMM_LEN, row->counted.comm, pid);
	case COUNTING_BY_COMM:
		return xasprintf("%.*s", PMB_COMM_LEN, (const char *)row->key.word);
	default:
		return cgroup_name(c, row->key.word[0]);
	}
}

/*
 * Or a machine that starts processes all the time would have no row left for those that come later.
 * Only of those that have ended: nobody adds to their rows meanwhile.
 */
static void sweep(struct counting *c, const struct owners *now)
{
	struct counting_owners *s = c->owners;

	if (c->opts->by != COUNTING_BY_PROCESS || now->n_rows < SWEPT_FROM)
		return;
	for (size_t i = 0; i < now->n_rows && s->n_ended < BUDGET_OWNERS_ENDED; i++) {
		const struct owner_row *row = &now->rows[i];

		if (row->key.word[0] == PMB_OUTSIDE ||
		    procfs_task_exists((pid_t)row->key.word[0]) ||
		    !owner_programs__forget(s->programs, row))
			continue;
		GROW(s->ended, s->n_ended, s->cap_ended);
		s->ended[s->n_ended++] = *row;
	}
}

/* Of this interval, those that have ended meanwhile among them. */
static void set_interval(struct counting_owners *s, const struct owners *now, struct owners *ret)
{
	struct owners all = *now;

	all.rows = xmemdup(now->rows, now->n_rows * sizeof(*now->rows));
	owners__add(&all, s->ended, s->n_ended);
	s->n_ended = 0;
	owners__set(ret, &all, &s->before);
	owners__done(&all);
}

void counting_owners__read(struct counting *c, bool last)
{
	struct counting_result *result = c->result;
	struct counting_owners *s = c->owners;
	struct owners now = {0};

	set_events(c, &now);
	if (last)
		cpu_counters__disable(&s->counters);
	if (last && c->opts->neighbours)
		owner_programs__stop(s->programs);
	if (owner_programs__read(s->programs, &now) < 0)
		return;
	add_counters(&s->counters, &now);
	if (c->opts->neighbours)
		set_waits(c, &now);
	look_up(c, &now);
	set_interval(s, &now, &result->owners);
	owners__done(&s->before);
	s->before = now;
	owner_lines__done(&result->owner_lines);
	owners__lines(&result->owners, name_of, c, &result->owner_lines);
}

/* Cgroups may be gone at the end. */
void counting_owners__tell(struct counting *c, uint64_t now)
{
	struct owners owners = {0};

	if (c->opts->by == COUNTING_BY_COMM || now - c->owners->told_ns < TELLING_NS)
		return;
	c->owners->told_ns = now;
	if (owner_programs__read(c->owners->programs, &owners) == 0) {
		look_up(c, &owners);
		sweep(c, &owners);
	}
	owners__done(&owners);
}

void counting_owners__close(struct counting *c)
{
	if (!c->owners)
		return;
	owner_programs__free(c->owners->programs);
	cpu_counters__done(&c->owners->counters);
	cgroups__free(c->owners->cgroups);
	owners__done(&c->owners->before);
	free(c->owners->ended);
	free(c->owners);
}
