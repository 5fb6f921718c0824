// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end of a recording, or of a part of it: what the counters say, and everything else that the
 * ledger compares. The hard thing is that a recording which is cut goes on meanwhile: what the
 * overflow programs have counted is read until no run of theirs was amid its columns, and close to
 * when the counters are read.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/cores.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/procfs.h"

/* A CPU that was busy for less says nothing about its clock. */
enum { MIN_BUSY_NS = 50 * 1000 * 1000 };

static const double MARGIN = 2;

static const char *why_no_ratio(const struct event *event)
{
	if (event__counts_all_code(event) &&
	    (event->attr.exclude_user || event->attr.exclude_kernel))
		return "the kernel's clock counter also counts the code that :u or :k leaves out";
	if (event->off_cpu)
		return "the counter counts switches";
	return NULL;
}

/* Code can't run without being counted: of this event, 0 is no answer. */
static bool must_count(const struct event *event)
{
	if (event->attr.exclude_user || event->attr.exclude_kernel || event->off_cpu)
		return false;
	if (event->attr.type == PERF_TYPE_HARDWARE)
		return attr__generic_id(&event->attr) == PERF_COUNT_HW_CPU_CYCLES ||
		       attr__generic_id(&event->attr) == PERF_COUNT_HW_INSTRUCTIONS;
	return event->attr.type == PERF_TYPE_SOFTWARE && event->unit == UNIT_NS;
}

/* Overflows of one event a second; with more of them the kernel throttles it. */
static uint64_t allowed_rate(void)
{
	uint64_t allowed = file_read_u64("/proc/sys/kernel/perf_event_max_sample_rate", 100000);

	return allowed ? allowed : 1;
}

/* What the kernel keeps to itself; which of them it was, nobody can tell afterwards. */
static const char *loss_causes(const struct event *event, uint64_t period)
{
	if (event->unit == UNIT_NS && period && 1000000000 / period > allowed_rate())
		return "the kernel throttled the event, whose period is shorter than what "
		       "kernel.perf_event_max_sample_rate allows";
	if (event->unit == UNIT_NS)
		return "the clock's timer came late (interrupts off, or a hypervisor busy elsewhere)";
	return "the kernel throttled the event, the emulated counter does not interrupt each time, or "
	       "overflows met another BPF program; as EVENT/at-clock/ it is read at a clock's overflows "
	       "and needs no interrupt";
}

/* A counter's cycles over the time that its CPU wasn't idle (per CPU) or that it ran (per task). */
static double counter_hz(const struct session *s, const struct counter *c, const uint64_t *idle)
{
	double busy = (double)c->since.running_ns, idle_share;

	if (c->tid < 0 && c->since_ns)
		return 0; /* when it was idle isn't known that well */
	if (c->tid < 0 && c->since.enabled_ns) {
		idle_share = (double)(idle[c->cpu] - s->idle_before[c->cpu]) /
			     (double)c->since.enabled_ns;
		busy *= idle_share < 1 ? 1 - idle_share : 0;
	}
	return busy < MIN_BUSY_NS ? 0 : (double)c->since.value / busy * 1e9;
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

/* Which event's counter tells the clock rate for `index`: itself, or another that counts the
 * cycles of the same cores. */
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
	const bool *sampled = &s->assembly.cpu_sampled[index * (size_t)s->n_cpus];
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

/* In frequency mode the period changes; that of a clock doesn't. A budget has said what it was
 * at most. */
static uint64_t event_period(const struct event *event, const struct ledger_event *e)
{
	if (!event->attr.freq)
		return e->period ? e->period : event->attr.sample_period;
	if (event->unit == UNIT_NS)
		return 1000000000 / event->attr.sample_freq;
	return e->kernel.seen ? e->kernel.weight_seen / e->kernel.seen : 0;
}

/* A period whose overflows stay below what the kernel allows, with a margin for moments that are
 * busier than the average. A throttled counter stands still: what it counted is too little, so the
 * advice is at least twice what was too short. */
static uint64_t calm_period(const struct session *s, const struct ledger_event *e, size_t index)
{
	double per_second = s->opts->events->events[index].unit == UNIT_NS ? 1e9 : 0;
	uint64_t period = e->period, calm;

	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == index && c->since.running_ns)
			per_second = fmax(per_second, (double)c->since.value /
							      (double)c->since.running_ns * 1e9);
	}
	calm = (uint64_t)(MARGIN * per_second / (double)allowed_rate());
	return num__next_prime(calm < 2 * period ? 2 * period : calm);
}

