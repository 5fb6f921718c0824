// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One sample becomes a row of the profile: everything that must be counted is counted here. */
#include <stdio.h>
#include <string.h>

#include "assemble/internal.h"
#include "model/data_source.h"

/* Frames that never came (ring full, id unknown): the interrupted instruction is known all the
 * same. */
static uint32_t leaf_only(struct assembly *a, struct process *process, uint64_t ip)
{
	struct frame frame = {FRAME_KERNEL, 0, ip};
	uint32_t id;

	if (process)
		frame = process__locate(a->processes, process, ip);
	id = profile__frame(a->profile, &frame);
	return profile__stack(a->profile, &id, 1);
}

/* One side's stack; process NULL: the kernel's. *status becomes what the ledger is told. */
static uint32_t resolve(struct assembly *a, uint64_t id, struct process *process, uint64_t ip,
			uint8_t *status)
{
	bool ip_is_kernel = ip >> 63;
	uint32_t stack = 0;

	if (!id && *status == PMB_END_NONE)
		return 0;
	if (process && process__execing(process, raw_stacks__leaf(&a->stacks, id), ip_is_kernel)) {
		*status = PMB_END_EXECING;
		return 0;
	}
	if (id && *status != PMB_END_LOST) {
		stack = raw_stacks__resolve(&a->stacks, id, a->profile, a->processes, process);
		if (!stack && *status != PMB_END_NO_TABLE) /* else its dump found no room here */
			*status = PMB_END_UNKNOWN_ID;
	}
	if (!stack && ip_is_kernel == !process)
		stack = leaf_only(a, process, ip);
	return stack;
}

static uint32_t event_number(const struct assembly *a, size_t event)
{
	return (uint32_t)(a->opts.numbers ? a->opts.numbers[event] : event);
}

/* Which file the walk did not get out of. */
static void note_truncating(struct assembly *a, const struct account *to)
{
	const uint32_t *frames;
	const struct frame *all;
	uint32_t n = profile__stack_frames(a->profile, to->key.user_stack, &frames);
	const struct file *file = NULL;

	profile__frames(a->profile, &all);
	while (n && frame_kind__is_object(all[frames[n - 1]].kind))
		n--;
	if (n)
		file = files__get(a->opts.files, all[frames[n - 1]].file);
	truncating__add(&a->books.truncating, file ? file->path : "[unknown]", to->user_end, 1);
}

/* An overflow of the event, or a reading of it. */
static void account_weight(struct assembly *a, struct account *to, uint32_t event, uint64_t weight)
{
	struct ledger *books = &a->books;

	to->key.event = event_number(a, event);
	if (a->opts.labels & LABEL_UNWIND_STATUS)
		to->labels.status = to->user_end ? to->user_end : to->kernel_end;
	to->key.labels = profile__labels(a->profile, &to->labels);
	profile__add_access(a->profile, &to->key, weight, to->latency);
	books->user_statuses[to->user_end]++;
	if (status_is_early(to->user_end))
		note_truncating(a, to);
	books->kernel_statuses[to->kernel_end]++;
	if (a->opts.contexts)
		books->contexts[to->context]++;
	books->events[event].aggregated++;
	books->events[event].weight += weight;
	if (to->cpu < (uint32_t)a->opts.n_cpus)
		a->cpu_sampled[event * (uint32_t)a->opts.n_cpus + to->cpu] = true;
}

void assembly__account(struct assembly *a, struct account *to)
{
	const struct assembly_tables *tables = a->opts.tables;

	if (to->block_size) {
		assembly__block_known(a, to);
		return;
	}
	if (tables && tables->went_through)
		tables->went_through(a->opts.ctx, to->key.user_stack,
				     (enum pmb_unwind_status)to->user_end);
	if (to->python && assembly__is_in_stack(a, to))
		assembly__put_in_stack(a, to);
	else if (to->python)
		assembly__join(a, to);
	assembly__touched(a, to);
	if (!to->in_window || !assembly__waits(a, to))
		assembly__account_now(a, to);
}

