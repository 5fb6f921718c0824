/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * With whom a thread shares its core. Each CPU says who has it, and the other thread's CPU looks at
 * that when it loses its own task: was it the same all the time, the counts are that one's. What is
 * counted on a CPU can't be read from another, so nobody can divide it where the other changes.
 */
#ifndef PMUBPF_BPF_CORE_MATE_H
#define PMUBPF_BPF_CORE_MATE_H

#include "lib/waits.h"

static __always_inline struct pmb_owner_cpu *sibling_of(const struct pmb_owner_cpu *cpu)
{
	__u32 at = cpu->sibling;

	if (!at--)
		return NULL;
	return bpf_map_lookup_elem(&pmb_owner_cpus, &at);
}

static __always_inline void mate_changes(struct pmb_owner_cpu *cpu,
					 const struct pmb_core_mate *next)
{
	__u32 turn = cpu->mate.turn;

	*(volatile __u32 *)&cpu->mate.turn = turn + 1;
	barrier();
	cpu->mate.own = next->own;
	cpu->mate.key = next->key;
	__builtin_memcpy(cpu->mate.comm, next->comm, sizeof(next->comm));
	cpu->mate.process = next->process;
	barrier();
	*(volatile __u32 *)&cpu->mate.turn = turn + 2;
}

/* Who it was since the last time, and from here on the next stretch. */
static __always_inline void mate_of(struct pmb_owner_cpu *cpu, struct pmb_core_mate *ret)
{
	struct pmb_owner_cpu *sibling = sibling_of(cpu);
	__u32 turn;

	if (!sibling) {
		ret->own = PMB_OWNER_ALONE;
		return;
	}
	turn = *(volatile __u32 *)&sibling->mate.turn;
	barrier();
	*ret = sibling->mate;
	barrier();
	if (turn & 1 || turn != *(volatile __u32 *)&sibling->mate.turn || turn != cpu->mates_turn)
		ret->own = PMB_OWNER_SEVERAL;
	cpu->mates_turn = turn;
}

#endif
