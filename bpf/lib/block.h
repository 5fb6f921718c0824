/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who asked for memory: a record with the stack of who did. The hard thing is that these programs
 * may lose their CPU to another thread that gets here, too, while a walk needs more room than a
 * stack has: the scratch of a CPU has an owner, and who finds that it is no longer the owner tells
 * nothing. Maps of scratch are the object's own, for overflows interrupt here.
 */
#ifndef PMUBPF_BPF_BLOCK_H
#define PMUBPF_BPF_BLOCK_H

#include "lib/emit.h"
#include "lib/maps.h"
#include "lib/stack_dump.h"
#include "lib/target.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} pmb_block_owner SEC(".maps"); /* the thread that has the CPU's scratch; 0: none */

/* A record that is being made. */
struct block {
	struct scratch *s;
	__u64 *owner;
	__u64 mine;
	void *ring;
};

/* False: there is no room for it now. What is to be told besides is sample->user_end, and the stack
 * in scratch. */
static __always_inline bool block_begin(const volatile struct pmb_config *cfg, __u64 id, __u16 type,
					__u64 addr, __u64 bytes, struct block *ret)
{
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0;
	struct pmb_sample *sample;

	ret->s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	ret->owner = bpf_map_lookup_elem(&pmb_block_owner, &zero);
	ret->mine = bpf_get_current_pid_tgid();
	ret->ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	if (!ret->s || !ret->owner || !ret->ring || *ret->owner)
		return false;
	*ret->owner = ret->mine;
	barrier();
	sample = &ret->s->sample.fixed;
	__builtin_memset(sample, 0, sizeof(*sample));
	sample->rec.type = type;
	sample->rec.size = sizeof(struct pmb_block);
	sample->rec.time = bpf_ktime_get_ns();
	sample->tgid = id >> 32;
	sample->tid = (__u32)id;
	sample->cpu = cpu;
	sample->cgroup = current_cgroup_id(cfg);
	ret->s->sample.parts[0] = addr;
	ret->s->sample.parts[1] = bytes;
	ret->s->stack.rec.time = sample->rec.time;
	ret->s->stack.n = 0;
	return true;
}

/* True: it was told. */
static __always_inline bool block_end(const volatile struct pmb_config *cfg, struct block *b)
{
	struct pmb_stats *stats;
	__u32 zero = 0;
	bool told;

	barrier();
	told = *b->owner == b->mine;
	if (told) {
		stats = bpf_map_lookup_elem(&pmb_stats, &zero);
		if (stats)
			user_stack_send(cfg, b->ring, b->s, stats);
		told = !ring_output(cfg, b->ring, &b->s->sample, sizeof(struct pmb_block));
	}
	if (*b->owner == b->mine)
		*b->owner = 0;
	return told;
}

#endif