/* A reading is of the time since the one before, not of the data that the overflow is about. */
static void take_data_away(struct account *to)
{
	to->has_data = false;
	to->key.data = to->key.access = 0;
	to->key.addr = 0;
	to->key.has_addr = 0;
	to->labels.data_src = to->labels.data_addr = 0;
	to->labels.segment = to->labels.latency = to->labels.site = 0;
	to->labels.map_site = to->labels.node = 0;
	to->latency = 0;
}

void assembly__account_now(struct assembly *a, struct account *to)
{
	account_weight(a, to, to->event, to->weight);
	if (to->has_data && to->labels.segment != PMB_SEGMENT_NONE)
		a->books.events[to->event].data_with++;
	else if (to->has_data)
		a->books.events[to->event].data_without++;
	if (to->n_reads && to->has_data)
		take_data_away(to);
	for (size_t i = 0; i < to->n_reads; i++) {
		if (to->reads[i].weight)
			account_weight(a, to, to->reads[i].event, to->reads[i].weight);
	}
}

void assembly__charge(struct assembly *a, size_t event, const char *what, uint64_t weight)
{
	struct profile_key key = {.event = event_number(a, event)};
	struct ledger_event *e = &a->books.events[event];

	key.comm = profile__comm(a->profile, what);
	key.user_stack = profile__artificial(a->profile, ARTIFICIAL_NOT_PROGRAM);
	profile__add(a->profile, &key, weight);
	e->kernel.seen++;
	e->kernel.emitted++;
	e->kernel.weight_seen += weight;
	e->kernel.weight_emitted += weight;
	e->decoded++;
	e->weight_decoded += weight;
	e->aggregated++;
	e->weight += weight;
	a->books.user_statuses[PMB_END_NONE]++;
	a->books.kernel_statuses[PMB_END_NONE]++;
	if (a->opts.contexts)
		a->books.contexts[PMB_CONTEXT_NONE]++;
}

static void discard(struct assembly *a, uint32_t event, uint64_t weight)
{
	a->books.events[event].foreign++;
	a->books.events[event].weight_foreign += weight;
}

static void discard_all(struct assembly *a, const struct decoded *rec)
{
	assembly__leave_branches_out(a, rec);
	discard(a, rec->sample->event, rec->sample->weight);
	for (size_t i = 0; i < rec->n_reads; i++) {
		if (rec->reads[i].weight)
			discard(a, rec->reads[i].event, rec->reads[i].weight);
	}
}

/* The idle task that waits, and doesn't handle an interrupt or choose the next task. */
static bool is_idle(struct assembly *a, const struct pmb_sample *sample)
{
	return !sample->tid && a->opts.fns->is_idle(a->opts.ctx, sample->ip);
}

void assembly__bound_profile(struct assembly *a)
{
	struct profile *beside;

	if (!profile__full(a->profile))
		return;
	assembly__retry(a, true);
	beside = profile__new(); /* samples that wait have no rows to keep their stacks */
	assembly__move_held(a, beside, a->profile);
	if (profile__trim(a->profile))
		raw_stacks__renumbered(&a->stacks);
	assembly__move_held(a, a->profile, beside);
	profile__free(beside);
}

bool assembly__user_stack(struct assembly *a, const struct pmb_sample *sample, bool more,
			  struct process *process, struct account *to)
{
	struct dump *dump = NULL;

	if (sample->user_end == PMB_END_NO_TABLE && a->opts.tables)
		dump = more ? dumps__lend(&a->dumps, sample->user_stack) :
			      dumps__take(&a->dumps, sample->user_stack);

	if (to->user_end == PMB_END_OUTSIDE) {
		to->key.user_stack = profile__artificial(a->profile, ARTIFICIAL_OUTSIDE);
		return true;
	}
	if (!dump) {
		to->key.user_stack =
			resolve(a, sample->user_stack, process, sample->ip, &to->user_end);
		return true;
	}
	if (!process__execing(process, dump->leaf, sample->ip >> 63)) {
		assembly__late(a, to, process, dump);
		return false;
	}
	to->user_end = PMB_END_EXECING;
	dumps__free(&a->dumps, dump);
	return true;
}

