// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From records to profile and ledger: everything that must be counted is counted here. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/cores.h"
#include "session/internal.h"
#include "sym/idle.h"
#include "sym/kallsyms.h"
#include "sys/clock.h"
#include "sys/procfs.h"

enum {
	/* An overflow program may have read the clock before a round and still be writing. */
	SLACK_NS = 20 * 1000 * 1000,
	/* How long a process that has gone is remembered. */
	FORGET_NS = 1000 * 1000 * 1000,
	/* How often the counters of places are read. */
	PLACES_NS = 1000 * 1000 * 1000,
	/* A CPU that was busy for less says nothing about its clock. */
	MIN_BUSY_NS = 50 * 1000 * 1000,
};

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
	processes__sample_arrived(s->processes, rec.sample->tgid, now_ns());
	queue__sample(&s->queue, &rec);
}

static void on_life(void *ctx, const struct life *life)
{
	struct session *s = ctx;

	processes__life_arrived(s->processes, life);
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
	if (!s->met_idle)
		kallsyms__load(NULL, &s->kallsyms, NULL); /* or it stays NULL, which has no names */
	s->met_idle = true;
	kallsyms__find(s->kallsyms, sample->ip, &name);
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
	if (s->lists && sample->tgid && sample->stack_top && !process__exited(process))
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

static void account_sample(void *ctx, const struct decoded *rec)
{
	struct session *s = ctx;
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

	publish(s, sample, process);
	memcpy(comm, sample->comm, PMB_COMM_LEN);
	/* the idle tasks are one program, whatever CPU each calls itself after */
	to.key.comm = profile__comm(s->result->profile, sample->tid ? comm : "swapper");
	if (rec->has_addr) {
		to.key.addr = rec->addr & s->opts->addr_mask;
		to.key.has_addr = 1;
	}
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

static void account_life(void *ctx, const struct life *life)
{
	struct session *s = ctx;

	processes__life(s->processes, life);
	if (s->lists &&
	    (life->kind == LIFE_EXEC || (life->kind == LIFE_EXIT && life->tid == life->tgid)))
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

void session__round(struct session *s, bool final)
{
	const struct sideband_fns arrivals = {on_life, on_throttled, s};
	const struct queue_fns in_order = {account_life, account_sample, s};
	uint64_t now = now_ns(), horizon = s->round_ns;

	if (horizon > now - SLACK_NS)
		horizon = now - SLACK_NS;
	sideband__drain(s->sideband, &arrivals);
	rings__drain(s->rings, final ? UINT64_MAX : now);
	queue__release(&s->queue, final ? UINT64_MAX : horizon, &in_order);
	session__late_round(s);
	if (final && s->tables)
		session__late_end(s);
	if (s->store)
		store__tick(s->store, now);
	slices__sweep(&s->slices, horizon > FORGET_NS ? horizon - FORGET_NS : 0);
	session__bound_stacks(s, horizon);
	processes__sweep(s->processes, horizon > FORGET_NS ? horizon - FORGET_NS : 0);
	session__bound_files(s);
	if (final || now - s->places_ns >= PLACES_NS) {
		session__charge_places(s);
		s->places_ns = now;
	}
	s->round_ns = now;
}

static const double MARGIN = 2;

static const char *why_no_ratio(const struct event *event)
{
	if (event__counts_all_code(event) &&
	    (event->attr.exclude_user || event->attr.exclude_kernel))
		return "the kernel's clock counter also counts the code that :u or :k leaves out";
	return NULL;
}

/* Code can't run without being counted: of this event, 0 is no answer. */
static bool must_count(const struct event *event)
{
	if (event->attr.exclude_user || event->attr.exclude_kernel)
		return false;
	if (event->attr.type == PERF_TYPE_HARDWARE)
		return attr__generic_id(&event->attr) == PERF_COUNT_HW_CPU_CYCLES ||
		       attr__generic_id(&event->attr) == PERF_COUNT_HW_INSTRUCTIONS;
	return event->attr.type == PERF_TYPE_SOFTWARE && event->unit == UNIT_NS;
}

/* What the kernel keeps to itself; which of them it was, nobody can tell afterwards. */
static const char *loss_causes(const struct event *event)
{
	if (event->unit == UNIT_NS)
		return "the clock's timer came late (interrupts off, or a hypervisor busy elsewhere)";
	return "the kernel throttled the event, the emulated counter does not interrupt each time, or "
	       "overflows met another BPF program";
}

/* A counter's cycles over the time that its CPU wasn't idle (per CPU) or that it ran (per task). */
static double counter_hz(const struct session *s, const struct counter *c, const uint64_t *idle)
{
	double busy = (double)c->count.running_ns, idle_share;

	if (c->tid < 0 && c->count.enabled_ns) {
		idle_share = (double)(idle[c->cpu] - s->idle_before[c->cpu]) /
			     (double)c->count.enabled_ns;
		busy *= idle_share < 1 ? 1 - idle_share : 0;
	}
	return busy < MIN_BUSY_NS ? 0 : (double)c->count.value / busy * 1e9;
}

/* Its counter goes up with every cycle of the code that it covers: cycles, not stalled cycles. */
static bool measures_clock(const struct event *event)
{
	return event->is_clock && !event->attr.exclude_user && !event->attr.exclude_kernel;
}

static bool is_reference(const struct event *event)
{
	return event->attr.type == PERF_TYPE_HARDWARE &&
	       attr__generic_id(&event->attr) == PERF_COUNT_HW_REF_CPU_CYCLES;
}

/* Which event's counter tells the clock rate for `index`: itself, or another that counts the cycles of
 * the same cores. */
static size_t rate_source(const struct event_list *events, size_t index)
{
	const struct event *event = &events->events[index];

	if (measures_clock(event))
		return index;
	for (size_t i = 0; i < events->n; i++) {
		const struct event *other = &events->events[i];

		if (measures_clock(other) && !is_reference(other) && event__same_cpus(other, event))
			return i;
	}
	return SIZE_MAX;
}

static struct clock_rate event_rate(const struct session *s, size_t index, const uint64_t *idle)
{
	size_t n = s->counters.n + (size_t)s->n_cpus, used = 0;
	_cleanup_free_ double *hz = xcalloc(n, sizeof(*hz));
	const bool *sampled = &s->cpu_sampled[index * (size_t)s->n_cpus];
	size_t source = rate_source(s->opts->events, index);
	struct clock_rate rate = {0};

	if (s->opts->events->events[index].unit != UNIT_CYCLES)
		return rate;
	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == source && (c->cpu < 0 || sampled[c->cpu]))
			hz[used++] = counter_hz(s, c, idle);
	}
	rate = clock_rate_mean(hz, used, true);
	if (rate.n)
		return rate;
	for (int cpu = 0; cpu < s->n_cpus; cpu++)
		hz[cpu] = sampled[cpu] ? (double)cpu_nominal_hz(cpu) : 0;
	return clock_rate_mean(hz, (size_t)s->n_cpus, false);
}

/* In frequency mode the period changes; that of a clock doesn't. */
static uint64_t event_interval(const struct event *event, const struct ledger_event *e)
{
	if (!event->attr.freq)
		return event->attr.sample_period;
	if (event->unit == UNIT_NS)
		return 1000000000 / event->attr.sample_freq;
	return e->kernel.seen ? e->kernel.weight_seen / e->kernel.seen : 0;
}

/* An interval whose overflows stay below what the kernel allows, with a margin for moments that are
 * busier than the average. A throttled counter stands still: what it counted is too little, so the
 * advice is at least twice what was too short. */
static uint64_t calm_interval(const struct session *s, size_t index)
{
	uint64_t allowed = file_read_u64("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
	double per_second = s->opts->events->events[index].unit == UNIT_NS ? 1e9 : 0;
	uint64_t interval = s->result->ledger.events[index].interval, calm;

	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == index && c->count.running_ns)
			per_second = fmax(per_second, (double)c->count.value /
							      (double)c->count.running_ns * 1e9);
	}
	calm = (uint64_t)(MARGIN * per_second / (double)(allowed ? allowed : 1));
	return num__next_prime(calm < 2 * interval ? 2 * interval : calm);
}

