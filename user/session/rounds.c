// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rounds: what came since the last is drained, and what nothing older can precede any more
 * is assembled. */
#include <malloc.h>

#include "assemble/assembly.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/branch_filter.h"
#include "pmu/skid.h"
#include "session/internal.h"
#include "sym/idle.h"
#include "sys/clock.h"
#include "sys/processor.h"

enum {
	/* An overflow program may have read the clock before a round and still be writing. */
	SLACK_NS = 20 * 1000 * 1000,
	/* How often the system counters are read. */
	SYSTEM_COUNTERS_NS = 1000 * 1000 * 1000,
	/* Between two looks at the rings, while samples are accounted: thousands of them, with
	 * their dumps, take longer than the rings have room for more. */
	BETWEEN_NS = 5 * 1000 * 1000,
	LOOK_EVERY = 16, /* calls, at the clock */
	/* How often files are looked at that nobody has mapped any more. */
	LET_GO_NS = 250 * 1000 * 1000,
};

void session__ring_record(void *session, const void *data, size_t size)
{
	struct session *s = session;

	session__attend(s);
	session__meet_cgroup(s, data, size);
	assembly__record(&s->assembly, data, size);
}

static bool may_be_sampled(void *session, uint32_t tgid)
{
	const struct session *s = session;

	return s->any_process || programs__marked(s->programs, (pid_t)tgid) != PMB_MARK_NONE;
}

/* Which interpreter it has, before its first sample: of a file that is met for the first time the
 * answer comes a moment later. */
static void session__runtime_early(struct session *s, const struct life *life)
{
	struct mapping mapped = {.start = life->start,
				 .end = life->end,
				 .file_off = life->file_off};

	if (life->kind == LIFE_EXEC)
		lists__forget(s->unwind.lists, life->tgid);
	else if (life->kind == LIFE_FORK && life->tgid != life->parent_tgid)
		lists__forked(s->unwind.lists, life->tgid, life->parent_tgid);
	if (life->kind != LIFE_MMAP)
		return;
	mapped.file = processes__file_of(s->assembly.processes, life);
	if (!mapped.file)
		return;
	lists__mapped(s->unwind.lists, life->tgid, &mapped);
	tables__met(s->unwind.tables, mapped.file);
}

static void on_life(void *session, const struct life *life)
{
	struct session *s = session;

	session__attend(s);
	assembly__life(&s->assembly, life);
	session__allocs_lived(s, life);
	if (s->unwind.lists && may_be_sampled(s, life->tgid))
		session__runtime_early(s, life);
}

static void on_lost(void *session, uint64_t time)
{
	struct session *s = session;

	processes__records_lost(s->assembly.processes, time);
}

static void on_throttled(void *session, uint64_t counter_id, uint64_t time, bool stands)
{
	struct session *s = session;

	for (size_t i = 0; i < s->counters.n; i++) {
		struct counter *c = &s->counters.list[i];
		struct ledger_event *e = &s->assembly.books.events[c->event];

		if (c->id != counter_id)
			continue;
		if (stands) {
			e->throttled++;
			if (!e->throttled_since)
				e->throttled_since = now_ns() - s->start_ns;
		} else if (c->still_ns && time > c->still_ns) {
			e->throttled_ns += time - c->still_ns;
		}
		c->still_ns = stands ? time : 0;
	}
}

/* While other work is done, if it's long since: attends, empties the rings, takes a table and asks
 * for the next. */
static void look_around(void *session)
{
	struct session *s = session;
	uint64_t now = now_ns(), took;

	session__attend(s);
	if (now < s->when.look_ns)
		return;
	session__news(s);
	session__drain_rings(s, now);
	session__tables_work(s);
	/* what is accounted gets as much time as what comes in, or the one would never end */
	took = now_ns() - now;
	s->when.look_ns = now + took + (took > BETWEEN_NS ? took : BETWEEN_NS);
}

/* After what takes no longer than a sample. */
static void look_now_and_then(struct session *s)
{
	if (s->when.looks++ % LOOK_EVERY == 0)
		look_around(s);
	else
		session__attend(s);
}

