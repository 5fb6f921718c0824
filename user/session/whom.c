// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whom to count. Commands, -a, -C and -G get one event per CPU, chosen in BPF, because inherited
 * per-task events start a fresh period in every child and lose the weight of short-lived ones;
 * -p, -t and breakpoints get per-task events, so that the host's other programs feel nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "collect/features.h"
#include "collect/kernel_types.h"
#include "collect/room.h"
#include "collect/siblings.h"
#include "pmu/branch_filter.h"
#include "pmu/probe.h"
#include "pmu/skid.h"
#include "pmu/collection_mode.h"
#include "session/gate_events.h"
#include "session/internal.h"
#include "sys/procfs.h"

enum { ATTACH_TRIES = 5 };

/* Processes that hold inherited events, and how many times they forked. */
struct family {
	struct member {
		uint32_t tgid;
		UT_hash_handle hh;
	} * members;
	uint64_t forks;
};

static void family__add(struct family *family, uint32_t tgid)
{
	struct member *m;

	HASH_FIND(hh, family->members, &tgid, sizeof(tgid), m);
	if (m)
		return;
	m = xcalloc(1, sizeof(*m));
	m->tgid = tgid;
	HASH_ADD(hh, family->members, tgid, sizeof(m->tgid), m);
}

void session__family_forked(struct session *s, const struct life *life)
{
	struct member *m = NULL;

	if (s->family)
		HASH_FIND(hh, s->family->members, &life->parent_tgid, sizeof(life->parent_tgid), m);
	if (!m || !s->opts->whom.inherit)
		return;
	s->family->forks++;
	family__add(s->family, life->tgid);
}

/* One whose threads go on after it may still fork, and stays; so do zombies, until their number is
 * used again. */
void session__family_exited(struct session *s, const struct life *life)
{
	struct member *m = NULL;

	if (s->family)
		HASH_FIND(hh, s->family->members, &life->tgid, sizeof(life->tgid), m);
	if (!m || procfs_task_exists((pid_t)life->tgid))
		return;
	HASH_DEL(s->family->members, m);
	free(m);
}

uint64_t session__family_forks(const struct session *s)
{
	return s->family->forks;
}

void session__family_free(struct session *s)
{
	struct member *m, *next;

	if (!s->family)
		return;
	HASH_ITER(hh, s->family->members, m, next) {
		HASH_DEL(s->family->members, m);
		free(m);
	}
	free(s->family);
	s->family = NULL;
}

static enum session_scope event_scope(const struct session_opts *o, const struct event *event)
{
	/* a clock that stood still while others ran would not know whose their counts are */
	if (event->mode != EVENT_OVERFLOWS || event->added)
		return SCOPE_PER_CPU;
	if (target__any_process(&o->whom))
		return SCOPE_PER_CPU;
	if (o->scope != SCOPE_AUTO)
		return o->scope;
	if (o->whom.cpus)
		return SCOPE_PER_CPU;
	return event->is_breakpoint || o->whom.n_pids || o->whom.n_tids ? SCOPE_PER_TASK :
									  SCOPE_PER_CPU;
}

static enum pmb_filter event_filter(const struct session *s, size_t event)
{
	if (s->result->scopes[event] == SCOPE_PER_TASK ||
	    s->opts->events->events[event].mode == EVENT_SYSTEM)
		return PMB_FILTER_NONE;
	return target__filter(&s->opts->whom);
}

/* Windows and allocations are of tasks, whatever the scope of the events. */
static bool windows_need_marks(const struct session *s)
{
	return (s->opts->gates || s->opts->allocs || session__mapped_wanted(s)) &&
	       target__filter(&s->opts->whom) == PMB_FILTER_TASKS;
}

static bool any_read(const struct session_opts *o)
{
	for (size_t i = 0; i < o->events->n; i++) {
		if (o->events->events[i].mode == EVENT_READ)
			return true;
	}
	return false;
}

/* The clock at whose overflows counters are read; SIZE_MAX: none. */
static size_t find_clock(const struct session_opts *o)
{
	for (size_t i = 0; i < o->events->n; i++) {
		const struct event *event = &o->events->events[i];

		if (event__is_clock(event) && event_scope(o, event) == SCOPE_PER_CPU)
			return i;
	}
	return SIZE_MAX;
}

bool session_needs_clock(const struct session_opts *o, bool each_pass)
{
	return any_read(o) && (each_pass || find_clock(o) == SIZE_MAX);
}

