// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/chunks.h"
#include "collect/core_types.h"
#include "collect/features.h"
#include "collect/gate.skel.h"
#include "collect/gates.h"
#include "collect/gates_left.h"
#include "collect/inner_maps.h"
#include "collect/loading.h"
#include "collect/off_cpu.h"
#include "collect/recording.skel.h"
#include "collect/room.h"
#include "collect/siblings.h"
#include "model/ledger.h"
#include "pmubpf/budgets.h"
#include "sys/cpus.h"
#include "sys/procfs.h"
#include "sys/usage.h"

enum { N_BESIDE = 2 };

struct programs {
	struct recording_bpf **samples; /* one per event that overflows; the first owns the maps */
	size_t n_events;
	struct gate_bpf *gates;         /* NULL: no windows */
	int *ring_fds;                  /* -1: that CPU isn't here */
	int n_cpus;                     /* possible ones */
	size_t ring_bytes, rings_bytes; /* as in programs_opts */
	uint8_t *marks;                 /* pmb_tasks, mapped: one byte per thread id */
	size_t n_marks;
	uint64_t *ids; /* pmb_ids, mapped: buckets of PMB_ID_WAYS */
	size_t n_buckets;
	struct pmb_code *code; /* as pmb_mappings: NULL without by_table */
	struct pmb_mappings *mappings;
	struct inner_maps *inner;
	struct chunks chunks;
	struct probe_links links;
	struct gate_user user;
	int beside_fds[N_BESIDE]; /* programs__count_beside */
	size_t n_beside;
};

static int publish_rings(const struct programs *p, const int *cpus, const int *fds, int n)
{
	return inner_maps__put(p->inner, bpf_map__fd(p->samples[0]->maps.pmb_rings), cpus, fds,
			       (size_t)n);
}

static int new_ring(size_t bytes)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "pmb_ring", 0, 0, (__u32)bytes, NULL);

	return fd < 0 ? -errno : fd;
}

int programs__add_ring(struct programs *p, int cpu)
{
	_cleanup_close_ int fd = -1;
	size_t n = 0;
	int r;

	if (cpu >= p->n_cpus)
		return -ERANGE;
	if (p->ring_fds[cpu] >= 0)
		return 0;
	for (int i = 0; i < p->n_cpus; i++)
		n += p->ring_fds[i] >= 0;
	if (p->rings_bytes && (n + 1) * p->ring_bytes > p->rings_bytes)
		return -ENOBUFS;
	fd = new_ring(p->ring_bytes);
	if (fd < 0)
		return fd;
	r = publish_rings(p, &cpu, &fd, 1);
	if (r == 0)
		p->ring_fds[cpu] = TAKE_FD(fd);
	siblings__tell(p->samples[0], cpu);
	return r;
}

static int create_rings(struct programs *p, const struct programs_opts *opts, struct err *err)
{
	const struct cpus *cpus = opts->cpus;
	_cleanup_free_ int *fds = xcalloc((size_t)cpus->n, sizeof(*fds));
	int r;

	p->ring_fds = xcalloc((size_t)p->n_cpus, sizeof(*p->ring_fds));
	for (int cpu = 0; cpu < p->n_cpus; cpu++)
		p->ring_fds[cpu] = -1;
	for (int i = 0; i < cpus->n; i++) {
		fds[i] = new_ring(opts->ring_bytes);
		if (fds[i] < 0)
			return load_error(err, "a ring buffer", fds[i]);
		p->ring_fds[cpus->cpu[i]] = fds[i];
	}
	r = publish_rings(p, cpus->cpu, fds, cpus->n);
	return r < 0 ? load_error(err, "the ring buffers", r) : 0;
}

static uint32_t ring_wake(const struct programs_opts *opts)
{
	return (uint32_t)(opts->ring_bytes / 4);
}

static int open_sample(struct programs *p, size_t event, const struct programs_opts *opts,
		       struct core_types *types)
{
	struct recording_bpf *skel;

