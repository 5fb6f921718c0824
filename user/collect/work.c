// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/work.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/core_types.h"
#include "collect/counting.skel.h"
#include "collect/features.h"
#include "collect/gates_left.h"
#include "collect/kernel_gates.h"
#include "collect/loading.h"
#include "pmubpf/budgets.h"
#include "sys/cpus.h"

/* How many empty units are measured: a few are slow, because something came between. */
enum {
	EMPTY_UNITS = 500,
	READS_MAX = 20,
};

struct work_programs {
	struct counting_bpf *skel;
	const struct gates *gates;
	size_t n_series;
	int n_cpus;     /* possible ones */
	uint8_t *marks; /* pmb_tasks, mapped */
	size_t n_marks;
	const struct pmb_distribution *costs; /* pmb_costs, mapped; by units, series, CPU */
	size_t costs_size;
	const struct pmb_work_stats *stats; /* pmb_work_stats, mapped */
	size_t stats_size;
	struct probe_links links;
	struct gate_user user;
};

static struct kernel_programs kernel_starters(const struct counting_bpf *skel)
{
	return (struct kernel_programs){skel->progs.pmb_fentry_start, skel->progs.pmb_kprobe_start};
}

static struct kernel_programs kernel_stoppers(const struct counting_bpf *skel)
{
	return (struct kernel_programs){skel->progs.pmb_fentry_stop, skel->progs.pmb_kprobe_stop};
}

static void choose_programs(struct counting_bpf *skel, const struct work_opts *opts)
{
	const struct gates *gates = opts->gates;
	uint32_t windows = gates->windows;
	bool calls = windows == PMB_WINDOWS_LOOP || windows == PMB_WINDOWS_SYSCALL;
	bool run = windows == PMB_WINDOWS_RUN;
	const struct kernel_programs starts = kernel_starters(skel), stops = kernel_stoppers(skel);

	kernel_gate__choose(&gates->opens, false, &starts);
	kernel_gate__choose(&gates->closes, gates__has_kernel_calls(gates), &stops);
	bpf_program__set_autoload(skel->progs.pmb_work_enter, calls);
	bpf_program__set_autoload(skel->progs.pmb_work_exit, calls);
	bpf_program__set_autoload(skel->progs.pmb_work_open, gates->opens.tracepoint);
	bpf_program__set_autoload(skel->progs.pmb_work_close, gates->closes.tracepoint);
	bpf_program__set_autoload(skel->progs.pmb_user_start, gates->opens.user);
	bpf_program__set_autoload(skel->progs.pmb_user_stop, gates->closes.user);
	bpf_program__set_autoload(skel->progs.pmb_user_caught, gates->catches.n_sites);
	bpf_program__set_autoload(skel->progs.pmb_user_comes, gates->comes.n_sites);
	bpf_program__set_autoload(skel->progs.pmb_user_goes, gates->goes.n_sites);
	bpf_program__set_autoload(skel->progs.pmb_work_leave, gates->sliced || gates->of_go);
	bpf_program__set_autoload(skel->progs.pmb_work_start, gates->opens.event);
	bpf_program__set_autoload(skel->progs.pmb_work_stop, gates->closes.event);
	bpf_program__set_autoload(skel->progs.pmb_work_gone, !run || opts->sums);
	bpf_program__set_autoload(skel->progs.pmb_work_switch, !run);
	bpf_program__set_autoload(skel->progs.pmb_work_run, run);
	bpf_program__set_autoload(skel->progs.pmb_work_settle, opts->sums);
	bpf_program__set_autoload(skel->progs.pmb_work_named,
				  opts->sums && gates->whose.filter == PMB_FILTER_TASKS);
}

static void set_sizes(struct work_programs *w, const struct work_opts *opts)
{
	struct counting_bpf *skel = w->skel;
	bool follow = opts->gates->whose.filter == PMB_FILTER_TASKS;

	bpf_map__set_max_entries(skel->maps.pmb_tasks, mark_pages(follow));
	bpf_map__set_max_entries(skel->maps.pmb_processes, 1);
	bpf_map__set_max_entries(skel->maps.pmb_open, mark_pages(true));
	bpf_map__set_max_entries(skel->maps.pmb_works, BUDGET_WINDOW_THREADS);
	if (opts->gates->of_go) {
		bpf_map__set_max_entries(skel->maps.pmb_carried, BUDGET_WINDOW_THREADS);
		bpf_map__set_max_entries(skel->maps.pmb_ended, GATES_ENDED_MAX);
	}
	bpf_map__set_max_entries(skel->maps.pmb_work_reads,
				 (__u32)(opts->n_counters ? opts->n_counters : 1) *
					 (__u32)w->n_cpus);
	bpf_map__set_max_entries(skel->maps.pmb_costs,
				 (__u32)(PMB_N_UNITS * w->n_series) * (__u32)w->n_cpus);
	bpf_map__set_max_entries(skel->maps.pmb_work_stats, (__u32)w->n_cpus);
	if (opts->gates->by_process) {
		bpf_map__set_max_entries(skel->maps.pmb_shared, BUDGET_WINDOW_THREADS);
		bpf_map__set_max_entries(skel->maps.pmb_insiders, BUDGET_WINDOW_THREADS);
	}
	choose_life(skel->obj, follow, opts->gates->whose.pidns != 0);
}

