// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/siblings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collect/loading.h"
#include "collect/programs.h"
#include "collect/recording.skel.h"
#include "sys/processor.h"

bool siblings__wanted(const struct programs_opts *opts)
{
	for (size_t i = 0; i < opts->n_events; i++) {
		if (opts->configs[i].want_sibling)
			return true;
	}
	return false;
}

void siblings__choose(struct recording_bpf *skel, const struct programs_opts *opts, bool first,
		      int n_cpus)
{
	bool wanted = siblings__wanted(opts);

	bpf_program__set_autoload(skel->progs.pmb_learn_queue, first && wanted);
	bpf_program__set_autoattach(skel->progs.pmb_learn_queue, false);
	bpf_map__set_max_entries(skel->maps.pmb_siblings, wanted ? (__u32)n_cpus : 1);
}

static void tell(struct recording_bpf *skel, int cpu, int sibling)
{
	struct pmb_core_thread its = {0};
	__u32 key = (__u32)cpu;
	int map = bpf_map__fd(skel->maps.pmb_siblings);

	bpf_map_lookup_elem(map, &key, &its);
	its.sibling = (__u32)sibling + 1;
	if (bpf_map_update_elem(map, &key, &its, BPF_ANY) == 0)
		run_on_cpu(skel->progs.pmb_learn_queue, cpu);
}

void siblings__tell(struct recording_bpf *skel, int cpu)
{
	int sibling;

	if (!bpf_program__autoload(skel->progs.pmb_learn_queue))
		return;
	sibling = processor_sibling("", cpu);
	if (sibling < 0)
		return;
	tell(skel, cpu, sibling);
	tell(skel, sibling, cpu);
}

static struct pmb_core_thread core_thread(const struct recording_bpf *skel, __u32 cpu)
{
	struct pmb_core_thread ret = {0};

	bpf_map_lookup_elem(bpf_map__fd(skel->maps.pmb_siblings), &cpu, &ret);
	return ret;
}

int siblings__known(const struct recording_bpf *skel, int n_cpus, int *ret_pairs)
{
	int known = 0;

	*ret_pairs = 0;
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		__u32 sibling = core_thread(skel, (__u32)cpu).sibling;

		*ret_pairs += sibling > 0;
		known += sibling && core_thread(skel, sibling - 1).rq;
	}
	return known;
}