/* What begins as [other] does is the tool's own: a command that calls itself so is in quotes, as
 * functions are (sym/reply.c). */
static void put_comm(char ret[PROFILE_COMM_ROOM], const char comm[PMB_COMM_LEN])
{
	memset(ret, 0, PROFILE_COMM_ROOM);
	if (*comm == '[')
		snprintf(ret, PROFILE_COMM_ROOM, "'%.*s'", (int)PMB_COMM_LEN, comm);
	else
		memcpy(ret, comm, strnlen(comm, PMB_COMM_LEN));
}

/* The idle tasks are one program, whatever CPU each calls itself after. */
static uint32_t comm_of(struct assembly *a, const struct pmb_sample *sample)
{
	char text[PROFILE_COMM_ROOM];

	if (!sample->tid)
		return profile__comm(a->profile, "swapper");
	put_comm(text, sample->comm);
	return profile__comm(a->profile, text);
}

/* Nobody wakes who was only preempted. */
static void label_off(unsigned wanted, const struct pmb_part_off *off, struct profile_labels *ret)
{
	if (!off)
		return;
	if (wanted & LABEL_OFF_STATE)
		ret->off_state = off->state | off->call << 8;
	if (!(wanted & LABEL_WAKER) || !off->woken)
		return;
	if (off->waker && off->woken == PMB_WOKEN_BY_THREAD)
		memcpy(ret->waker, off->waker_comm, sizeof(ret->waker));
	else
		memcpy(ret->waker, "[interrupt]", sizeof("[interrupt]"));
}

/* In the words of stat --neighbours. */
static void label_sibling(unsigned wanted, const struct pmb_part_sibling *sibling,
			  struct profile_labels *ret)
{
	static const char texts[PMB_N_SIBLING_WHO][PROFILE_COMM_ROOM] = {
		[PMB_SIBLING_IDLE] = "[idle]",
		[PMB_SIBLING_KERNEL] = "[kernel threads]",
		[PMB_SIBLING_SAME] = "[same process]",
	};

	if (!sibling || !(wanted & LABEL_SIBLING))
		return;
	if (sibling->who == PMB_SIBLING_OTHER)
		put_comm(ret->sibling, sibling->comm);
	else
		memcpy(ret->sibling, texts[sibling->who], sizeof(ret->sibling));
}

/* What came before the beginning was stated is of the first step. */
static uint32_t moment_of(const struct assembly *a, uint64_t time_ns)
{
	uint64_t since = time_ns > a->moments_from_ns ? time_ns - a->moments_from_ns : 0;
	uint64_t step = a->opts.grid_ns ? since / a->opts.grid_ns : 0;

	return step < UINT32_MAX ? (uint32_t)step + 1 : 0; /* nobody knows, after 11 h of 10 us */
}

static struct account make_account(struct assembly *a, const struct decoded *rec)
{
	const struct pmb_sample *sample = rec->sample;
	unsigned labels = a->opts.labels;
	struct account to = {
		.user_end = sample->user_end,
		.kernel_end = sample->kernel_end,
		.cpu = sample->cpu,
		.event = sample->event,
		.weight = sample->weight,
		.cgroup = sample->cgroup,
		.time = sample->rec.time,
		.in_window = rec->window,
		.window = rec->window ? assembly__window(a, rec) : NULL,
		.n_reads = rec->n_reads,
	};