/* The clock went on while its CPU was idle; the overflows there may not have come. */
static uint64_t idle_without_overflow(const struct session *s, const struct ledger_event *e,
				      size_t index, const uint64_t *idle)
{
	uint64_t sum = 0, told;

	if (s->opts->events->events[index].unit != UNIT_NS)
		return 0;
	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == index && c->tid < 0 && idle[c->cpu] > s->idle_before[c->cpu])
			sum += idle[c->cpu] - s->idle_before[c->cpu]; /* else it is offline */
	}
	told = e->kernel.weight_idle + e->kernel.weight_skipped;
	if (sum <= told || e->value <= e->kernel.weight_seen)
		return 0;
	sum -= told;
	return sum < e->value - e->kernel.weight_seen ? sum : e->value - e->kernel.weight_seen;
}

/*
 * A task's clock counts the time that it runs, and for how long it ran the kernel tells besides.
 * That holds while the event is throttled, too; then the count of cpu-clock stands still, and that
 * of task-clock may count the time since its task was switched in twice (6.16 and later).
 */
static uint64_t counted(const struct session *s, const struct counter *c)
{
	return event_weight(s, c->event) == PMB_WEIGHT_CLOCK_TASK ? c->since.running_ns :
								    c->since.value;
}

static void add_counter(const struct session *s, struct ledger *ledger, const struct counter *c)
{
	struct ledger_event *e = &ledger->events[c->event];
	uint64_t value = counted(s, c);
	double scale =
		c->since.running_ns ? (double)c->since.enabled_ns / (double)c->since.running_ns : 0;

	e->value += value;
	e->enabled_ns += c->since.enabled_ns;
	e->running_ns += c->since.running_ns;
	e->scaled += c->since.enabled_ns == c->since.running_ns ? value :
								  (uint64_t)((double)value * scale);
	e->instances++;
}

/* How long the event was counted on a counter's CPU, by it and those before it; 0 for the time
 * until the first came. */
static uint64_t watched_ns(const struct session *s, size_t at, uint64_t *ret_before)
{
	const struct counter *c = &s->counters.list[at];
	uint64_t sum = 0;

	*ret_before = UINT64_MAX;
	if (!session__any_came(s)) {
		*ret_before = 0;
		return c->since.enabled_ns;
	}
	for (size_t i = 0; i <= at; i++) {
		const struct counter *other = &s->counters.list[i];

		if (other->event != c->event || other->tid >= 0 || other->cpu != c->cpu)
			continue;
		sum += other->since.enabled_ns;
		if (*ret_before == UINT64_MAX)
			*ret_before = other->since_ns > s->part_ns ? other->since_ns - s->part_ns :
								     0;
	}
	return sum;
}

/* Counters of CPUs were all enabled at once, but for those that came: one that was so for less
 * long lost its CPU. */
static void note_cpus(const struct session *s, size_t index, struct ledger_event *e)
{
	enum { ENABLING_NS = 50000000 }; /* takes a moment for each */
	uint64_t longest = 0, watched, before;

	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == index && c->tid < 0 && c->since.enabled_ns > longest)
			longest = c->since.enabled_ns;
	}
	for (size_t i = 0; i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event != index || c->tid >= 0)
			continue;
		e->cpus_came += c->since_ns > s->part_ns;
		watched = session__has_successor(s, i) ? longest :
							 watched_ns(s, i, &before) + before;
		if (watched + ENABLING_NS + longest / 100 >= longest)
			continue;
		e->cpus_away++;
		e->away_ns += longest - watched;
	}
}

/* Overflows for which no program was called: the last ones, too, after which none will be there
 * to notice. */
static void count_unseen(const struct session *s, size_t index, bool final, struct ledger_event *e)
{
	_cleanup_free_ struct pmb_last *last = NULL;
	bool known;

	if (event_weight(s, index) != PMB_WEIGHT_GRID)
		return;
	last = xcalloc((size_t)programs__n_cpus(s->programs), sizeof(*last));
	known = final && programs__last(s->programs, index, last) == 0;
	for (size_t i = 0; known && i < s->counters.n; i++) {
		const struct counter *c = &s->counters.list[i];

		if (c->event == index && !session__has_successor(s, i))
			ledger_event__unseen_tail(e, c->count.value, last[c->cpu].at);
	}
	ledger_event__count_unseen(e);
}