	CORE_TYPES_OPEN(types, skel, recording_bpf);
	if (!skel)
		return -errno;
	p->samples[event] = skel;
	*(struct pmb_config *)&skel->rodata->pmb_cfg = opts->configs[event];
	skel->rodata->pmb_cfg.event = (__u32)event;
	skel->rodata->pmb_cfg.ring_wake = ring_wake(opts);
	bpf_map__set_max_entries(skel->maps.pmb_stats, (__u32)opts->n_events);
	bpf_map__set_max_entries(skel->maps.pmb_last, (__u32)opts->n_events);
	bpf_map__set_max_entries(skel->maps.pmb_rings, (__u32)p->n_cpus);
	bpf_map__set_max_entries(skel->maps.pmb_tasks, mark_pages(opts->follow));
	bpf_map__set_max_entries(skel->maps.pmb_cgroups,
				 opts->by_container ? BUDGET_CGROUP_MARKS : 1);
	bpf_map__set_max_entries(skel->maps.pmb_contexts,
				 opts->configs[0].want_context ? BUDGET_CONTEXT_PROCESSES : 1);
	bpf_map__set_max_entries(skel->maps.pmb_counters,
				 (__u32)(opts->n_reads ? opts->n_reads : 1) * (__u32)p->n_cpus);
	skel->rodata->pmb_cfg.n_cpus = (__u32)p->n_cpus;
	skel->rodata->pmb_cfg.by_table = opts->by_table;
	skel->rodata->pmb_cfg.pidns = opts->pidns;
	skel->rodata->pmb_inherit = opts->inherit;
	skel->rodata->pmb_pidns = opts->pidns;
	gates__tell(opts->gates, skel);
	off_cpu__choose(skel, opts, event == 0);
	siblings__choose(skel, opts, event == 0, p->n_cpus);
	choose_life(skel->obj, event == 0 && (opts->follow || opts->by_table), opts->pidns);
	if (opts->by_table)
		bpf_map__set_max_entries(skel->maps.pmb_dumps,
					 room_dumps(opts->cpus->cpu[opts->cpus->n - 1], p->n_cpus,
						    bpf_map__value_size(skel->maps.pmb_dumps)));
	else
		bpf_map__set_max_entries(skel->maps.pmb_processes, 1);
	return 0;
}

/* Windows' programs alone have these. */
static bool is_of_gates(const struct bpf_map *map)
{
	const char *name = bpf_map__name(map);

	return strcmp(name, "pmb_ended") == 0 || strcmp(name, "pmb_none") == 0;
}

/* Makes the maps of an object those of the first instance. */
static int share_maps(struct programs *p, struct bpf_object *to)
{
	struct bpf_map *map, *shared;
	int r;

	bpf_object__for_each_map(map, to) {
		if (bpf_map__is_internal(map) || is_of_gates(map))
			continue; /* its own */
		shared = bpf_object__find_map_by_name(p->samples[0]->obj, bpf_map__name(map));
		r = shared ? bpf_map__reuse_fd(map, bpf_map__fd(shared)) : -ENOENT;
		if (r < 0)
			return r;
	}
	return 0;
}

struct pmb_code *programs__code(const struct programs *p)
{
	return p->code;
}

struct pmb_mappings *programs__mappings(const struct programs *p)
{
	return p->mappings;
}

struct pmb_chunk *programs__new_chunk(struct programs *p, uint32_t index)
{
	return chunks__add(&p->chunks, index);
}

int programs__set_process(struct programs *p, uint32_t tgid, const struct pmb_process *list)
{
	int fd = bpf_map__fd(p->samples[0]->maps.pmb_processes);
	int r = list ? bpf_map_update_elem(fd, &tgid, list, BPF_ANY) :
		       bpf_map_delete_elem(fd, &tgid);

	return r < 0 ? -errno : 0;
}

void programs__set_context(struct programs *p, uint32_t tgid, const struct pmb_context_place *place)
{
	struct bpf_map *map = p->samples[0]->maps.pmb_contexts;

	if (place)
		bpf_map__update_elem(map, &tgid, sizeof(tgid), place, sizeof(*place), BPF_ANY);
	else
		bpf_map__delete_elem(map, &tgid, sizeof(tgid), 0);
}

int programs__set_runtime(struct programs *p, uint32_t number, const struct pmb_runtime *runtime)
{
	int python = bpf_map__fd(p->samples[0]->maps.pmb_pythons);
	int v8 = bpf_map__fd(p->samples[0]->maps.pmb_v8s);

	return bpf_map_update_elem(python, &number, &runtime->layout, BPF_ANY) < 0 ||
			       bpf_map_update_elem(v8, &number, &runtime->v8, BPF_ANY) < 0 ?
		       -errno :
		       0;
}