static void set_constants(struct work_programs *w, const struct work_opts *opts, bool hold)
{
	struct counting_bpf *skel = w->skel;
	struct pmb_config *config = (struct pmb_config *)&skel->rodata->pmb_work;

	*config = opts->gates->whose;
	config->windows = opts->gates->windows;
	config->sliced = opts->gates->sliced;
	config->by_process = opts->gates->by_process;
	config->returns = opts->gates->returns;
	config->of_go = opts->gates->of_go;
	config->grows = opts->gates->grows;
	config->keep_threads = gates__by_nmi(opts->gates);
	config->n_reads = (__u32)opts->n_counters;
	config->n_cpus = (__u32)w->n_cpus;
	memcpy((void *)skel->rodata->pmb_work_calls, opts->gates->calls,
	       sizeof(opts->gates->calls));
	gates__exits(opts->gates, (uint8_t *)skel->rodata->pmb_exit_when);
	skel->rodata->pmb_may_hold = hold;
	skel->rodata->pmb_work_sums = opts->sums;
	skel->rodata->pmb_work_longer = opts->longer_ns;
	skel->rodata->pmb_inherit = opts->inherit;
	skel->rodata->pmb_pidns = opts->gates->whose.pidns;
}

static int map_maps(struct work_programs *w, struct err *err)
{
	w->marks = map_memory(w->skel->maps.pmb_tasks, &w->n_marks);
	if (w->marks)
		w->costs = map_memory(w->skel->maps.pmb_costs, &w->costs_size);
	if (w->costs)
		w->stats = map_memory(w->skel->maps.pmb_work_stats, &w->stats_size);
	return w->stats ? 0 : load_error(err, "what units of work cost", -errno);
}

static int try_load(struct work_programs *w, const struct work_opts *opts, bool hold)
{
	_cleanup_(core_types__done) struct core_types *types = core_types__new();

	CORE_TYPES_OPEN(types, w->skel, counting_bpf);
	if (!w->skel)
		return -errno;
	choose_programs(w->skel, opts);
	set_sizes(w, opts);
	set_constants(w, opts, hold);
	return counting_bpf__load(w->skel);
}

/* A kernel may know how a program keeps its CPU and refuse one that does and calls a function that
 * is verified by itself: "global function calls are not allowed with preemption disabled" (6.12;
 * not so 7.2). */
static int load(struct work_programs *w, const struct work_opts *opts)
{
	bool hold = gates__by_user(opts->gates) && feature__has(FEATURE_HOLD_CPU);
	int r = try_load(w, opts, hold);

	if (r != -EINVAL || !hold)
		return r;
	counting_bpf__destroy(w->skel);
	return try_load(w, opts, false);
}

int work_programs__load(struct work_programs **ret, const struct work_opts *opts, struct err *err)
{
	struct work_programs *w = xcalloc(1, sizeof(*w));
	struct loading loading;
	int r;

	w->gates = opts->gates;
	w->n_series = PMB_SERIES_COUNTERS + opts->n_counters;
	w->n_cpus = cpus_possible();
	loading__begin(&loading);
	r = load(w, opts);
	if (r < 0)
		r = load_error(err, "the BPF programs", r);
	else
		r = map_maps(w, err);
	loading__end(&loading);
	if (r < 0)
		w = work_programs__free(w);
	*ret = w;
	return r;
}

struct work_programs *work_programs__free(struct work_programs *w)
{
	if (!w)
		return NULL;
	if (w->marks)
		munmap(w->marks, w->n_marks);
	if (w->costs)
		munmap((void *)w->costs, w->costs_size);
	if (w->stats)
		munmap((void *)w->stats, w->stats_size);
	probe_links__close(&w->user.links, NULL);
	probe_links__close(&w->links, NULL);
	counting_bpf__destroy(w->skel);
	free(w);
	return NULL;
}

int work_programs__set_counter(struct work_programs *w, size_t i, int cpu, int fd)
{
	__u32 at = (__u32)i * (__u32)w->n_cpus + (__u32)cpu;

	if (cpu >= w->n_cpus)
		return -ERANGE;
	return bpf_map_update_elem(bpf_map__fd(w->skel->maps.pmb_work_reads), &at, &fd, BPF_ANY) <
			       0 ?
		       -errno :
		       0;
}

int work_programs__mark(struct work_programs *w, pid_t tid, enum pmb_mark mark)
{
	if ((size_t)tid >= w->n_marks)
		return -ERANGE;
	__atomic_store_n(&w->marks[tid], (uint8_t)mark, __ATOMIC_RELEASE);
	return 0;
}