/* The clock went on while its CPU was idle; the overflows there may not have come. */
static uint64_t idle_without_overflow(const struct session *s, size_t index, const uint64_t *idle)
{
	const struct ledger_event *e = &s->result->ledger.events[index];
	uint64_t sum = 0, told;

	if (s->opts->events->events[index].unit != UNIT_NS)
		return 0;
	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == index && c->tid < 0)
			sum += idle[c->cpu] - s->idle_before[c->cpu];
	}
	told = e->kernel.weight_idle + e->kernel.skipped * e->interval;
	if (sum <= told || e->value <= e->kernel.weight_seen)
		return 0;
	sum -= told;
	return sum < e->value - e->kernel.weight_seen ? sum : e->value - e->kernel.weight_seen;
}

static void add_counter(struct ledger_event *e, const struct counter *c)
{
	double scale =
		c->count.running_ns ? (double)c->count.enabled_ns / (double)c->count.running_ns : 0;

	e->value += c->count.value;
	e->enabled_ns += c->count.enabled_ns;
	e->running_ns += c->count.running_ns;
	e->scaled += c->count.enabled_ns == c->count.running_ns ?
			     c->count.value :
			     (uint64_t)((double)c->count.value * scale);
	e->instances++;
}

static void read_counted(struct session *s)
{
	counters__read(&s->counted);
	s->result->counts = xcalloc(s->counted.n + 1, sizeof(*s->result->counts));
	for (size_t i = 0; i < s->counted.n; i++)
		s->result->counts[s->counted.list[i].event] += s->counted.list[i].count.value;
}