static int map_tables(struct programs *p, struct err *err)
{
	size_t size;

	p->code = map_memory(p->samples[0]->maps.pmb_code, &size);
	p->mappings = map_memory(p->samples[0]->maps.pmb_mappings, &size);
	p->chunks = (struct chunks){.maps = p->inner,
				    .outer = bpf_map__fd(p->samples[0]->maps.pmb_chunks)};
	return p->code && p->mappings ? 0 : load_error(err, "the unwind tables", -errno);
}

static void unmap_tables(struct programs *p)
{
	if (p->code)
		munmap(p->code, sizeof(*p->code));
	if (p->mappings)
		munmap(p->mappings, sizeof(*p->mappings));
	chunks__done(&p->chunks);
}

static int map_maps(struct programs *p, struct err *err)
{
	const struct bpf_map *ids = p->samples[0]->maps.pmb_ids;
	size_t size;

	p->marks = map_memory(p->samples[0]->maps.pmb_tasks, &p->n_marks);
	if (!p->marks)
		return load_error(err, "the set of target tasks", -errno);
	p->ids = map_memory(ids, &size);
	if (!p->ids)
		return load_error(err, "the ids of stacks", -errno);
	p->n_buckets = bpf_map__max_entries(ids);
	return 0;
}

static int load_samples(struct programs *p, const struct programs_opts *opts, struct err *err)
{
	_cleanup_(core_types__done) struct core_types *types = core_types__new();
	int r;

	for (size_t i = 0; i < opts->n_events; i++) {
		if (i && !opts->sampled[i])
			continue;
		r = open_sample(p, i, opts, types);
		if (r == 0 && i)
			r = share_maps(p, p->samples[i]->obj);
		if (r == 0)
			r = recording_bpf__load(p->samples[i]);
		if (r < 0)
			return load_error(err, "the BPF programs", r);
	}
	return 0;
}

static int load_gates(struct programs *p, const struct programs_opts *opts, struct err *err)
{
	_cleanup_(core_types__done) struct core_types *types = core_types__new();
	int r;

	CORE_TYPES_OPEN(types, p->gates, gate_bpf);
	if (!p->gates)
		return load_error(err, "the programs of windows", -errno);
	gates__choose(opts->gates, p->gates, ring_wake(opts));
	r = share_maps(p, p->gates->obj);
	if (r == 0)
		r = gate_bpf__load(p->gates);
	if (r == 0)
		r = gate_bpf__attach(p->gates);
	if (r < 0)
		return load_error(err, "the programs of windows", r);
	r = gates__attach(opts->gates, p->gates, &p->links, err);
	p->user = gates__user(p->gates);
	return r;
}

static int load_all(struct programs *p, const struct programs_opts *opts, struct err *err)
{
	int r = load_samples(p, opts, err);

	if (r == 0)
		r = create_rings(p, opts, err);
	if (r == 0)
		r = map_maps(p, err);
	if (r == 0 && opts->by_table)
		r = map_tables(p, err);
	if (r == 0 && recording_bpf__attach(p->samples[0]) < 0)
		r = load_error(err, "the fork and exec programs", -errno);
	if (r == 0 && opts->gates)
		r = load_gates(p, opts, err);
	for (int i = 0; r == 0 && i < opts->cpus->n; i++)
		siblings__tell(p->samples[0], opts->cpus->cpu[i]);
	return r;
}

int programs__load(struct programs **ret, const struct programs_opts *opts, struct err *err)
{
	struct programs *p = xcalloc(1, sizeof(*p));
	struct loading loading;
	int r;

	p->inner = inner_maps__new();
	p->n_events = opts->n_events;
	p->samples = xcalloc(opts->n_events, sizeof(*p->samples));
	p->ring_bytes = opts->ring_bytes;
	p->rings_bytes = opts->rings_bytes;
	p->n_cpus = cpus_possible();
	for (int i = 0; i < opts->cpus->n; i++) /* or /sys tells another story */
		p->n_cpus = opts->cpus->cpu[i] < p->n_cpus ? p->n_cpus : opts->cpus->cpu[i] + 1;
	loading__begin(&loading);
	r = load_all(p, opts, err);
	loading__end(&loading);
	if (r < 0) {
		programs__free(p);
		return r;
	}
	*ret = p;
	return 0;
}

