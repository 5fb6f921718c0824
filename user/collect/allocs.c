// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/allocs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/alloc.skel.h"
#include "collect/beside.h"
#include "collect/closer.h"
#include "collect/core_types.h"
#include "collect/features.h"
#include "collect/loading.h"
#include "model/ledger.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"

enum { ATTACH_TYPE = OPENER_UPROBES_ATTACH_TYPE };

struct alloc_programs {
	struct alloc_bpf *skel;
	struct closer *closer;
	int n_cpus;
	bool many_at_once; /* the kernel has all probes of a file as one thing */
	uint64_t program_id;
};

static int try_load(struct alloc_programs *p, const struct programs *programs,
		    const struct pmb_config *config, bool hold)
{
	_cleanup_(core_types__done) struct core_types *types = core_types__new();
	int r;

	CORE_TYPES_OPEN(types, p->skel, alloc_bpf);
	if (!p->skel)
		return -errno;
	*(struct pmb_config *)&p->skel->rodata->pmb_cfg = *config;
	bpf_map__set_max_entries(p->skel->maps.pmb_alloc_calls, BUDGET_ALLOC_THREADS);
	bpf_map__set_max_entries(p->skel->maps.pmb_dumps,
				 config->by_table ? programs__dump_room(programs) : 1);
	p->skel->rodata->pmb_may_hold = hold;
	p->many_at_once = feature__has(FEATURE_UPROBES);
	bpf_program__set_autoload(p->skel->progs.pmb_alloc_any, p->many_at_once);
	if (p->many_at_once)
		bpf_program__set_expected_attach_type(p->skel->progs.pmb_alloc_any,
						      (enum bpf_attach_type)ATTACH_TYPE);
	r = beside__share_maps(p->skel->obj, programs);
	return r < 0 ? r : alloc_bpf__load(p->skel);
}

/* With 6.12 programs that keep their CPU may not call others that are verified by themselves: see
 * collect/work.c. */
static int open_and_load(struct alloc_programs *p, const struct programs *programs,
			 const struct pmb_config *config)
{
	bool hold = feature__has(FEATURE_HOLD_CPU);
	int r = try_load(p, programs, config, hold);

	if (r != -EINVAL || !hold)
		return r;
	alloc_bpf__destroy(p->skel);
	return try_load(p, programs, config, false);
}

int alloc_programs__load(struct alloc_programs **ret, struct programs *programs,
			 const struct pmb_config *config, struct err *err)
{
	static uint64_t ids;
	struct alloc_programs *p = xcalloc(1, sizeof(*p));
	struct loading loading;
	int r;

	p->n_cpus = programs__n_cpus(programs);
	p->closer = closer__start();
	p->program_id = ++ids;
	loading__begin(&loading);
	r = open_and_load(p, programs, config);
	if (r < 0)
		r = load_error(err, "the BPF programs of --alloc", r);
	loading__end(&loading);
	if (r == 0)
		programs__count_beside(programs, bpf_map__fd(p->skel->maps.pmb_stats));
	*ret = r < 0 ? alloc_programs__free(p) : p;
	return r;
}

struct alloc_programs *alloc_programs__free(struct alloc_programs *p)
{
	if (!p)
		return NULL;
	if (p->skel)
		alloc_programs__switch(p, false);
	closer__free(p->closer);
	alloc_bpf__destroy(p->skel);
	free(p);
	return NULL;
}

/* Of each kind, at an instruction that the kernel single-steps, and at one that it carries out. */
static struct bpf_program *program_of(const struct alloc_programs *p, enum alloc_kind kind,
				      bool emulated)
{
#define BOTH(kind, name)                                          \
	[kind] =                                                  \
	{ offsetof(struct alloc_bpf, progs.pmb_##name##_stepped), \
	  offsetof(struct alloc_bpf, progs.pmb_##name) }
	static const size_t where[][2] = {
		BOTH(ALLOC_MALLOC, malloc),     BOTH(ALLOC_CALLOC, calloc),
		BOTH(ALLOC_MEMALIGN, memalign), BOTH(ALLOC_POSIX, posix_align),
		BOTH(ALLOC_REALLOC, realloc),   BOTH(ALLOC_REALLOCARRAY, reallocarray),
		BOTH(ALLOC_FREE, free),         BOTH(ALLOC_MAP, map),
		BOTH(ALLOC_REMAP, remap),       BOTH(ALLOC_BREAK, break),
	};

	if (kind == ALLOC_EXIT)
		return p->skel->progs.pmb_alloc_exit;
	if (kind == ALLOC_CLEARING)
		return p->skel->progs.pmb_alloc_clear;
	return *(struct bpf_program *const *)((const char *)p->skel + where[kind][emulated]);
}

int alloc_programs__put_in(struct alloc_programs *p, const struct alloc_target *t,
			   struct process_probes *ret)
{
	_cleanup_free_ struct process_place *places = xcalloc(t->n, sizeof(*places));
	const struct process_places all = {
		.opener = t->opener,
		.fd = t->fd,
		.mnt_ns = t->mnt_ns,
		.tgid = t->tgid,
		.list = places,
		.n = t->n,
		.all_fd = p->many_at_once ? bpf_program__fd(p->skel->progs.pmb_alloc_any) : -1,
		.all_id = p->program_id,
		.closer = p->closer,
	};

	for (size_t i = 0; i < t->n; i++) {
		const struct alloc_place *place = &t->places[i];

		places[i] = (struct process_place){
			.file_off = place->file_off,
			.cookie = place->kind | (place->emulated ? ALLOC_EMULATED : 0),
			.program_fd = bpf_program__fd(program_of(p, place->kind, place->emulated)),
		};
	}
	return process_probes__put_in(ret, &all);
}

void alloc_programs__take_out(struct alloc_programs *p, struct process_probes *probes)
{
	process_probes__take_out(probes, p->closer);
}

size_t alloc_programs__closing(struct alloc_programs *p)
{
	return closer__left(p->closer);
}

void alloc_programs__switch(struct alloc_programs *p, bool on)
{
	if (!(p->skel->bss->pmb_alloc_turn & 1) != on)
		p->skel->bss->pmb_alloc_turn++;
}

int alloc_programs__stats(const struct alloc_programs *p, struct pmb_alloc_stats *ret)
{
	_cleanup_free_ struct pmb_alloc_stats *per_cpu =
		xcalloc((size_t)p->n_cpus, sizeof(*per_cpu));
	__u32 key = 0;

	*ret = (struct pmb_alloc_stats){0};
	if (bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.pmb_allocs), &key, per_cpu) < 0)
		return -errno;
	for (int cpu = 0; cpu < p->n_cpus; cpu++)
		alloc_stats__add(ret, &per_cpu[cpu]);
	return 0;
}