/* Tells the clock's program which events it has to read. */
static int set_reads(const struct session_opts *o, struct pmb_config *configs, struct err *err)
{
	struct pmb_config *clock;

	if (!any_read(o))
		return 0;
	clock = &configs[find_clock(o)];
	for (size_t i = 0; i < o->events->n; i++) {
		if (o->events->events[i].mode != EVENT_READ)
			continue;
		if (clock->n_reads == PMB_MAX_READS)
			return err__usage(
				err,
				"-e: at most %d events without overflow interrupt can be read "
				"at once; '%s' is one too many",
				PMB_MAX_READS, o->events->events[i].name);
		clock->read_event[clock->n_reads++] = (__u32)i;
	}
	return 0;
}

/* Code addresses of user space fit under the topmost stack address, rounded up to whole bits. */
static uint64_t user_mask(void)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	return ~0ULL >> __builtin_clzll(here);
}

/* Whose windows. */
static int set_gates(struct session *s, uint32_t pidns, struct err *err)
{
	struct pmb_config whose = {.filter = target__filter(&s->opts->whom), .pidns = pidns};
	int r = session__choose_cgroup(s, &whose, err);

	return r < 0 ? r : session__window_probes_find(s, &whose, err);
}

/* The kernel's own clocks and what is counted by hardware interrupt; its other counts are made
 * where they happen. */
static uint32_t want_interrupted(const struct session *s, const struct event *event)
{
	bool made_there = event->is_breakpoint || (event->attr.type == PERF_TYPE_SOFTWARE &&
						   !event__counts_all_code(event));

	if (!(s->opts->labels & LABEL_INTERRUPTED) || event->off_cpu)
		return PMB_INTERRUPTED_NOT_WANTED;
	return made_there ? PMB_INTERRUPTED_HERE : PMB_INTERRUPTED_BENEATH;
}

static struct pmb_config event_config(const struct session *s, size_t i)
{
	const struct session_opts *o = s->opts;
	const struct event *event = &o->events->events[i];

	return (struct pmb_config){
		.user_mask = s->user_mask,
		.filter = event_filter(s, i),
		.weight = event_weight(s, i),
		.max_frames = o->max_frames,
		.want_lines = o->lines,
		.want_user = o->want_user,
		.want_kernel = o->want_kernel,
		.want_addr = o->addr_mask && event->has_addr,
		.want_data = (o->labels & LABEL_DATA) && event_skid(event),
		.want_context = o->labels & LABEL_CONTEXT,
		.want_interrupted = want_interrupted(s, event),
		.want_sibling = o->labels & LABEL_SIBLING && !event->off_cpu,
		.has_task_regs = feature__has(FEATURE_TASK_REGS),
		.live_period = (event->adaptive || event->detail) && event->unit == UNIT_NS &&
			       !event->off_cpu,
		.off_cpu = event->off_cpu,
		.off_min_ns = event->off_min_ns,
		.want_branches = o->branch_filter && event__takes_branches(event),
		.patient = o->patient,
	};
}

/* Why there is no label. */
static void note_siblings(struct session *s)
{
	int pairs, known = programs__siblings(s->programs, &pairs);

	if (!pairs)
		buf__puts(&s->result->notes,
			  "sibling: no CPU here shares its core with exactly one other\n");
	else if (!known)
		buf__puts(&s->result->notes, "sibling: this kernel doesn't tell whom its CPUs run "
					     "(CONFIG_FAIR_GROUP_SCHED)\n");
}