struct programs *programs__free(struct programs *p)
{
	if (!p)
		return NULL;
	probe_links__close(&p->user.links, NULL);
	probe_links__close(&p->links, NULL);
	gate_bpf__destroy(p->gates);
	for (size_t i = p->n_events; i-- > 0;)
		recording_bpf__destroy(p->samples[i]);
	for (int cpu = 0; p->ring_fds && cpu < p->n_cpus; cpu++)
		cleanup_close(&p->ring_fds[cpu]);
	inner_maps__free(p->inner);
	unmap_tables(p);
	if (p->marks)
		munmap(p->marks, p->n_marks);
	if (p->ids)
		munmap(p->ids, p->n_buckets * PMB_ID_WAYS * sizeof(*p->ids));
	free(p->ring_fds);
	free(p->samples);
	free(p);
	return NULL;
}

int programs__overflow_fd(const struct programs *p, size_t event)
{
	return bpf_program__fd(p->samples[event]->progs.pmb_overflow);
}

int programs__set_counter(struct programs *p, size_t read, int cpu, int fd)
{
	__u32 at = (__u32)read * (__u32)p->n_cpus + (__u32)cpu;

	if (bpf_map_update_elem(bpf_map__fd(p->samples[0]->maps.pmb_counters), &at, &fd, BPF_ANY) <
	    0)
		return -errno;
	return 0;
}

int programs__ring_fd(const struct programs *p, int cpu)
{
	return p->ring_fds[cpu];
}

int programs__n_cpus(const struct programs *p)
{
	return p->n_cpus;
}

int programs__mark(struct programs *p, pid_t tid, enum pmb_mark mark)
{
	if ((size_t)tid >= p->n_marks)
		return -ERANGE;
	__atomic_store_n(&p->marks[tid], (uint8_t)mark, __ATOMIC_RELEASE);
	return 0;
}

void programs__mark_cgroup(struct programs *p, uint64_t id, enum pmb_cgroup_mark mark)
{
	__u32 value = mark;

	bpf_map__update_elem(p->samples[0]->maps.pmb_cgroups, &id, sizeof(id), &value,
			     sizeof(value), BPF_ANY);
}

void programs__forget_cgroup(struct programs *p, uint64_t id)
{
	bpf_map__delete_elem(p->samples[0]->maps.pmb_cgroups, &id, sizeof(id), 0);
}

enum pmb_mark programs__marked(const struct programs *p, pid_t tid)
{
	return (size_t)tid < p->n_marks ?
		       (enum pmb_mark)__atomic_load_n(&p->marks[tid], __ATOMIC_RELAXED) :
		       PMB_MARK_NONE;
}