static bool is_idle(void *session, uint64_t ip)
{
	const struct session *s = session;
	struct kernel_name name;

	kernel_names__find(s->opts->kernel, ip, &name);
	return name.name && idle_function(name.name);
}

static bool is_page_fault(void *session, uint32_t event)
{
	const struct session *s = session;

	return event_is_page_fault(&s->opts->events->events[event]);
}

static int data_node(void *session, uint64_t phys)
{
	const struct session *s = session;

	return memory_nodes__of(&s->memory_nodes, phys);
}

static void forget_stack(void *session, uint64_t id)
{
	struct session *s = session;

	programs__forget_stack(s->programs, id);
}

/* What the kernel side should know of the process from now on. */
static void met(void *session, const struct pmb_sample *sample, struct process *process)
{
	struct session *s = session;

	if (s->thread_contexts)
		thread_contexts__met(s->thread_contexts, sample->tgid, process__generation(process),
				     sample->stack_top);
	if (s->unwind.hotspots)
		hotspots__met(s->unwind.hotspots, process);
	/* a list of a program that is another by now is of no use */
	if (s->unwind.lists && sample->stack_top && !process__execs(process, sample->rec.time))
		lists__put(s->unwind.lists, sample->tgid, process__generation(process),
			   sample->stack_top, process__mappings(process));
}

static void forget_process(struct session *s, const struct life *life)
{
	/* of a program that was executed its interpreter is known by now */
	if (life->kind == LIFE_EXIT)
		lists__forget(s->unwind.lists, life->tgid);
	hotspots__gone(s->unwind.hotspots, life->tgid);
}

static void lived(void *session, const struct life *life)
{
	const bool leader_ends = life->kind == LIFE_EXIT && life->tid == life->tgid;
	struct session *s = session;

	if (s->thread_contexts && (life->kind == LIFE_EXEC || leader_ends))
		thread_contexts__gone(s->thread_contexts, life->tgid);
	/* a thread that goes on after its leader has its list sent again; the last exit forgets
	 * it for good */
	if (s->unwind.lists && (life->kind == LIFE_EXEC ||
				(life->kind == LIFE_EXIT &&
				 processes__leader_gone(s->assembly.processes, life->tgid))))
		forget_process(s, life);
	if (life->kind == LIFE_FORK)
		session__family_forked(s, life);
	else if (leader_ends) {
		session__family_exited(s, life);
		session__allocs_ended(s, life);
	}
}

static void before_sample(void *session, const struct decoded *rec)
{
	struct session *s = session;

	look_now_and_then(s);
	session__time_sample(s, rec);
}

static void after_sample(void *session)
{
	session__timed_sample(session);
}

static void between(void *session)
{
	look_now_and_then(session);
}

static const char *context_key(void *session, uint32_t tgid, unsigned key)
{
	struct session *s = session;

	return s->thread_contexts ? thread_contexts__key(s->thread_contexts, tgid, key) : NULL;
}

void session__assemble(struct session *s)
{
	static const struct assembly_fns fns = {
		.now = now_ns,
		.may_be_sampled = may_be_sampled,
		.is_idle = is_idle,
		.is_wanted = session__wants_cgroup,
		.is_page_fault = is_page_fault,
		.data_node = data_node,
		.forget_stack = forget_stack,
		.context_key = context_key,
	};
	static const struct assembly_watch watch = {
		.met = met,
		.lived = lived,
		.before = before_sample,
		.after = after_sample,
		.between = between,
	};
	const struct assembly_opts opts = {
		.fns = &fns,
		.watch = &watch,
		.ctx = s,
		.n_events = s->opts->events->n,
		.numbers = s->opts->numbers,
		.labels = s->opts->labels | LABEL_OFF_STATE,
		.grid_ns = s->opts->grid_ns,
		.interpreter_frames = s->opts->interpreter_frames,
		.windows = s->opts->windows,
		.addr_mask = s->opts->addr_mask,
		.n_cpus = s->n_cpus,
		.max_memory = s->opts->max_memory,
		.files = s->result->files,
		.objects = s->result->objects,
		.sites = s->opts->labels & LABEL_DATA ? s->result->sites : NULL,
		.contexts = s->result->contexts,
		.branches = s->result->branches,
		.kernel_branches = s->opts->branch_filter & PERF_SAMPLE_BRANCH_KERNEL,
		.between_branches = branch_filter__is_whole(s->opts->branch_filter),
		.allocs = s->opts->allocs,
		.profile = s->opts->profile,
	};

	assembly__init(&s->assembly, &opts);
}

