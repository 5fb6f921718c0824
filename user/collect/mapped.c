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
#include "pmubpf/budgets.h"
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

/* Three that ask, where they begin and where they end, and munmap. */
enum { N_ASK = 3, N_LINKS = 2 * N_ASK + 1 };

struct mapped_programs {
	struct mapped_bpf *skel;
	struct bpf_link *links[N_LINKS];
	int n_cpus;
	uint64_t given_up; /* calls whose end was not seen in time */
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
	bpf_map__set_max_entries(p->skel->maps.pmb_mapped_calls, BUDGET_MAPPED_CALLS);
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
	static const char *const asks[N_ASK] = {"mmap", "mremap", "brk"};
	size_t n = 0;

	p->links[n++] = attach_to(p->skel->progs.pmb_memory_goes, false, "munmap");
	for (size_t i = 0; i < N_ASK && p->links[n - 1]; i++) {
		p->links[n++] = attach_to(p->skel->progs.pmb_memory_returned, true, asks[i]);
		if (p->links[n - 1])
			p->links[n++] = attach_to(p->skel->progs.pmb_memory_asked, false, asks[i]);
	}
	return p->links[n - 1] ? 0 : -errno;
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
	for (size_t i = 0; i < N_LINKS; i++)
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
	ret->lost += p->given_up;
	return 0;
}

void mapped_programs__give_up(struct mapped_programs *p, uint64_t before_ns)
{
	int fd = bpf_map__fd(p->skel->maps.pmb_mapped_calls);
	__u64 next, thread, began;
	bool more = bpf_map_get_next_key(fd, NULL, &next) == 0;

	for (int i = 0; more && i < BUDGET_MAPPED_CALLS; i++) {
		thread = next;
		more = bpf_map_get_next_key(fd, &thread, &next) == 0;
		if (bpf_map_lookup_elem(fd, &thread, &began) == 0 && began < before_ns &&
		    bpf_map_delete_elem(fd, &thread) == 0)
			p->given_up++;
	}
}