static void read_counted(struct session *s)
{
	counters__read(&s->counted);
	s->result->counts = xcalloc(s->counted.n + 1, sizeof(*s->result->counts));
	for (size_t i = 0; i < s->counted.n; i++)
		s->result->counts[s->counted.list[i].event] += s->counted.list[i].count.value;
}

static void share_times(const struct session *s, struct ledger *ledger)
{
	const struct event_list *events = s->opts->events;

	for (size_t i = 0, end; i < events->n; i = end) {
		end = event_list__family_end(events, i);
		if (end - i > 1 && s->result->scopes[i] == SCOPE_PER_TASK)
			ledger_events__share_time(&ledger->events[i], end - i);
	}
}

static void close_unwind(struct session *s, struct ledger *ledger)
{
	struct tables_totals now, *told = &s->told.tables;
	struct ledger_unwind *unwind = &ledger->unwind;

	if (!s->unwind.tables)
		return;
	now = *tables__totals(s->unwind.tables);
	set_aside__merge(&ledger->aside, tables__set_aside(s->unwind.tables));
	unknown_runtimes__merge(&ledger->runtimes, runtimes__unknown_ones(s->unwind.runtimes));
	set_aside__merge(&ledger->aside, hotspots__set_aside(s->unwind.hotspots));
	unknown_runtimes__merge(&ledger->runtimes, hotspots__unknown_ones(s->unwind.hotspots));
	*unwind = (struct ledger_unwind){
		.built = now.built - told->built,
		.frames = now.frames - told->frames,
		.failed = now.failed - told->failed,
		.no_room = now.no_room - told->no_room,
		.over_budget = now.over_budget - told->over_budget,
		.evicted = now.evicted - told->evicted,
		.evicted_mapped = now.evicted_mapped - told->evicted_mapped,
		.readmitted = now.readmitted - told->readmitted,
		.bytes = store__bytes(s->unwind.store),
		.build_ns = now.build_ns - told->build_ns,
		.stack_dumps_refused = s->assembly.dumps.refused - s->told.stack_dumps_refused,
	};
	unwind->stack_dumps_lost = unwind->stack_dumps_refused;
	for (size_t i = 0; i < ledger->n_events; i++) {
		unwind->stack_dumps += ledger->events[i].kernel.stack_dumps_sent;
		unwind->stack_dumps_lost += ledger->events[i].kernel.stack_dumps_lost;
	}
	*told = now;
	s->told.stack_dumps_refused = s->assembly.dumps.refused;
}

static void close_windows(struct session *s, struct ledger *ledger)
{
	struct pmb_window_stats now;

	if (!s->opts->gates || programs__window_stats(s->programs, &now) < 0)
		return;
	ledger->windows.kernel = now;
	window_stats__take(&ledger->windows.kernel, &s->told.windows);
	s->told.windows = now;
	session__window_probes_close(s, ledger);
}

/* How the tables stood. */
static void close_memory(struct session *s, struct session_cut *part)
{
	struct raw_stacks *stacks = &s->assembly.stacks;

	part->ledger.memory = (struct ledger_memory){
		.limit = s->opts->max_memory,
		.bytes = raw_stacks__bytes(stacks),
		.stacks_dropped = stacks->dropped - s->told.stacks_dropped,
	};
	if (!s->opts->profile) /* else it is the lender's, with his numbers of events */
		ledger__count_rows(&part->ledger, part->profile);
	s->told.stacks_dropped = stacks->dropped;
}