int session__load(struct session *s, struct err *err)
{
	const struct session_opts *o = s->opts;
	_cleanup_free_ struct pmb_config *configs = xcalloc(o->events->n, sizeof(*configs));
	_cleanup_free_ bool *sampled = xcalloc(o->events->n, sizeof(*sampled));
	const int64_t count_beside_rq = o->labels & LABEL_INTERRUPTED ? preempt_count_beside_rq() :
									0;
	struct programs_opts opts = {
		.n_events = o->events->n,
		.configs = configs,
		.sampled = sampled,
		.cpus = &s->online,
		.ring_bytes = s->ring_bytes,
		.rings_bytes = o->ring_bytes ? 0 : ROOM_RINGS_BYTES,
		.inherit = o->whom.inherit,
		.by_table = o->want_user && o->by_table,
		.by_container = o->whom.n_containers,
		.pidns = procfs_nested_pid_namespace(),
	};
	int r;

	s->user_mask = user_mask();
	if (o->labels & LABEL_DATA)
		memory_nodes__read(&s->memory_nodes, "");
	s->any_process = target__any_process(&o->whom);
	for (size_t i = 0; i < o->events->n; i++) {
		const struct event *event = &o->events->events[i];

		s->result->scopes[i] = event_scope(o, event);
		configs[i] = event_config(s, i);
		configs[i].count_beside_rq = count_beside_rq;
		r = session__choose_cgroup(s, &configs[i], err);
		if (r < 0)
			return r;
		opts.follow |= configs[i].filter == PMB_FILTER_TASKS;
		sampled[i] = event->mode == EVENT_OVERFLOWS;
		opts.n_reads += event->mode == EVENT_READ;
		if (event->off_cpu)
			opts.off_cpu = &configs[i];
	}
	opts.follow |= windows_need_marks(s);
	r = set_reads(o, configs, err);
	if (r == 0 && o->gates)
		r = set_gates(s, opts.pidns, err);
	opts.gates = session__gates(s);
	if (r == 0)
		r = programs__load(&s->programs, &opts, err);
	if (r == 0 && siblings__wanted(&opts))
		note_siblings(s);
	if (r == 0 && opts.by_table)
		session__unwind_open(s);
	return r;
}

/* 0: it is none of the targets. */
static pid_t command_pid(const struct session *s)
{
	return target__is_command(&s->opts->whom) ? s->command.pid : 0;
}

static void mark_target(void *ctx, pid_t tid)
{
	struct session *s = ctx;

	programs__mark(s->programs, tid, command_pid(s) ? PMB_MARK_ARMED : PMB_MARK_TARGET);
}

static struct counters_opts counter_opts(struct session *s, size_t event)
{
	const struct event *e = &s->opts->events->events[event];

	return (struct counters_opts){
		.sampled = true,
		.program_fd =
			e->mode == EVENT_OVERFLOWS ? programs__overflow_fd(s->programs, event) : -1,
		.opener = s->opts->opener,
		.event = e,
		.index = event,
		.inherit = s->opts->whom.inherit,
		.want_data = s->opts->labels & LABEL_DATA,
		.want_phys = s->opts->labels & LABEL_DATA && s->memory_nodes.n_nodes > 1,
		.branch_filter = s->opts->branch_filter,
		.enable_on_exec = target__is_command(&s->opts->whom),
	};
}

/* Number `read` of the counters that a clock reads; those just opened are the last of the list. */
static int hand_over(struct session *s, size_t read, size_t first, struct err *err)
{
	for (size_t i = first; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];
		int r = programs__set_counter(s->programs, read, c->cpu, c->fd);

		if (r < 0)
			return err__cannot(err, "event '%s' can't be read in an interrupt: %s",
					   s->opts->events->events[c->event].name, strerror(-r));
	}
	return 0;
}

/* The event on those of the CPUs that have its PMU; *opened counts them. */
static int open_on_cpus(struct session *s, const struct counters_opts *opts,
			const struct cpus *cpus, int *opened, struct err *err)
{
	const char *own_text = opts->event->cpus;
	_cleanup_(cpus__done) struct cpus own = {0}, both = {0};

	if (!own_text || cpus__parse(own_text, &own) < 0) {
		*opened += cpus->n;
		return counters__open_cpus(&s->counters, opts, cpus, err);
	}
	cpus__both(cpus, &own, &both);
	*opened += both.n;
	return counters__open_cpus(&s->counters, opts, &both, err);
}

int session__open_on(struct session *s, const struct cpus *cpus, bool late, int *opened,
		     struct err *err)
{
	const struct event_list *list = s->opts->events;
	size_t n_read = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		size_t first = s->counters.n;
		struct counters_opts opts = counter_opts(s, i);

		if (s->result->scopes[i] != SCOPE_PER_CPU)
			continue;
		opts.late = late;
		opts.period = late ? session__period(s, i) : 0;
		r = open_on_cpus(s, &opts, cpus, &opened[list->events[i].lead], err);
		if (r == 0 && list->events[i].mode == EVENT_READ)
			r = hand_over(s, n_read++, first, err);
	}
	return r;
}

/* Of the events of one text, those whose PMU isn't on the CPUs asked for stay empty; not all of
 * them. */
static int open_per_cpu(struct session *s, struct err *err)
{
	const struct event_list *list = s->opts->events;
	_cleanup_free_ int *opened = xcalloc(list->n, sizeof(*opened));
	int r = session__open_on(s, s->cpus, false, opened, err);

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		const struct event *event = &list->events[i];

		if (event->lead == i && !opened[i] && s->result->scopes[i] == SCOPE_PER_CPU)
			return err__usage(
				err,
				"-C: event '%s' counts on CPU %s only (PMU %s), which is not "
				"among them",
				event->name, event->cpus, event->pmu);
	}
	return r;
}