void work_programs__calibrate(struct work_programs *w)
{
	int fd = bpf_program__fd(w->skel->progs.pmb_work_empty);

	for (int i = 0; i < EMPTY_UNITS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		if (bpf_prog_test_run_opts(fd, &opts) < 0)
			return;
	}
}

/* Closing first: what is open must be closed. And before the skeleton's own, for those leave open
 * windows where a thread ends: where it ends may be what closes them. */
int work_programs__attach(struct work_programs *w, struct err *err)
{
	const struct gates *gates = w->gates;
	struct counting_bpf *skel = w->skel;
	int r;

	w->user = (struct gate_user){
		.opens = skel->progs.pmb_user_start,
		.closes = skel->progs.pmb_user_stop,
		.catches = skel->progs.pmb_user_caught,
		.comes = skel->progs.pmb_user_comes,
		.goes = skel->progs.pmb_user_goes,
		.kernel_opens = kernel_starters(skel),
		.kernel_closes = kernel_stoppers(skel),
		.leave = skel->progs.pmb_work_leave,
		.threads = skel->maps.pmb_works,
		.ended = skel->maps.pmb_ended,
		.paused = skel->maps.pmb_paused,
		.settle = bpf_program__autoload(skel->progs.pmb_work_settle) ?
				  skel->progs.pmb_work_settle :
				  NULL,
		.n_cpus = w->n_cpus,
	};
	r = gates__attach_to(gates, &gates->closes, skel->progs.pmb_work_close, &w->links, err);
	if (r == 0 && counting_bpf__attach(skel) < 0)
		r = err__set(err, -errno, "%s: the kernel attaches no programs: %s", gates->option,
			     strerror(errno));
	if (r == 0)
		r = gates__attach_to(gates, &gates->opens, skel->progs.pmb_work_open, &w->links,
				     err);
	return r < 0 ? r : gates__put_in(gates, &w->user, err);
}

int work_programs__put_in(struct work_programs *w, struct err *err)
{
	return gates__put_in(w->gates, &w->user, err);
}

int work_programs__take_out(struct work_programs *w)
{
	return gates__take_out(w->gates, &w->user, false);
}

void work_programs__leave_ended(struct work_programs *w, uint64_t now)
{
	if (w->gates->of_go)
		gates_left__of_ended(&w->user, now);
}

struct probe_hits work_programs__hits(const struct work_programs *w)
{
	struct probe_hits hits = {0};

	for (int cpu = 0; cpu < w->n_cpus; cpu++) {
		hits.emulated += w->stats[cpu].emulated;
		hits.stepped += w->stats[cpu].stepped;
		hits.timed += w->stats[cpu].timed;
		hits.timed_ns += w->stats[cpu].timed_ns;
	}
	return hits;
}

struct gate_fds work_programs__gate_fds(const struct work_programs *w)
{
	return (struct gate_fds){
		.open = bpf_program__fd(w->skel->progs.pmb_work_start),
		.close = bpf_program__fd(w->skel->progs.pmb_work_stop),
	};
}

void work_programs__settle(const struct work_programs *w)
{
	run_on_cpus(w->skel->progs.pmb_work_settle, w->n_cpus);
}

static void add_stats(struct pmb_work_stats *to, const struct pmb_work_stats *from)
{
	uint64_t *sums = (uint64_t *)to;
	const uint64_t *more = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sums); i++)
		sums[i] += more[i];
}

static uint64_t missed(const struct counting_bpf *skel)
{
	struct bpf_program *program;
	uint64_t n = 0;

	bpf_object__for_each_program(program, skel->obj)
		n += program_missed(program);
	return n;
}

static void read_once(const struct work_programs *w, struct work_counts *ret)
{
	const struct pmb_distribution *from = w->costs;

	ret->stats = (struct pmb_work_stats){0};
	for (int cpu = 0; cpu < w->n_cpus; cpu++)
		add_stats(&ret->stats, &w->stats[cpu]);
	for (size_t units = 0; units < PMB_N_UNITS; units++) {
		memset(ret->of[units], 0, w->n_series * sizeof(*ret->of[units]));
		for (size_t i = 0; i < w->n_series; i++) {
			for (int cpu = 0; cpu < w->n_cpus; cpu++)
				distribution__add(&ret->of[units][i], from++);
		}
	}
}

/* Units end meanwhile: what reads the same twice belongs together. */
void work_programs__read(const struct work_programs *w, struct work_counts *ret)
{
	size_t size = w->n_series * sizeof(*ret->of[PMB_UNITS_REAL]);
	struct pmb_distribution *before = xcalloc(1, size);

	ret->missed = missed(w->skel);
	read_once(w, ret);
	for (int i = 0; i < READS_MAX; i++) {
		memcpy(before, ret->of[PMB_UNITS_REAL], size);
		read_once(w, ret);
		if (memcmp(before, ret->of[PMB_UNITS_REAL], size) == 0)
			break;
	}
	free(before);
}
