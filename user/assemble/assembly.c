// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "assemble/assembly.h"

#include <stdlib.h>

#include "assemble/internal.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"

enum {
	/* How long a process that has gone is remembered. */
	FORGET_NS = 1000 * 1000 * 1000,
	SWEEP_NS = 200 * 1000 * 1000, /* between two looks through all processes */
	/* Stack dumps: a few rounds of a host where every program is new. */
	DUMPS_AT_LEAST = 8 * 1024 * 1024,
	/* What --max-memory may be at least. */
	LEAST_BYTES = 1024 * 1024,
	/* Records of a program with 20 libraries, at its start. */
	LIVES_FEW_BYTES = 4096,
};

static void set_limits(struct assembly *a)
{
	size_t all = a->opts.max_memory;

	/* raw stacks that are dropped are only sent again; rows are lost in [other] */
	profile__set_limit(a->profile, all / 4 * BUDGET_STACKS_QUARTERS);
	a->stacks.limit = all / BUDGET_RAW_PART;
	a->chains.limit = all / BUDGET_CHAINS_PART;
	a->windows.limit = all / BUDGET_WINDOWS_PART;
	a->pages.limit = all / BUDGET_PAGES_PART;
	a->blocks.limit = all / BUDGET_BLOCKS_PART;
	a->mapped.blocks.limit = all / BUDGET_MAPPED_PART;
	a->dumps.limit = all / BUDGET_DUMPS_PART;
	if (all && a->dumps.limit < DUMPS_AT_LEAST)
		a->dumps.limit = DUMPS_AT_LEAST;
}

void assembly__begin(struct assembly *a)
{
	a->profile = a->opts.profile ? a->opts.profile : profile__new();
	a->lent = a->opts.profile != NULL;
	a->opts.profile = NULL;
	set_limits(a);
	a->books = (struct ledger){
		.events = xcalloc(a->opts.n_events, sizeof(struct ledger_event)),
		.n_events = a->opts.n_events,
	};
}

void assembly__start_timeline(struct assembly *a, uint64_t now_ns)
{
	a->moments_from_ns = now_ns;
}

void assembly__init(struct assembly *a, const struct assembly_opts *opts)
{
	*a = (struct assembly){
		.opts = *opts,
		.processes = processes__new(opts->files),
		.cpu_sampled = xcalloc(opts->n_events * (size_t)opts->n_cpus, sizeof(bool)),
	};
	assembly__begin(a);
	a->life_room = (struct fair_room){
		.limit = BUDGET_LIVES_MIB * 1024 * 1024,
		.few = LIVES_FEW_BYTES,
		.cost = FAIR_COST,
	};
	a->chains.objects = opts->objects;
}

void assembly__done(struct assembly *a)
{
	assembly__windows_done(a);
	assembly__late_done(a);
	dumps__done(&a->dumps);
	raw_stacks__done(&a->stacks);
	chains__done(&a->chains);
	pages__done(&a->pages);
	blocks__done(&a->blocks);
	mapped__done(&a->mapped);
	queue__done(&a->queue);
	fair_room__clear(&a->life_room);
	a->processes = processes__free(a->processes);
	a->profile = a->lent ? NULL : profile__free(a->profile);
	ledger__done(&a->books);
	free(a->cpu_sampled);
	a->cpu_sampled = NULL;
}

static void count_decoded(struct ledger *books, uint32_t event, uint64_t weight)
{
	books->events[event].decoded++;
	books->events[event].weight_decoded += weight;
}

static void leave_out_one(struct ledger *books, uint32_t event, uint64_t weight)
{
	count_decoded(books, event, weight);
	books->events[event].no_memory++;
	books->events[event].weight_no_memory += weight;
}

/* While memory is refused. The kernel side sends a stack again when it meets it next; a sample that
 * has come before it is one whose stack was lost. */
static bool leave_out(struct assembly *a, const struct decoded *rec)
{
	struct ledger *books = &a->books;

	if (rec->type == PMB_REC_STACK_DUMP) {
		books->stack_dumps_received++;
		a->dumps.refused++;
	} else if (rec->type == PMB_REC_STACK && a->opts.fns->forget_stack) {
		books->stacks_received++;
		a->opts.fns->forget_stack(a->opts.ctx, rec->stack->id);
	} else if (rec->type == PMB_REC_SAMPLE) {
		assembly__leave_branches_out(a, rec);
		leave_out_one(books, rec->sample->event, rec->sample->weight);
		for (size_t i = 0; i < rec->n_reads; i++) {
			if (rec->reads[i].weight)
				leave_out_one(books, rec->reads[i].event, rec->reads[i].weight);
		}
	} else {
		return false;
	}
	return true;
}

static void add_dump(struct assembly *a, const struct pmb_stack_dump *dump)
{
	const struct fair_who who = {dump->tgid, processes__cgroup(a->processes, dump->tgid)};

	a->books.stack_dumps_received++;
	dumps__add(&a->dumps, dump, &who);
}

static void sample_arrived(struct assembly *a, const struct pmb_sample *sample)
{
	if (is_ours(sample->tgid))
		processes__sample_arrived(a->processes, sample->tgid, sample->cgroup,
					  sample->rec.time, a->opts.fns->now());
}

/* What is no sample, and has its turn among them. */
static void add_to_queue(struct assembly *a, const struct decoded *rec)
{
	if (rec->window_end) {
		queue__window(&a->queue, rec->window_end);
	} else if (rec->freed) {
		queue__freed(&a->queue, rec->freed);
	} else {
		sample_arrived(a, &rec->block->sample);
		queue__block(&a->queue, rec->block);
	}
}

