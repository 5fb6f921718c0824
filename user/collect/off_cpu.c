// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/off_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/programs.h"
#include "collect/recording.skel.h"
#include "model/ledger.h"
#include "pmubpf/budgets.h"

/* A CPU's, with what the program keeps behind them. */
struct off_cpu_value {
	struct pmb_off_stats stats;
	uint64_t word;
	uint32_t preempts, arrived;
};

void off_cpu__choose(struct recording_bpf *skel, const struct programs_opts *opts, bool first)
{
	bool wanted = first && opts->off_cpu;

	bpf_program__set_autoload(skel->progs.pmb_off_switch, wanted);
	bpf_program__set_autoload(skel->progs.pmb_off_waking, wanted);
	if (!opts->off_cpu)
		return;
	bpf_map__set_max_entries(skel->maps.pmb_offs, BUDGET_OFF_THREADS);
	*(struct pmb_config *)&skel->rodata->pmb_off = *opts->off_cpu;
	skel->rodata->pmb_off.event = (__u32)(opts->off_cpu - opts->configs);
	skel->rodata->pmb_off.windows = skel->rodata->pmb_cfg.windows;
	skel->rodata->pmb_off.ring_wake = skel->rodata->pmb_cfg.ring_wake;
}

struct off_threads off_cpu__threads(const struct recording_bpf *skel, int n_cpus)
{
	return (struct off_threads){
		.threads = bpf_map__fd(skel->maps.pmb_offs),
		.cpus = bpf_map__fd(skel->maps.pmb_off_cpus),
		.stats = bpf_map__fd(skel->maps.pmb_stats),
		.n_cpus = n_cpus,
		.min_ns = skel->rodata->pmb_off.off_min_ns,
	};
}

void off_cpu__stop(struct recording_bpf *skel)
{
	bpf_link__destroy(skel->links.pmb_off_switch);
	bpf_link__destroy(skel->links.pmb_off_waking);
	skel->links.pmb_off_switch = skel->links.pmb_off_waking = NULL;
}

static int read_cpus(const struct off_threads *all, struct off_cpu_value *ret_per_cpu,
		     struct pmb_off_stats *ret)
{
	__u32 zero = 0;

	*ret = (struct pmb_off_stats){0};
	if (bpf_map_lookup_elem(all->cpus, &zero, ret_per_cpu) < 0)
		return -errno;
	for (int cpu = 0; cpu < all->n_cpus; cpu++)
		off_stats__add(ret, &ret_per_cpu[cpu].stats);
	return 0;
}

int off_threads__stats(const struct off_threads *all, struct pmb_off_stats *ret)
{
	_cleanup_free_ struct off_cpu_value *per_cpu =
		xcalloc((size_t)all->n_cpus, sizeof(*per_cpu));

	return read_cpus(all, per_cpu, ret);
}

/* From its last switch on; one that isn't without a CPU may have left it unrecorded. */
static bool has_cpu(const struct off_cpu_value *per_cpu, int n_cpus, uint32_t thread)
{
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		if (per_cpu[cpu].arrived == thread)
			return true;
	}
	return false;
}

/* The time until the end. */
static void add_rest(const struct off_cpu_value *per_cpu, int n_cpus, uint32_t thread,
		     const struct pmb_off_thread *t, uint64_t ns, struct pmb_off_stats *stats)
{
	if (t->since && t->outside) {
		stats->outside_ns += ns;
	} else if (t->since) {
		stats->off_ns += ns;
	} else if (has_cpu(per_cpu, n_cpus, thread)) {
		stats->on_ns += ns;
	} else {
		stats->unseen_ns += ns;
		stats->unseen++;
	}
}

/* What the program would have done, had the thread got a CPU then. */
struct ending {
	uint64_t end_ns, min_ns;
	void (*fn)(void *ctx, const void *record, size_t size);
	void *ctx;
	struct pmb_stats *stats;
};

static void give(const struct ending *e, struct pmb_off_thread *t, uint32_t state, uint64_t ns)
{
	uint64_t weight = ns * t->scale;

	t->rec.off.state = state;
	t->rec.fixed.weight = weight;
	e->stats->seen++;
	e->stats->emitted++;
	e->stats->weight_seen += weight;
	e->stats->weight_emitted += weight;
	e->stats->ring_bytes += t->rec.fixed.rec.size;
	e->fn(e->ctx, &t->rec, t->rec.fixed.rec.size);
}

static void leave_out(const struct ending *e, const struct pmb_off_thread *t,
		      struct pmb_off_stats *stats)
{
	uint64_t gone = e->end_ns - t->since;

	e->stats->seen++;
	e->stats->filtered++;
	e->stats->weight_seen += gone * t->scale;
	e->stats->weight_filtered += gone * t->scale;
	stats->brief++;
	stats->brief_ns += gone;
}

static void end_thread(const struct ending *e, struct pmb_off_thread *t,
		       struct pmb_off_stats *stats)
{
	uint64_t woken = t->woken && t->woken >= t->since ? t->woken : e->end_ns;

	if (t->outside) {
		e->stats->weight_seen += (e->end_ns - t->since) * t->scale;
		e->stats->weight_closed += (e->end_ns - t->since) * t->scale;
		return;
	}
	if (e->end_ns - t->since < e->min_ns) {
		leave_out(e, t, stats);
		return;
	}
	t->rec.fixed.rec.time = e->end_ns;
	if (t->rec.off.state == PMB_OFF_PREEMPTED) {
		give(e, t, PMB_OFF_PREEMPTED, e->end_ns - t->since);
		return;
	}
	if (woken > e->end_ns)
		woken = e->end_ns;
	t->rec.off.more = e->end_ns > woken;
	give(e, t, t->rec.off.state, woken - t->since);
	t->rec.off.more = 0;
	if (e->end_ns > woken)
		give(e, t, PMB_OFF_WAITING, e->end_ns - woken);
}

void off_threads__end(const struct off_threads *all, uint64_t end_ns,
		      void (*fn)(void *ctx, const void *record, size_t size), void *ctx,
		      struct pmb_off_stats *ret)
{
	_cleanup_free_ struct pmb_stats *per_cpu = xcalloc((size_t)all->n_cpus, sizeof(*per_cpu));
	_cleanup_free_ struct off_cpu_value *cpus = xcalloc((size_t)all->n_cpus, sizeof(*cpus));
	struct ending e = {end_ns, all->min_ns, fn, ctx, per_cpu};
	struct pmb_off_thread t;
	__u32 before, thread, *at = NULL, event;

	(void)read_cpus(all, cpus, ret);
	while (bpf_map_get_next_key(all->threads, at, &thread) == 0) {
		before = thread;
		at = &before;
		if (bpf_map_lookup_elem(all->threads, &thread, &t) < 0)
			continue;
		event = t.rec.fixed.event;
		if (t.first)
			ret->wall_ns += (t.last > end_ns ? t.last : end_ns) - t.first;
		if (t.last > end_ns)
			continue;
		add_rest(cpus, all->n_cpus, thread, &t, end_ns - t.last, ret);
		if (!t.since || bpf_map_lookup_elem(all->stats, &event, per_cpu) < 0)
			continue;
		end_thread(&e, &t, ret);
		bpf_map_update_elem(all->stats, &event, per_cpu, BPF_ANY);
	}
}
