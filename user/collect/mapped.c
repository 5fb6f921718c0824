// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/mapped.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/beside.h"
#include "collect/core_types.h"
#include "collect/kernel_gates.h"
#include "collect/loading.h"
#include "collect/mapped.skel.h"
#include "model/ledger.h"
#include "sys/clock.h"

/* What comes before the names of calls; riscv had another before Linux 6.6. */
static const char *const prefixes[] = {
#if defined(__x86_64__)
	"__x64_sys_",
#elif defined(__aarch64__)
	"__arm64_sys_",
#else
	"__riscv_sys_",
	"sys_",
#endif
};

enum { N_CALLS = 4 };

struct mapped_programs {
	struct mapped_bpf *skel;
	struct bpf_link *links[N_CALLS];
	int n_cpus;
};

static int load(struct mapped_programs *p, const struct programs *programs,
		const struct pmb_config *config, double share)
{
	_cleanup_(core_types__done) struct core_types *types = core_types__new();
	int r;

	CORE_TYPES_OPEN(types, p->skel, mapped_bpf);
	if (!p->skel)
		return -errno;
	*(struct pmb_config *)&p->skel->rodata->pmb_cfg = *config;
	p->skel->rodata->pmb_mapped_share = (__u64)(share * 1024) + (share > 0);
	p->skel->rodata->pmb_mapped_since = now_ns();
	bpf_map__set_max_entries(p->skel->maps.pmb_dumps,
				 config->by_table ? programs__dump_room(programs) : 1);
	r = beside__share_maps(p->skel->obj, programs);
	return r < 0 ? r : mapped_bpf__load(p->skel);
}

static struct bpf_link *attach_to(const struct bpf_program *program, bool at_return,
				  const char *call)
{
	struct bpf_link *link = NULL;

	for (size_t i = 0; !link && i < ARRAY_SIZE(prefixes); i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s", prefixes[i], call);
		link = bpf_program__attach_kprobe(program, at_return, name);
	}
	return link;
}

static int attach(struct mapped_programs *p)
{
	struct bpf_program *returned = p->skel->progs.pmb_memory_returned;
	struct bpf_program *goes = p->skel->progs.pmb_memory_goes;
	static const char *const calls[N_CALLS] = {"mmap", "mremap", "brk", "munmap"};

	for (size_t i = 0; i < N_CALLS; i++) {
		bool last = i == N_CALLS - 1;

		p->links[i] = attach_to(last ? goes : returned, !last, calls[i]);
		if (!p->links[i])
			return -errno;
	}
	return 0;
}

int mapped_programs__load(struct mapped_programs **ret, struct programs *programs,
			  const struct pmb_config *config, double share, struct err *err)
{
	struct mapped_programs *p = xcalloc(1, sizeof(*p));
	struct loading loading;
	int r = 0;

	p->n_cpus = programs__n_cpus(programs);
	if (!has_kprobes())
		r = err__set(err, -ENOENT, "this kernel has no kprobes (CONFIG_KPROBES)");
	loading__begin(&loading);
	if (r == 0) {
		r = load(p, programs, config, share);
		if (r == 0)
			r = attach(p);
		if (r < 0)
			r = load_error(err, "the BPF programs at mmap() and brk()", r);
	}
	loading__end(&loading);
	if (r == 0)
		programs__count_beside(programs, bpf_map__fd(p->skel->maps.pmb_stats));
	*ret = r < 0 ? mapped_programs__free(p) : p;
	return r;
}

struct mapped_programs *mapped_programs__free(struct mapped_programs *p)
{
	if (!p)
		return NULL;
	for (size_t i = 0; i < N_CALLS; i++)
		bpf_link__destroy(p->links[i]);
	mapped_bpf__destroy(p->skel);
	free(p);
	return NULL;
}

int mapped_programs__stats(const struct mapped_programs *p, struct pmb_mapped_stats *ret)
{
	_cleanup_free_ struct pmb_mapped_stats *per_cpu =
		xcalloc((size_t)p->n_cpus, sizeof(*per_cpu));
	__u32 key = 0;

	*ret = (struct pmb_mapped_stats){0};
	if (bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.pmb_mapped), &key, per_cpu) < 0)
		return -errno;
	for (int cpu = 0; cpu < p->n_cpus; cpu++)
		mapped_stats__add(ret, &per_cpu[cpu]);
	return 0;
}
