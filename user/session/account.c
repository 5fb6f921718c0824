// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From records to profile and ledger: everything that must be counted is counted here. */
#include <string.h>

#include "session/internal.h"
#include "sym/idle.h"
#include "sys/clock.h"

enum {
	/* An overflow program may have read the clock before a round and still be writing. */
	SLACK_NS = 20 * 1000 * 1000,
	/* How long a process that has gone is remembered. */
	FORGET_NS = 1000 * 1000 * 1000,
	/* How often the counters of places are read. */
	PLACES_NS = 1000 * 1000 * 1000,
	/* Between two looks at the rings, while samples are accounted: thousands of them, with their slices, take
	 * longer than the rings have room for more. */
	BETWEEN_NS = 5 * 1000 * 1000,
	LOOK_EVERY = 16, /* calls, at the clock */
};

/* A process that /proc knows: neither the idle task nor of another pid namespace. perf calls those 0, or -1
 * when they have gone. */
static bool is_ours(uint32_t tgid)
{
	return tgid && tgid != PMB_OUTSIDE;
}

void session__ring_record(void *session, const void *data, size_t size)
{
	struct session *s = session;
	struct ledger *ledger = &s->result->ledger;
	struct decoded rec;
	int reject = record_decode(data, size, ledger->n_events, &rec);

	if (reject >= 0) {
		ledger->rejected[reject]++;
		return;
	}
	if (rec.type == PMB_REC_SLICE) {
		slices__add(&s->slices, rec.slice);
		return;
	}
	if (rec.type == PMB_REC_STACK) {
		ledger->stacks_received++;
		raw_stacks__add(&s->stacks, rec.stack);
		return;
	}
	ledger->events[rec.sample->event].decoded++;
	for (size_t i = 0; i < rec.n_reads; i++)
		ledger->events[rec.reads[i].event].decoded += rec.reads[i].weight > 0;
	if (is_ours(rec.sample->tgid))
		processes__sample_arrived(s->processes, rec.sample->tgid, now_ns());
	queue__sample(&s->queue, rec.sample);
}

static bool may_be_sampled(const struct session *s, uint32_t tgid)
{
	return s->by_place || programs__marked(s->programs, (pid_t)tgid) != PMB_MARK_NONE;
}

void session__life(void *ctx, const struct life *life)
{
	struct session *s = ctx;

	if (!is_ours(life->tgid))
		return;
	processes__life_arrived(s->processes, life);
	if (life->kind == LIFE_MMAP && may_be_sampled(s, life->tgid))
		processes__pin_early(s->processes, life);
	queue__life(&s->queue, life);
}

static void on_throttled(void *ctx, uint64_t counter_id)
{
	struct session *s = ctx;

	for (size_t i = 0; i < s->counters.n; i++) {
		if (s->counters.list[i].id == counter_id)
			s->result->ledger.events[s->counters.list[i].event].throttled++;
	}
}

/* Frames that never came (ring full, id unknown): the interrupted instruction is known all the same. */
static uint32_t leaf_only(struct session *s, struct process *process, uint64_t ip)
{
	struct frame frame = {FRAME_KERNEL, 0, ip};
	uint32_t id;

	if (process)
		frame = process__locate(s->processes, process, ip);
	id = profile__frame(s->result->profile, &frame);
	return profile__stack(s->result->profile, &id, 1);
}

/* One side's stack; process NULL: the kernel's. *ending becomes what the ledger is told. */
static uint32_t resolve(struct session *s, uint64_t id, struct process *process, uint64_t ip,
			uint8_t *ending)
{
	bool ip_is_kernel = ip >> 63;
	uint32_t stack = 0;

	if (!id && *ending == PMB_END_NONE)
		return 0;
	if (process && process__execing(process, raw_stacks__leaf(&s->stacks, id), ip_is_kernel)) {
		*ending = PMB_END_EXECING;
		return 0;
	}
	if (id && *ending != PMB_END_LOST) {
		stack = raw_stacks__resolve(&s->stacks, id, s->result->profile, s->processes,
					    process);
		if (!stack && *ending != PMB_END_NO_TABLE) /* else its slice found no room here */
			*ending = PMB_END_UNKNOWN_ID;
	}
	if (!stack && ip_is_kernel == !process)
		stack = leaf_only(s, process, ip);
	return stack;
}

uint32_t session__event_number(const struct session *s, size_t event)
{
	return (uint32_t)(s->opts->numbers ? s->opts->numbers[event] : event);
}