/* Of the command alone, with its children, whatever is sampled: so that runs can be compared. */
static int open_counted(struct session *s, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && s->opts->counted && i < s->opts->counted->n; i++) {
		const struct counters_opts opts = {
			.event = &s->opts->counted->events[i],
			.opener = s->opts->opener,
			.index = i,
			.inherit = s->opts->whom.inherit,
			.enable_on_exec = true,
		};

		r = counters__open_tasks(&s->counted, &opts, &s->command.pid, 1, err);
	}
	return r;
}

static int open_tasks(struct session *s, struct counters *c, const pid_t *tids, size_t n,
		      struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->opts->events->n; i++) {
		struct counters_opts opts = counter_opts(s, i);

		if (s->result->scopes[i] == SCOPE_PER_TASK)
			r = counters__open_tasks(c, &opts, tids, n, err);
	}
	return r;
}

static void append_counters(struct counters *to, struct counters *from)
{
	for (size_t i = 0; i < from->n; i++) {
		GROW(to->list, to->n, to->cap);
		to->list[to->n++] = from->list[i];
	}
	free(from->list);
	*from = (struct counters){0};
}

static void found_family(struct session *s, const pid_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct proc_status status;

		if (procfs_status(tids[i], &status) == 0)
			family__add(s->family, (uint32_t)status.tgid);
	}
}

/*
 * A thread that appears while events are being opened may have inherited them from its creator or
 * not; nothing tells. So when one did, everything is closed and opened again.
 */
static int open_per_task(struct session *s, struct err *err)
{
	for (int try = 1;; try++) {
		_cleanup_(counters__close) struct counters fresh = {0};
		_cleanup_free_ pid_t *before = NULL, *after = NULL;
		size_t n_before, n_after;
		int r = tasks__list(&s->tasks, command_pid(s), &before, &n_before, err);

		if (r == 0)
			r = open_tasks(s, &fresh, before, n_before, err);
		if (r == 0)
			r = tasks__list(&s->tasks, command_pid(s), &after, &n_after, err);
		if (r < 0)
			return r;
		if (tids_any_new(after, n_after, before, n_before)) {
			if (try < ATTACH_TRIES)
				continue;
			buf__puts(
				&s->result->notes,
				"threads kept appearing while counters were attached; some may not be "
				"counted (--per-cpu has no such gap)\n");
		}
		found_family(s, before, n_before);
		append_counters(&s->counters, &fresh);
		return 0;
	}
}

static int open_gates(struct session *s, struct err *err)
{
	const struct gate_events_opts opts = {
		.gates = s->opts->gates,
		.fds = programs__gate_fds(s->programs),
		.whom = &s->opts->whom,
		.tasks = &s->tasks,
		.command = command_pid(s),
		.cpus = s->cpus,
		.opener = s->opts->opener,
	};

	return gate_events__open(&s->gates, &opts, err);
}

/* It is one way of several to tell whose memory it is. */
static void open_mapped(struct session *s)
{
	struct err err = {0};

	if (session__mapped_open(s, &err) < 0)
		buf__printf(&s->result->notes,
			    "--data: who asks the kernel for memory is not known: %s\n", err.text);
}

int session__open_counters(struct session *s, struct err *err)
{
	bool marks = windows_need_marks(s), tasks = false;
	int r = tasks__watch(&s->tasks, err);

	s->family = xcalloc(1, sizeof(*s->family));
	for (size_t i = 0; i < s->opts->events->n; i++) {
		marks |= event_filter(s, i) == PMB_FILTER_TASKS;
		tasks |= s->result->scopes[i] == SCOPE_PER_TASK;
	}
	if (r == 0 && marks)
		r = tasks__each(&s->tasks, command_pid(s), mark_target, s, err);
	if (r == 0)
		r = open_per_cpu(s, err);
	if (r == 0 && tasks)
		r = open_per_task(s, err);
	if (r == 0)
		r = open_counted(s, err);
	if (r == 0 && session__mapped_wanted(s))
		open_mapped(s);
	if (r == 0 && s->opts->allocs)
		r = session__allocs_open(s, err);
	return r == 0 && s->opts->gates ? open_gates(s, err) : r;
}
