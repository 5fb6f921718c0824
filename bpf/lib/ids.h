/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids of stacks, and the memory of those already sent. The memory is a cache, not a table: a bucket
 * is one cache line of 8 ids, a full bucket overwrites one of them. A forgotten id costs a stack
 * sent twice, nothing else; so there are no locks and no way to fill up. User space takes ids out,
 * too, when it has no room for their stacks; an id that it has missed meanwhile costs it a leaf
 * (unknown_id).
 */
#ifndef PMUBPF_BPF_IDS_H
#define PMUBPF_BPF_IDS_H

#include "lib/maps.h"

#define ID_SEED_KERNEL 0x6b65726e656cULL

static __always_inline __u64 id_mix(__u64 h, __u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 32);
}

/* Where the id of a process's stack begins: mixed, so that tgid and first address can't cancel
 * out. */
static __always_inline __u64 id_seed_user(__u32 tgid)
{
	return id_mix(0, tgid);
}

static __always_inline struct id_bucket *id_bucket(__u64 id)
{
	__u32 index = id % ID_BUCKETS;

	return bpf_map_lookup_elem(&pmb_ids, &index);
}

static __always_inline bool id_known(const struct id_bucket *bucket, __u64 id)
{
#pragma unroll
	for (int i = 0; i < ID_WAYS; i++) {
		if (bucket->id[i] == id)
			return true;
	}
	return false;
}

static __always_inline void id_remember(struct id_bucket *bucket, __u64 id)
{
#pragma unroll
	for (int i = 0; i < ID_WAYS; i++) {
		if (!bucket->id[i]) {
			bucket->id[i] = id;
			return;
		}
	}
	bucket->id[(id >> 32) % ID_WAYS] = id;
}

static __always_inline void id_forget(struct id_bucket *bucket, __u64 id)
{
#pragma unroll
	for (int i = 0; i < ID_WAYS; i++) {
		if (bucket->id[i] == id)
			bucket->id[i] = 0;
	}
}

#endif