void assembly__record(struct assembly *a, const void *data, size_t size)
{
	struct ledger *books = &a->books;
	struct decoded rec;
	int reject = record_decode(data, size, books->n_events, &rec);

	if (reject >= 0) {
		books->rejected[reject]++;
		return;
	}
	if (mem_state() != MEM_HELD && leave_out(a, &rec))
		return;
	if (rec.type == PMB_REC_STACK_DUMP) {
		add_dump(a, rec.dump);
		return;
	}
	if (rec.context) {
		assembly__context(a, rec.context);
		return;
	}
	if (rec.type == PMB_REC_OBJECT) {
		books->objects_received++;
		chains__object(&a->chains, rec.object);
		return;
	}
	if (rec.type == PMB_REC_CHAIN || rec.type == PMB_REC_PLACED_CHAIN ||
	    rec.type == PMB_REC_FRAMES_CHAIN) {
		books->stacks_received++;
		chains__add(&a->chains, rec.stack);
		return;
	}
	if (rec.type == PMB_REC_STACK) {
		books->stacks_received++;
		raw_stacks__add(&a->stacks, rec.stack);
		return;
	}
	if (rec.type == PMB_REC_WINDOW || rec.block || rec.freed) {
		add_to_queue(a, &rec);
		return;
	}
	count_decoded(books, rec.sample->event, rec.sample->weight);
	for (size_t i = 0; i < rec.n_reads; i++) {
		if (rec.reads[i].weight)
			count_decoded(books, rec.reads[i].event, rec.reads[i].weight);
	}
	sample_arrived(a, rec.sample);
	queue__sample(&a->queue, rec.sample);
}

/* Whose doing it is. */
static struct fair_who responsible(const struct assembly *a, const struct life *life)
{
	uint32_t tgid = life->kind == LIFE_FORK ? life->parent_tgid : life->tgid;

	return (struct fair_who){tgid, processes__cgroup(a->processes, tgid)};
}

void assembly__life(struct assembly *a, const struct life *life)
{
	const struct fair_who who = responsible(a, life);
	enum fair_fate fate;

	if (!is_ours(life->tgid))
		return;
	fate = fair_room__take(&a->life_room, &who, queue_life_bytes(life));
	if (fate != FAIR_TAKEN) {
		a->books.sideband_refused++;
		a->books.sideband_refused_of_cgroup += fate == FAIR_CGROUP_HAS_ITS_SHARE;
		processes__record_refused(a->processes, life);
		return;
	}
	processes__life_arrived(a->processes, life);
	if (life->kind == LIFE_MMAP && a->opts.fns->may_be_sampled(a->opts.ctx, life->tgid))
		processes__pin_early(a->processes, life);
	queue__life(&a->queue, life);
}

static void on_sample(void *ctx, const struct decoded *rec)
{
	struct assembly *a = ctx;
	const struct assembly_watch *watch = a->opts.watch;

	if (watch)
		watch->before(a->opts.ctx, rec);
	assembly__sample(a, rec);
	if (watch)
		watch->after(a->opts.ctx);
}

static void on_life(void *ctx, const struct life *life)
{
	struct assembly *a = ctx;

	processes__life(a->processes, life);
	assembly__forget_pages(a, life);
	if (a->opts.watch)
		a->opts.watch->lived(a->opts.ctx, life);
}

static void on_window(void *ctx, const struct pmb_window_end *end)
{
	assembly__window_end(ctx, end);
}

static void on_block(void *ctx, const struct pmb_block *block)
{
	assembly__block(ctx, block);
}

static void on_freed(void *ctx, const struct pmb_freed *freed)
{
	assembly__freed(ctx, freed);
}

void assembly__settle(struct assembly *a, uint64_t horizon)
{
	const struct queue_fns in_order = {on_life, on_sample, on_window, on_block, on_freed, a};

	fair_room__clear(&a->life_room);
	queue__release(&a->queue, horizon, &in_order);
}

static void bound_stacks(struct assembly *a, uint64_t horizon)
{
	const struct assembly_fns *fns = a->opts.fns;

	raw_stacks__drop(&a->stacks, horizon);
	if (fns->forget_stack && raw_stacks__full(&a->stacks))
		raw_stacks__forget(&a->stacks, fns->now, fns->forget_stack, a->opts.ctx);
	if (fns->forget_stack && chains__full(&a->chains))
		chains__forget(&a->chains, fns->forget_stack, a->opts.ctx);
}

void assembly__tidy(struct assembly *a, uint64_t horizon)
{
	uint64_t before = horizon > FORGET_NS ? horizon - FORGET_NS : 0;

	dumps__sweep(&a->dumps, before);
	if (a->dumps.gone) /* their samples need not wait */
		assembly__retry(a, false);
	bound_stacks(a, horizon);
	if (before < a->swept_ns + SWEEP_NS)
		return;
	processes__sweep(a->processes, before);
	a->swept_ns = before;
}

void assembly__shrink(struct assembly *a)
{
	size_t now = profile__bytes(a->profile) + raw_stacks__bytes(&a->stacks) + a->chains.bytes +
		     a->windows.bytes + a->pages.bytes + a->dumps.bytes;

	if (a->shrunk && now < a->opts.max_memory / 4 * 3)
		now = a->opts.max_memory / 4 * 3;
	if (now < LEAST_BYTES)
		now = LEAST_BYTES;
	if (!a->opts.max_memory || now < a->opts.max_memory)
		a->opts.max_memory = now;
	a->shrunk = true;
	set_limits(a);
	if (a->n_late)
		assembly__retry(a, true);
}