static void close_sideband(struct session *s, struct ledger *ledger)
{
	const struct sideband_totals *now = sideband__totals(s->sideband);
	struct sideband_totals *told = &s->told.sideband;

	ledger->sideband_records = now->records - told->records;
	ledger->sideband_lost = now->lost - told->lost;
	ledger->sideband_rejected = now->rejected - told->rejected;
	*told = *now;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* What counters and programs have counted so far, as of one moment, or nearly so. */
static void read_counts(struct session *s, struct pmb_stats *stats, bool final)
{
	enum { TRIES = 8, MOST = 16, LONGEST = 6, MOMENT_NS = 2000000 };

	for (int try = 0;; try++) {
		uint64_t began = now_ns();
		bool settled = true;

		counters__read(&s->counters);
		for (size_t i = 0; i < s->opts->events->n; i++) {
			if (s->opts->events->events[i].mode == EVENT_SYSTEM)
				continue;
			settled &= programs__settled_stats(s->programs, i, &stats[i]) == 0;
		}
		/* on a slow machine columns that fit together have to do, a moment or not */
		if (final || try == MOST ||
		    (settled && (try >= TRIES || now_ns() - began < MOMENT_NS)))
			break;
		/* a virtual CPU amid an overflow goes on when its host likes */
		if (!settled)
			usleep(1000U << (try < LONGEST ? try : LONGEST));
	}
	for (size_t i = 0; i < s->counters.n; i++) {
		struct counter *c = &s->counters.list[i];

		c->since = (struct perf_count){
			.value = since(c->count.value, c->before.value),
			.enabled_ns = since(c->count.enabled_ns, c->before.enabled_ns),
			.running_ns = since(c->count.running_ns, c->before.running_ns),
		};
		c->before = c->count;
	}
}

/* What the kernel side has counted since the last cut. */
static void close_kernel(struct session *s, size_t index, const struct pmb_stats *now,
			 struct ledger_event *e)
{
	if (s->opts->events->events[index].mode == EVENT_SYSTEM)
		return; /* counted as it was charged */
	e->kernel = *now;
	ledger_stats__take(&e->kernel, &s->told.stats[index]);
	s->told.stats[index] = *now;
}

/* What has left the overflow program and not come out of its ring: of the part that follows. */
static void carry_over(struct session *s, size_t index, struct ledger_event *e, bool final)
{
	struct ledger_event *next = &s->assembly.books.events[index];

	if (final)
		return;
	e->out.rings = e->in.rings + e->kernel.emitted - e->decoded;
	e->out.weight_rings = e->in.weight_rings + e->kernel.weight_emitted - e->weight_decoded;
	next->in = e->out;
	if (session__period(s, index))
		next->period = e->period;
}

static void close_event(struct session *s, struct session_cut *part, size_t i, bool final)
{
	const struct event *event = &s->opts->events->events[i];
	struct ledger_event *e = &part->ledger.events[i];
	const uint64_t *idle = s->idle_after;

	e->name = event__label(event);
	e->no_ratio = why_no_ratio(event);
	e->read = event->mode != EVENT_OVERFLOWS;
	e->by_count = e->read || event_weight(s, i) == PMB_WEIGHT_COUNT;
	e->must_count = must_count(event);
	e->only_cpus = event->cpus;
	if (s->result->scopes[i] == SCOPE_PER_TASK)
		e->instances += session__family_forks(s);
	e->period = event_period(event, e);
	e->loss_causes = loss_causes(event, e->period);
	carry_over(s, i, e, final);
	count_unseen(s, i, final, e);
	e->calm_period = e->throttled ? calm_period(s, e, i) : 0;
	note_cpus(s, i, e);
	e->idle_ns = idle_without_overflow(s, e, i, idle);
	part->rates[i] = event_rate(s, i, idle);
}

struct session_cut session__part(struct session *s, uint64_t boundary, bool final)
{
	size_t n = s->opts->events->n;
	_cleanup_free_ struct pmb_stats *stats = xcalloc(n, sizeof(*stats));
	struct session_cut part = {
		.rates = xcalloc(n, sizeof(*part.rates)),
		.begin_ns = s->part_ns,
	};
	struct assembled assembled;
	uint64_t *idle = s->idle_before;

	read_counts(s, stats, final);
	part.end_ns = now_ns();
	assembled = assembly__cut(&s->assembly, boundary);
	part.profile = assembled.profile;
	part.ledger = assembled.books;
	for (size_t i = 0; i < n; i++)
		close_kernel(s, i, &stats[i], &part.ledger.events[i]);
	for (size_t i = 0; i < s->counters.n; i++)
		add_counter(s, &part.ledger, &s->counters.list[i]);
	share_times(s, &part.ledger);
	for (size_t i = 0; i < n; i++)
		close_event(s, &part, i, final);
	close_unwind(s, &part.ledger);
	close_windows(s, &part.ledger);
	session__mapped_close(s, &part.ledger);
	session__allocs_close(s, &part.ledger);
	session__close_off_cpu(s, &part.ledger, final);
	close_memory(s, &part);
	close_sideband(s, &part.ledger);
	s->part_ns = part.end_ns;
	s->idle_before = s->idle_after;
	s->idle_after = idle;
	return part;
}

void session__close_books(struct session *s)
{
	struct session_cut part = session__part(s, UINT64_MAX, true);

	s->result->profile = part.profile;
	s->result->ledger = part.ledger;
	free(s->result->rates);
	s->result->rates = part.rates;
	read_counted(s);
	session__note_containers(s);
	session__note_quiet(s);
	/* their room is for the output from here on */
	raw_stacks__done(&s->assembly.stacks);
	queue__done(&s->assembly.queue);
}
