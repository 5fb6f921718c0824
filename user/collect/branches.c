// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/branches.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/branch.skel.h"
#include "collect/closer.h"
#include "collect/features.h"
#include "collect/loading.h"
#include "collect/process_probes.h"
#include "opener/opener.h"

enum {
	MOST_AT_ONCE = 256,
	MOST_EACH = 64,
};

struct branch_programs {
	struct branch_bpf *skel;
	struct closer *closer;
	int n_cpus;
	bool many_at_once;
	struct process_probes probes;
};

size_t branch_programs__most(void)
{
	return feature__has(FEATURE_UPROBES) ? MOST_AT_ONCE : MOST_EACH;
}

static int load(struct branch_programs *p, size_t jumps, size_t addresses)
{
	p->skel = branch_bpf__open();
	if (!p->skel)
		return -errno;
	bpf_map__set_max_entries(p->skel->maps.pmb_branch_counts, (uint32_t)jumps);
	bpf_map__set_max_entries(p->skel->maps.pmb_branch_places, (uint32_t)addresses);
	p->many_at_once = feature__has(FEATURE_UPROBES);
	if (p->many_at_once)
		bpf_program__set_expected_attach_type(p->skel->progs.pmb_branch,
						      (enum bpf_attach_type)
							      OPENER_UPROBES_ATTACH_TYPE);
	return branch_bpf__load(p->skel);
}

int branch_programs__load(struct branch_programs **ret, size_t jumps, size_t addresses,
			  struct err *err)
{
	struct branch_programs *p = xcalloc(1, sizeof(*p));
	struct loading loading;
	int r;

	p->n_cpus = libbpf_num_possible_cpus();
	p->closer = closer__start();
	loading__begin(&loading);
	r = p->n_cpus < 0 ? p->n_cpus : load(p, jumps, addresses);
	if (r < 0)
		r = load_error(err, "the BPF program of --branches", r);
	loading__end(&loading);
	*ret = r < 0 ? branch_programs__free(p) : p;
	return r;
}

struct branch_programs *branch_programs__free(struct branch_programs *p)
{
	if (!p)
		return NULL;
	process_probes__take_out(&p->probes, p->closer);
	closer__free(p->closer);
	branch_bpf__destroy(p->skel);
	free(p);
	return NULL;
}

int branch_programs__expect(struct branch_programs *p, uint64_t address,
			    const struct pmb_branch_place *place)
{
	int fd = bpf_map__fd(p->skel->maps.pmb_branch_places);

	return bpf_map_update_elem(fd, &address, place, BPF_ANY) < 0 ? -errno : 0;
}

int branch_programs__put_in(struct branch_programs *p, const struct branch_target *t)
{
	_cleanup_free_ struct process_place *places = xcalloc(t->n, sizeof(*places));
	const int program = bpf_program__fd(p->skel->progs.pmb_branch);
	const struct process_places all = {
		.opener = t->opener,
		.fd = t->fd,
		.mnt_ns = t->mnt_ns,
		.tgid = t->tgid,
		.list = places,
		.n = t->n,
		.all_fd = p->many_at_once ? program : -1,
		.all_id = 1,
		.closer = p->closer,
	};

	for (size_t i = 0; i < t->n; i++)
		places[i] =
			(struct process_place){.file_off = t->file_offs[i], .program_fd = program};
	p->skel->bss->pmb_branch_off = 0;
	return process_probes__put_in(&p->probes, &all);
}

void branch_programs__take_out(struct branch_programs *p)
{
	p->skel->bss->pmb_branch_off = 1;
	process_probes__take_out(&p->probes, p->closer);
}

size_t branch_programs__closing(struct branch_programs *p)
{
	return closer__left(p->closer);
}

/* Each CPU has its own; room for all of them is the caller's. */
static int read_all(const struct bpf_map *map, uint32_t key, void *ret)
{
	return bpf_map_lookup_elem(bpf_map__fd(map), &key, ret) < 0 ? -errno : 0;
}

int branch_programs__counts(const struct branch_programs *p, size_t jump,
			    struct pmb_branch_counts *ret)
{
	_cleanup_free_ struct pmb_branch_counts *each = xcalloc((size_t)p->n_cpus, sizeof(*each));
	int r = read_all(p->skel->maps.pmb_branch_counts, (uint32_t)jump, each);

	*ret = (struct pmb_branch_counts){0};
	for (int cpu = 0; r == 0 && cpu < p->n_cpus; cpu++) {
		ret->taken += each[cpu].taken;
		ret->not_taken += each[cpu].not_taken;
	}
	return r;
}

int branch_programs__stats(const struct branch_programs *p, struct pmb_branch_stats *ret)
{
	_cleanup_free_ struct pmb_branch_stats *each = xcalloc((size_t)p->n_cpus, sizeof(*each));
	int r = read_all(p->skel->maps.pmb_branch_stats, 0, each);

	*ret = (struct pmb_branch_stats){0};
	for (int cpu = 0; r == 0 && cpu < p->n_cpus; cpu++) {
		ret->hits += each[cpu].hits;
		ret->elsewhere += each[cpu].elsewhere;
		ret->timed += each[cpu].timed;
		ret->timed_ns += each[cpu].timed_ns;
	}
	return r;
}
