// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/owners.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/core_types.h"
#include "collect/loading.h"
#include "collect/owner.skel.h"
#include "pmubpf/budgets.h"
#include "sys/cpus.h"

struct owner_programs {
	struct owner_bpf *skel;
	bool stopped;
	int n_cpus;                 /* possible ones */
	struct pmb_owner_cpu *cpus; /* pmb_owner_cpus, mapped */
	size_t cpus_size;
	/* what the kernel copies rows into */
	struct pmb_owner_key *keys;
	struct pmb_owner *counts;
	/* of waits; NULL: nobody asks */
	__u32 *threads;
	struct pmb_wait *waits;
};

static void set_waits(struct owner_programs *p, const struct owner_opts *opts)
{
	struct owner_bpf *skel = p->skel;
	struct bpf_program *const ours[] = {skel->progs.pmb_wait_woken, skel->progs.pmb_wait_new,
					    skel->progs.pmb_wait_moved, skel->progs.pmb_wait_exit};

	skel->rodata->pmb_owner_waits = opts->waits;
	*(struct pmb_config *)&skel->rodata->pmb_waiter = opts->waiter;
	skel->rodata->pmb_waiter_process = (__u32)opts->process;
	bpf_map__set_max_entries(skel->maps.pmb_waits, opts->waits ? BUDGET_WAITS : 1);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		bpf_program__set_autoload(ours[i], opts->waits);
}

static void set_constants(struct owner_programs *p, const struct owner_opts *opts)
{
	struct pmb_config *config = (struct pmb_config *)&p->skel->rodata->pmb_owner;
	__u32 n = opts->n_counters ? (__u32)opts->n_counters : 1;

	*config = opts->config;
	config->n_reads = (__u32)opts->n_counters + opts->waits;
	config->n_cpus = (__u32)p->n_cpus;
	p->skel->rodata->pmb_owner_by = opts->by;
	bpf_map__set_max_entries(p->skel->maps.pmb_processes, 1);
	bpf_map__set_max_entries(p->skel->maps.pmb_owners, BUDGET_OWNERS);
	bpf_map__set_max_entries(p->skel->maps.pmb_owner_cpus, (__u32)p->n_cpus);
	bpf_map__set_max_entries(p->skel->maps.pmb_owner_reads, n * (__u32)p->n_cpus);
	set_waits(p, opts);
}

static int open_and_load(struct owner_programs *p, const struct owner_opts *opts, struct err *err)
{
	_cleanup_(core_types__done) struct core_types *types = core_types__new();
	int r = 0;

	CORE_TYPES_OPEN(types, p->skel, owner_bpf);
	if (!p->skel) {
		r = -errno;
	} else {
		set_constants(p, opts);
		r = owner_bpf__load(p->skel);
	}
	if (r < 0)
		return load_error(err, "the BPF programs", r);
	p->cpus = map_memory(p->skel->maps.pmb_owner_cpus, &p->cpus_size);
	return p->cpus ? 0 : load_error(err, "whose counts are whose", -errno);
}

int owner_programs__load(struct owner_programs **ret, const struct owner_opts *opts,
			 struct err *err)
{
	struct owner_programs *p = xcalloc(1, sizeof(*p));
	struct loading loading;
	int r;

	p->n_cpus = cpus_possible();
	p->keys = xcalloc(BUDGET_OWNERS, sizeof(*p->keys));
	p->counts = xcalloc(BUDGET_OWNERS, sizeof(*p->counts));
	if (opts->waits) {
		p->threads = xcalloc(BUDGET_WAITS, sizeof(*p->threads));
		p->waits = xcalloc(BUDGET_WAITS, sizeof(*p->waits));
	}
	loading__begin(&loading);
	r = open_and_load(p, opts, err);
	loading__end(&loading);
	*ret = r < 0 ? owner_programs__free(p) : p;
	return r;
}

struct owner_programs *owner_programs__free(struct owner_programs *p)
{
	if (!p)
		return NULL;
	if (p->cpus)
		munmap(p->cpus, p->cpus_size);
	owner_bpf__destroy(p->skel);
	free(p->keys);
	free(p->counts);
	free(p->threads);
	free(p->waits);
	free(p);
	return NULL;
}

int owner_programs__set_counter(struct owner_programs *p, size_t i, int cpu, int fd)
{
	__u32 at = (__u32)i * (__u32)p->n_cpus + (__u32)cpu;

	if (cpu >= p->n_cpus)
		return -ERANGE;
	if (bpf_map_update_elem(bpf_map__fd(p->skel->maps.pmb_owner_reads), &at, &fd, BPF_ANY) < 0)
		return -errno;
	p->cpus[cpu].counted = PMB_OWNER_COUNTED;
	return 0;
}