void programs__forget_stack(struct programs *p, uint64_t id)
{
	uint64_t *bucket = p->ids + id % p->n_buckets * PMB_ID_WAYS;

	for (int i = 0; i < PMB_ID_WAYS; i++) {
		uint64_t known = id; /* an overflow may be overwriting it just now */

		__atomic_compare_exchange_n(&bucket[i], &known, 0, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
	}
}

int programs__map_fd(const struct programs *p, const char *map)
{
	const struct bpf_map *found = bpf_object__find_map_by_name(p->samples[0]->obj, map);

	return found ? bpf_map__fd(found) : -ENOENT;
}

uint32_t programs__dump_room(const struct programs *p)
{
	return bpf_map__max_entries(p->samples[0]->maps.pmb_dumps);
}

void programs__count_beside(struct programs *p, int stats_fd)
{
	if (p->n_beside < N_BESIDE)
		p->beside_fds[p->n_beside++] = stats_fd;
}

static int read_beside(const struct programs *p, struct pmb_stats *per_cpu)
{
	_cleanup_free_ struct pmb_stats *beside = xcalloc((size_t)p->n_cpus, sizeof(*beside));
	__u32 key = 0;

	for (size_t i = 0; i < p->n_beside; i++) {
		if (bpf_map_lookup_elem(p->beside_fds[i], &key, beside) < 0)
			return -errno;
		for (int cpu = 0; cpu < p->n_cpus; cpu++)
			ledger_stats__add(&per_cpu[cpu], &beside[cpu]);
	}
	return 0;
}

/* Of each CPU; per_cpu has room for all that are possible. */
static int read_stats(const struct programs *p, size_t event, struct pmb_stats *per_cpu)
{
	__u32 key = (__u32)event;

	if (bpf_map_lookup_elem(bpf_map__fd(p->samples[0]->maps.pmb_stats), &key, per_cpu) < 0)
		return -errno;
	return event ? 0 : read_beside(p, per_cpu);
}

int programs__stats(const struct programs *p, size_t event, struct pmb_stats *ret)
{
	_cleanup_free_ struct pmb_stats *per_cpu = xcalloc((size_t)p->n_cpus, sizeof(*per_cpu));
	int r = read_stats(p, event, per_cpu);

	*ret = (struct pmb_stats){0};
	for (int cpu = 0; r == 0 && cpu < p->n_cpus; cpu++)
		ledger_stats__add(ret, &per_cpu[cpu]);
	return r;
}

int programs__settled_stats(const struct programs *p, size_t event, struct pmb_stats *ret)
{
	enum { TRIES = 32 };
	_cleanup_free_ struct pmb_stats *now = xcalloc((size_t)p->n_cpus, sizeof(*now));
	_cleanup_free_ struct pmb_stats *taken = xcalloc((size_t)p->n_cpus, sizeof(*taken));
	_cleanup_free_ bool *settled = xcalloc((size_t)p->n_cpus, sizeof(*settled));
	int left = p->n_cpus, r = 0;

	for (int try = 0; left && r == 0 && try < TRIES; try++) {
		r = read_stats(p, event, now);
		for (int cpu = 0; r == 0 && cpu < p->n_cpus; cpu++) {
			if (settled[cpu])
				continue;
			taken[cpu] = now[cpu];
			settled[cpu] = ledger_stats__settled(&now[cpu]);
			left -= settled[cpu];
		}
	}
	*ret = (struct pmb_stats){0};
	for (int cpu = 0; cpu < p->n_cpus; cpu++)
		ledger_stats__add(ret, &taken[cpu]);
	return r < 0 ? r : left ? -EAGAIN : 0;
}

struct off_threads programs__off_threads(const struct programs *p)
{
	return off_cpu__threads(p->samples[0], p->n_cpus);
}

void programs__off_stop(struct programs *p)
{
	off_cpu__stop(p->samples[0]);
}

int programs__siblings(const struct programs *p, int *ret_pairs)
{
	return siblings__known(p->samples[0], p->n_cpus, ret_pairs);
}

struct gate_fds programs__gate_fds(const struct programs *p)
{
	return gates__fds(p->gates);
}

int programs__put_in(struct programs *p, const struct gates *gates, struct err *err)
{
	return gates__put_in(gates, &p->user, err);
}

int programs__take_out(struct programs *p, const struct gates *gates, bool over)
{
	return gates__take_out(gates, &p->user, over);
}

void programs__leave_ended(struct programs *p, uint64_t now)
{
	gates_left__of_ended(&p->user, now);
}

int programs__window_stats(const struct programs *p, struct pmb_window_stats *ret)
{
	return gates__stats(p->gates, p->n_cpus, ret);
}

int programs__last(const struct programs *p, size_t event, struct pmb_last *ret)
{
	__u32 key = (__u32)event;

	return bpf_map_lookup_elem(bpf_map__fd(p->samples[0]->maps.pmb_last), &key, ret) < 0 ?
		       -errno :
		       0;
}

uint64_t programs__map_bytes(const struct programs *p)
{
	const struct bpf_map *map;
	uint64_t bytes = 0;

	bpf_object__for_each_map(map, p->samples[0]->obj)
		bytes += usage_map_bytes(bpf_map__fd(map));
	for (int cpu = 0; cpu < p->n_cpus; cpu++)
		bytes += p->ring_fds[cpu] < 0 ? 0 : usage_map_bytes(p->ring_fds[cpu]);
	return bytes + chunks__bytes(&p->chunks);
}
