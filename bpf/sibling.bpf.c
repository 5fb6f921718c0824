// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a CPU's run queue is. User space runs this on each that shares its core with another. */
#include "lib/sibling.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("raw_tp")
int pmb_learn_queue(void *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct pmb_core_thread *its = bpf_map_lookup_elem(&pmb_siblings, &cpu);

	(void)ctx;
	if (its)
		its->rq = (__u64)run_queue();
	return 0;
}