void owner_programs__watch(struct owner_programs *p, int cpu, int sibling)
{
	if (cpu >= p->n_cpus || sibling >= p->n_cpus)
		return;
	p->cpus[cpu].sibling = (__u32)(sibling + 1);
	p->cpus[cpu].counted = PMB_OWNER_COUNTED;
}

static void settle(struct owner_programs *p)
{
	for (int cpu = 0; cpu < p->n_cpus; cpu++) {
		if (p->cpus[cpu].counted)
			run_on_cpu(p->skel->progs.pmb_owner_settle, cpu);
	}
}

/* Who has a CPU at the beginning may keep it: each CPU is told of its own, and then of others. */
int owner_programs__attach(struct owner_programs *p, struct err *err)
{
	if (owner_bpf__attach(p->skel) < 0)
		return err__set(err, -errno, "--by: the kernel attaches no programs: %s",
				strerror(errno));
	if (p->waits) {
		settle(p);
		settle(p);
	}
	return 0;
}

static void set_counted(struct owner_programs *p, enum pmb_owner_counted counted)
{
	for (int cpu = 0; cpu < p->n_cpus; cpu++) {
		if (p->cpus[cpu].counted)
			__atomic_store_n(&p->cpus[cpu].counted, counted, __ATOMIC_SEQ_CST);
	}
}

/*
 * Detaching takes the kernel its time, in which some programs still run and others don't. So it is
 * the memory that says that they have stopped, and only then they are detached. All of them but one
 * (of threads that end) run with interrupts off: where one was called once, none is at it still.
 */
void owner_programs__stop(struct owner_programs *p)
{
	settle(p);
	set_counted(p, PMB_OWNER_STOPS);
	settle(p);
	set_counted(p, PMB_OWNER_STOPPED);
	settle(p);
	p->stopped = true;
	owner_bpf__detach(p->skel);
}

static void add_cpu(struct owners *ret, const struct pmb_owner_cpu *cpu)
{
	for (size_t own = 0; own < PMB_N_OWNER_OWN; own++) {
		for (size_t i = 0; i < PMB_MAX_READS; i++)
			ret->own[own][i] += cpu->own[own][i];
	}
	ret->no_room += cpu->no_room;
	ret->waits.all_ns += cpu->ended_ns;
	ret->waits.lost += cpu->lost;
	ret->waits.lost_ns += cpu->lost_ns;
	ret->waits.unheld += cpu->unheld;
}

/* Of those that wait still, what their CPU has shared out. */
static void add_open_waits(struct owner_programs *p, struct owners *ret)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	__u32 n = BUDGET_WAITS, at;

	if (!p->waits || (bpf_map_lookup_batch(bpf_map__fd(p->skel->maps.pmb_waits), NULL, &at,
					       p->threads, p->waits, &n, &opts) < 0 &&
			  errno != ENOENT))
		return;
	for (__u32 i = 0; i < n; i++) {
		const struct pmb_wait *wait = &p->waits[i];

		if (wait->cpu < (__u32)p->n_cpus && wait->since < p->cpus[wait->cpu].looked_ns)
			ret->waits.all_ns += p->cpus[wait->cpu].looked_ns - wait->since;
	}
}

bool owner_programs__forget(struct owner_programs *p, const struct owner_row *row)
{
	int map = bpf_map__fd(p->skel->maps.pmb_owners);
	struct pmb_owner now;

	return bpf_map_lookup_elem(map, &row->key, &now) == 0 &&
	       memcmp(now.count, row->counted.count, sizeof(now.count)) == 0 &&
	       bpf_map_delete_elem(map, &row->key) == 0;
}

/* Of a hash a batch is whole buckets: room for all rows is room for any. */
int owner_programs__read(struct owner_programs *p, struct owners *ret)
{
	__u32 n = BUDGET_OWNERS, at;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	if (!p->stopped)
		settle(p);
	if (bpf_map_lookup_batch(bpf_map__fd(p->skel->maps.pmb_owners), NULL, &at, p->keys,
				 p->counts, &n, &opts) < 0 &&
	    errno != ENOENT)
		return -errno;
	ret->rows = xcalloc(n ? n : 1, sizeof(*ret->rows));
	ret->n_rows = n;
	for (__u32 i = 0; i < n; i++)
		ret->rows[i] = (struct owner_row){.key = p->keys[i], .counted = p->counts[i]};
	for (int cpu = 0; cpu < p->n_cpus; cpu++)
		add_cpu(ret, &p->cpus[cpu]);
	add_open_waits(p, ret);
	owners__sort(ret);
	return 0;
}