static void share_times(struct session *s)
{
	const struct event_list *events = s->opts->events;

	for (size_t i = 0, end; i < events->n; i = end) {
		end = event_list__family_end(events, i);
		if (end - i > 1 && s->result->scopes[i] == SCOPE_PER_TASK)
			ledger_events__share_time(&s->result->ledger.events[i], end - i);
	}
}

static void close_unwind(struct session *s)
{
	struct ledger_unwind *unwind = &s->result->ledger.unwind;
	const struct tables_totals *totals;

	spoilers__sort(&s->result->ledger.spoilers);
	if (!s->tables)
		return;
	totals = tables__totals(s->tables);
	*unwind = (struct ledger_unwind){
		.built = totals->built,
		.frames = totals->frames,
		.failed = totals->failed,
		.no_room = totals->no_room,
		.evicted = totals->evicted,
		.bytes = store__bytes(s->store),
		.build_ns = totals->build_ns,
		.slices_lost = s->slices.refused,
	};
	for (size_t i = 0; i < s->result->ledger.n_events; i++) {
		unwind->slices += s->result->ledger.events[i].kernel.slices_sent;
		unwind->slices_lost += s->result->ledger.events[i].kernel.slices_lost;
	}
}

/* How the tables stood; their room is for the output from here on. */
static void close_memory(struct session *s)
{
	struct ledger *ledger = &s->result->ledger;

	ledger->memory = (struct ledger_memory){
		.limit = s->opts->max_memory,
		.bytes = raw_stacks__bytes(&s->stacks),
		.stacks_dropped = s->stacks.dropped,
	};
	if (!s->opts->profile) /* else it is the lender's, with his numbers of events */
		ledger__count_rows(ledger, s->result->profile);
	raw_stacks__done(&s->stacks);
	queue__done(&s->queue);
}

void session__close_books(struct session *s)
{
	_cleanup_free_ uint64_t *idle = xcalloc((size_t)s->n_cpus, sizeof(*idle));
	const struct sideband_totals *sideband = sideband__totals(s->sideband);
	struct ledger *ledger = &s->result->ledger;

	procfs_idle_ns(idle, s->n_cpus);
	counters__read(&s->counters);
	read_counted(s);
	for (size_t i = 0; i < s->counters.n; i++)
		add_counter(&ledger->events[s->counters.list[i].event], &s->counters.list[i]);
	share_times(s);
	for (size_t i = 0; i < ledger->n_events; i++) {
		struct ledger_event *e = &ledger->events[i];
		const struct event *event = &s->opts->events->events[i];

		if (event->way != EVENT_SYSTEM)
			programs__stats(s->programs, i, &e->kernel);
		e->name = event__label(event);
		e->no_ratio = why_no_ratio(event);
		e->read = event->way != EVENT_OVERFLOWS;
		e->by_count = e->read || event_weight(s, i) == PMB_WEIGHT_COUNT;
		e->loss_causes = loss_causes(event);
		e->must_count = must_count(event);
		e->only_cpus = event->cpus;
		if (s->result->scopes[i] == SCOPE_PER_TASK)
			e->instances += session__family_forks(s);
		e->interval = event_interval(event, e);
		e->calm_interval = e->throttled ? calm_interval(s, i) : 0;
		e->idle_ns = idle_without_overflow(s, i, idle);
		s->result->rates[i] = event_rate(s, i, idle);
	}
	close_unwind(s);
	close_memory(s);
	ledger->sideband_records = sideband->records;
	ledger->sideband_lost = sideband->lost;
	ledger->sideband_rejected = sideband->rejected;
}
