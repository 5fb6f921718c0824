// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The overflow program with another memory of the stacks already sent, for tests/bench/dedup.sh:
 * MEMORY_NONE sends every stack with every sample, MEMORY_HASH keeps the ids in a BPF hash map. The
 * program itself is the real one; only the two functions of lib/ids.h are replaced.
 */
#include "lib/ids.h"

#if defined(MEMORY_HASH)
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ID_BUCKETS *ID_WAYS);
	__type(key, __u64);
	__type(value, __u64);
} pmb_hash SEC(".maps");

static __always_inline bool bench_known(__u64 id)
{
	return bpf_map_lookup_elem(&pmb_hash, &id);
}

static __always_inline void bench_remember(__u64 id)
{
	__u64 one = 1;

	bpf_map_update_elem(&pmb_hash, &id, &one, BPF_ANY);
}
#else
static __always_inline bool bench_known(__u64 id)
{
	(void)id;
	return false;
}

static __always_inline void bench_remember(__u64 id)
{
	(void)id;
}
#endif

#define id_known(bucket, id) bench_known(id)
#define id_remember(bucket, id) bench_remember(id)

#include "../../bpf/sample.bpf.c"