/* Which file the walk did not get out of. */
static void note_spoiler(struct session *s, const struct account *to)
{
	const uint32_t *frames;
	const struct frame *all;
	uint32_t n = profile__stack_frames(s->result->profile, to->key.user_stack, &frames);
	const struct file *file = NULL;

	profile__frames(s->result->profile, &all);
	if (n)
		file = files__get(s->result->files, all[frames[n - 1]].file);
	spoilers__add(&s->result->ledger.spoilers, file ? file->path : "[unknown]", to->user_end,
		      1);
}

/* An overflow of the event, or a reading of it. */
static void account_weight(struct session *s, struct account *to, uint32_t event, uint64_t weight)
{
	struct ledger *ledger = &s->result->ledger;

	to->key.event = session__event_number(s, event);
	if (s->opts->labels & LABEL_ENDING)
		to->labels.ending = to->user_end ? to->user_end : to->kernel_end;
	to->key.labels = profile__labels(s->result->profile, &to->labels);
	profile__add(s->result->profile, &to->key, weight);
	ledger->user_endings[to->user_end]++;
	if (ending_is_early(to->user_end))
		note_spoiler(s, to);
	ledger->kernel_endings[to->kernel_end]++;
	ledger->events[event].aggregated++;
	ledger->events[event].weight += weight;
	if (to->cpu < (uint32_t)s->n_cpus)
		s->cpu_sampled[event * (uint32_t)s->n_cpus + to->cpu] = true;
}

/* The idle task that waits, and doesn't handle an interrupt or choose the next task. */
static bool is_idle(struct session *s, const struct pmb_sample *sample)
{
	struct kernel_name name;

	if (sample->tid)
		return false;
	kernel_names__find(s->opts->kernel, sample->ip, &name);
	return name.name && idle_function(name.name);
}

/* An overflow with what was read at it. Numbers that were taken from the profile before may be void
 * after it. */
void session__account(struct session *s, struct account *to)
{
	account_weight(s, to, to->event, to->weight);
	for (size_t i = 0; i < to->n_reads; i++) {
		if (to->reads[i].weight)
			account_weight(s, to, to->reads[i].event, to->reads[i].weight);
	}
}

static void session__bound_profile(struct session *s)
{
	if (!profile__full(s->result->profile))
		return;
	session__late_give_up(s);
	if (profile__trim(s->result->profile))
		raw_stacks__renumbered(&s->stacks);
}

/* What the kernel side should know of the process from now on. */
static void publish(struct session *s, const struct pmb_sample *sample, struct process *process)
{
	if (s->lists && is_ours(sample->tgid) && sample->stack_top)
		lists__put(s->lists, sample->tgid, process__generation(process), sample->stack_top,
			   process__mappings(process));
}

/* The user stack, if it was walked to its end. False: the sample has to wait. */
static bool account_user_stack(struct session *s, const struct pmb_sample *sample,
			       struct process *process, struct account *to)
{
	struct slice *slice = sample->user_end == PMB_END_NO_TABLE && s->tables ?
				      slices__take(&s->slices, sample->user_stack) :
				      NULL;

	if (to->user_end == PMB_END_OUTSIDE) {
		to->key.user_stack = profile__artificial(s->result->profile, ARTIFICIAL_OUTSIDE);
		return true;
	}
	if (!slice) {
		to->key.user_stack =
			resolve(s, sample->user_stack, process, sample->ip, &to->user_end);
		return true;
	}
	if (!process__execing(process, slice->rec.frames[0], sample->ip >> 63)) {
		session__late(s, to, process, slice);
		return false;
	}
	to->user_end = PMB_END_EXECING;
	slices__free(&s->slices, slice);
	return true;
}