	to.key.comm = comm_of(a, sample);
	if (rec->has_addr && a->opts.addr_mask) {
		to.key.addr = rec->addr & a->opts.addr_mask;
		to.key.has_addr = 1;
	}
	to.labels = (struct profile_labels){
		.cgroup = labels & LABEL_CGROUP ? sample->cgroup : 0,
		.tgid = labels & LABEL_PID && sample->tgid != PMB_OUTSIDE ? sample->tgid : 0,
		.tid = labels & LABEL_TID && sample->tid != PMB_OUTSIDE ? sample->tid : 0,
		.cpu = labels & LABEL_CPU ? sample->cpu + 1 : 0,
		.user = labels & LABEL_USER ? sample->uid + 1 : 0,
		.moment = labels & LABEL_TIME ? moment_of(a, sample->rec.time) : 0,
		.interrupted = labels & LABEL_INTERRUPTED ? sample->interrupted : 0,
	};
	label_off(labels, rec->off, &to.labels);
	label_sibling(labels, rec->sibling, &to.labels);
	assembly__label_context(a, sample->context, &to);
	for (size_t i = 0; i < rec->n_reads; i++)
		to.reads[i] = rec->reads[i];
	return to;
}

/* What tells later which instruction it was: names and code are looked at when all is over. */
static void account_access(struct assembly *a, const struct pmb_part_data *data, struct account *to)
{
	struct profile_access access = {
		.addr = data->addr,
		.n_regs = (uint32_t)data->n_regs,
		.kind = data_source_kind(data->data_src),
	};

	if (data->n_regs)
		memcpy(access.regs, data->regs, sizeof(access.regs));
	to->key.access = profile__access(a->profile, &access);
}

/* Of a library what it has no bytes for in its file is anonymous. */
static bool may_be_of_a_file(uint32_t segment)
{
	return segment == PMB_SEGMENT_PROGRAM || segment == PMB_SEGMENT_MAPPED ||
	       segment == PMB_SEGMENT_FILE || segment == PMB_SEGMENT_ANONYMOUS;
}

/* What the sample is about. */
static void account_data(struct assembly *a, const struct decoded *rec, struct process *process,
			 struct account *to)
{
	const struct pmb_part_data *data = rec->data;
	struct frame frame = {0};

	if (!data || !(a->opts.labels & LABEL_DATA))
		return;
	to->has_data = true;
	to->labels.data_src = data->data_src;
	to->labels.segment = data->segment;
	to->latency = (uint32_t)data->weight; /* what is above it are other latencies */
	if (data->weight)
		to->labels.latency = 1U << (63 - __builtin_clzll(to->latency | 1ULL));
	account_access(a, data, to);
	if (data->segment == PMB_SEGMENT_NONE)
		return;
	to->labels.data_addr = data->addr;
	if (data->phys && a->opts.fns->data_node)
		to->labels.node = (uint32_t)(a->opts.fns->data_node(a->opts.ctx, data->phys) + 1);
	assembly__look_up_site(a, rec, to);
	assembly__look_up_block(a, rec, to);
	if (may_be_of_a_file(data->segment))
		frame = process__locate_data(a->processes, process, data->addr);
	if (frame.kind == FRAME_DATA) {
		uint32_t id = profile__frame(a->profile, &frame);

		to->key.data = profile__stack(a->profile, &id, 1);
	}
}

void assembly__sample(struct assembly *a, const struct decoded *rec)
{
	const struct assembly_fns *fns = a->opts.fns;
	const struct pmb_sample *sample = rec->sample;
	struct process *process = processes__get(a->processes, sample->tgid, sample->rec.time);
	struct account to;

	if (fns->is_wanted && !fns->is_wanted(a->opts.ctx, sample)) {
		discard_all(a, rec);
		return;
	}
	if (a->opts.watch && is_ours(sample->tgid))
		a->opts.watch->met(a->opts.ctx, sample, process);
	to = make_account(a, rec);
	to.python = assembly__python(a, sample);
	account_data(a, rec, process, &to);
	assembly__branches(a, rec, process);
	if (is_idle(a, sample)) {
		to.key.kernel_stack = profile__artificial(a->profile, ARTIFICIAL_IDLE);
		assembly__account(a, &to);
	} else {
		to.key.kernel_stack =
			resolve(a, sample->kernel_stack, NULL, sample->ip, &to.kernel_end);
		if (assembly__user_stack(a, sample, rec->off && rec->off->more, process, &to))
			assembly__account(a, &to);
	}
	assembly__bound_profile(a);
}