/* Those that somebody refers to, parts that were cut off among them. */
static void keep_files(struct session *s)
{
	assembly__keep_files(&s->assembly);
	for (const struct session_cut *cut = s->cuts; cut; cut = cut->next) {
		if (cut->profile)
			profile__keep_files(cut->profile, s->result->files);
	}
}

static void session__bound_files(struct session *s)
{
	struct files *files = s->result->files;
	bool many = files__many(files);

	if (!many && !files__age_is_due(files))
		return;
	keep_files(s);
	if (many)
		files__sweep(files);
	else
		files__age(files);
	if (s->unwind.tables)
		tables__swept(s->unwind.tables);
}

static void let_go_of(void *session, uint32_t file, int fd)
{
	struct session *s = session;

	if (s->unwind.tables)
		tables__let_go(s->unwind.tables, file, fd);
}

/* Nobody's volume is kept busy because one of its programs ran once. */
static void session__let_go(struct session *s)
{
	size_t n = files__count(s->result->files);
	_cleanup_free_ bool *mapped = NULL;

	if (!files__elsewhere(s->result->files))
		return;
	mapped = xcalloc(n, sizeof(*mapped));
	assembly__mark_files(&s->assembly, mapped, n);
	if (!files__idle(s->result->files, mapped, n))
		return;
	keep_files(s);
	files__let_go(s->result->files, let_go_of, s);
}

void session__news(struct session *s)
{
	const struct sideband_fns arrivals = {on_life, on_lost, on_throttled, s};

	sideband__drain(s->sideband, &arrivals);
	/* of another CPU what came before that may not have been there yet */
	if (session__allocs_hear(s))
		sideband__drain(s->sideband, &arrivals);
	session__allocs_settle(s);
	session__describe(s);
}

/* The second half of a round: what was drained and happened before `horizon` is assembled. */
static void session__settle(struct session *s, uint64_t horizon, bool final)
{
	assembly__settle(&s->assembly, final ? UINT64_MAX : horizon);
	session__late_round(s);
	if (!final)
		thread_contexts__work(s->thread_contexts);
	if (final && s->unwind.tables)
		session__late_end(s);
	assembly__tidy(&s->assembly, horizon);
	session__bound_files(s);
	session__tidy_cgroups(s);
}

/* Until the next time that memory is refused there is a reserve again, if only a small one. */
static void session__shrink(struct session *s)
{
	assembly__shrink(&s->assembly);
	malloc_trim(0);
	mem_hold();
}

void session__round(struct session *s, bool final)
{
	uint64_t now = now_ns(), horizon = s->round_ns;

	if (horizon > now - SLACK_NS)
		horizon = now - SLACK_NS;
	session__news(s);
	session__drain_rings(s, final ? UINT64_MAX : now);
	s->when.look_ns = now_ns() + BETWEEN_NS;
	session__look_cgroups_up(s, look_around);
	session__settle(s, horizon, final);
	if (mem_state() == MEM_SHORT)
		session__shrink(s);
	if (final || now - s->when.system_counters_ns >= SYSTEM_COUNTERS_NS) {
		session__charge_system_counters(s);
		s->when.system_counters_ns = now;
	}
	if (s->opts->processor)
		processor_watch__look(s->opts->processor, "", now);
	if (!final && now - s->when.let_go_ns >= LET_GO_NS) {
		session__let_go(s);
		s->when.let_go_ns = now;
	}
	s->round_ns = now;
	s->settled_ns = horizon;
}