static void account_one(struct session *s, const struct decoded *rec)
{
	const struct pmb_sample *sample = rec->sample;
	struct process *process = processes__get(s->processes, sample->tgid, sample->rec.time);
	struct account to = {
		.user_end = sample->user_end,
		.kernel_end = sample->kernel_end,
		.cpu = sample->cpu,
		.event = sample->event,
		.weight = sample->weight,
		.n_reads = rec->n_reads,
	};
	char comm[PMB_COMM_LEN + 1] = {0};
	unsigned labels = s->opts->labels;

	if (!session__meet_cgroup(s, rec))
		return;
	publish(s, sample, process);
	memcpy(comm, sample->comm, PMB_COMM_LEN);
	/* the idle tasks are one program, whatever CPU each calls itself after */
	to.key.comm = profile__comm(s->result->profile, sample->tid ? comm : "swapper");
	if (rec->has_addr) {
		to.key.addr = rec->addr & s->opts->addr_mask;
		to.key.has_addr = 1;
	}
	to.labels = (struct profile_labels){
		.cgroup = labels & LABEL_CGROUP ? sample->cgroup : 0,
		.tgid = labels & LABEL_PID && sample->tgid != PMB_OUTSIDE ? sample->tgid : 0,
		.tid = labels & LABEL_TID && sample->tid != PMB_OUTSIDE ? sample->tid : 0,
		.cpu = labels & LABEL_CPU ? sample->cpu + 1 : 0,
		.user = labels & LABEL_USER ? sample->uid + 1 : 0,
	};
	for (size_t i = 0; i < rec->n_reads; i++)
		to.reads[i] = rec->reads[i];
	if (is_idle(s, sample)) {
		to.key.kernel_stack = profile__artificial(s->result->profile, ARTIFICIAL_IDLE);
		session__account(s, &to);
	} else {
		to.key.kernel_stack =
			resolve(s, sample->kernel_stack, NULL, sample->ip, &to.kernel_end);
		if (account_user_stack(s, sample, process, &to))
			session__account(s, &to);
	}
	session__bound_profile(s);
}

void session__look_around(struct session *s)
{
	uint64_t now, took;

	if (!s->rings || s->looks++ % LOOK_EVERY || (now = now_ns()) < s->look_ns)
		return;
	rings__drain(s->rings, now);
	if (s->tables)
		s->tables_changed |= tables__work(s->tables);
	/* what is accounted gets as much time as what comes in, or the one would never end */
	took = now_ns() - now;
	s->look_ns = now + took + (took > BETWEEN_NS ? took : BETWEEN_NS);
}

static void account_sample(void *ctx, const struct decoded *rec)
{
	struct session *s = ctx;
	uint64_t began;

	session__look_around(s);
	began = session__time_sample(s, rec);

	account_one(s, rec);
	if (began)
		session__timed_sample(s, began);
}

static void account_life(void *ctx, const struct life *life)
{
	struct session *s = ctx;

	processes__life(s->processes, life);
	/* a thread that goes on after its leader has its list sent again; the last exit forgets it for good */
	if (s->lists &&
	    (life->kind == LIFE_EXEC ||
	     (life->kind == LIFE_EXIT && processes__leader_gone(s->processes, life->tgid))))
		lists__forget(s->lists, life->tgid);
	if (life->kind == LIFE_FORK)
		session__family_forked(s, life);
	else if (life->kind == LIFE_EXIT && life->tid == life->tgid)
		session__family_exited(s, life);
}

static void forget_stack(void *session, uint64_t id)
{
	struct session *s = session;

	programs__forget_stack(s->programs, id);
}

static void session__bound_stacks(struct session *s, uint64_t horizon)
{
	raw_stacks__drop(&s->stacks, horizon);
	if (raw_stacks__full(&s->stacks))
		raw_stacks__forget(&s->stacks, now_ns, forget_stack, s);
}

static void session__bound_files(struct session *s)
{
	const struct frame *frames;
	size_t n = profile__frames(s->result->profile, &frames);

	if (!files__many(s->result->files))
		return;
	for (size_t i = 0; i < n; i++)
		files__keep(s->result->files, frames[i].file);
	processes__keep_files(s->processes);
	session__late_keep_files(s);
	files__sweep(s->result->files);
	if (s->tables)
		tables__swept(s->tables);
}

void session__news(struct session *s)
{
	const struct sideband_fns arrivals = {session__life, on_throttled, s};

	sideband__drain(s->sideband, &arrivals);
}

void session__settle(struct session *s, uint64_t horizon, bool final)
{
	const struct queue_fns in_order = {account_life, account_sample, s};

	queue__release(&s->queue, final ? UINT64_MAX : horizon, &in_order);
	session__late_round(s);
	if (final && s->tables)
		session__late_end(s);
	slices__sweep(&s->slices, horizon > FORGET_NS ? horizon - FORGET_NS : 0);
	session__bound_stacks(s, horizon);
	processes__sweep(s->processes, horizon > FORGET_NS ? horizon - FORGET_NS : 0);
	session__bound_files(s);
}

void session__round(struct session *s, bool final)
{
	uint64_t now = now_ns(), horizon = s->round_ns;

	if (horizon > now - SLACK_NS)
		horizon = now - SLACK_NS;
	session__news(s);
	rings__drain(s->rings, final ? UINT64_MAX : now);
	s->look_ns = now_ns() + BETWEEN_NS;
	session__settle(s, horizon, final);
	if (final || now - s->places_ns >= PLACES_NS) {
		session__charge_places(s);
		s->places_ns = now;
	}
	s->round_ns = now;
}
