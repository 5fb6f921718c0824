/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the thread says it is working on (pmubpf/thread_context.h). All is the program's own memory:
 * each pointer may be any, what lies there may change, and no more is read than is said here: three
 * words of where the variable is, the head, and PMB_CONTEXT_MAX bytes.
 */
#ifndef PMUBPF_BPF_THREAD_CONTEXT_H
#define PMUBPF_BPF_THREAD_CONTEXT_H

#include "lib/arch.h"
#include "lib/emit.h"

#include "pmubpf/thread_context.h"

extern const volatile struct pmb_config pmb_cfg;

/* Where glibc keeps a thread's blocks: from the thread pointer on; entries of two words, the one
 * before the first says how many there are. */
#if defined(__TARGET_ARCH_x86)
enum { BLOCKS_AT = 8 };
#elif defined(__TARGET_ARCH_riscv)
enum { BLOCKS_AT = -16 };
#else
enum { BLOCKS_AT = 0 };
#endif

/* By process, as samples number them. Overflow programs only look up, which takes no lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_context_place);
} pmb_contexts SEC(".maps") __weak;

struct context_buf {
	struct pmb_context_head head;
	__u32 pad;
	struct pmb_context rec;
	__u64 more[PMB_CONTEXT_WORDS]; /* for the verifier, as bounds of reads are powers of two */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct context_buf);
} pmb_context_buf SEC(".maps") __weak;

static __always_inline struct context_buf *context_buf(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_context_buf, &zero);
}

/* False: it can't be read. */
static __always_inline bool context_word(__u64 addr, __u64 *ret)
{
	return !is_kernel_address(addr) && !bpf_probe_read_user(ret, sizeof(*ret), (void *)addr);
}

/* The address of the thread's variable: *ret 0: its block was not made yet. */
static __always_inline bool context_variable(const struct pmb_context_place *place, __u64 tp,
					     __u64 *ret)
{
	__u64 blocks = 0, n = 0, block = 0;

	*ret = tp + place->offset;
	if (place->kind == PMB_CONTEXT_STATIC)
		return true;
	if (!context_word(tp + BLOCKS_AT, &blocks) || !context_word(blocks - 16, &n))
		return false;
	*ret = 0;
	if (place->module > n)
		return true;
	if (!context_word(blocks + place->module * 16ULL, &block))
		return false;
	if (block && block != ~0ULL)
		*ret = block + place->offset;
	return true;
}

/* The attributes, and what is behind them in their last word 0. False: they can't be read. */
static __always_inline bool context_attributes(struct context_buf *buf, __u64 from)
{
	__u64 n = buf->head.n_bytes, last;

	if (n > PMB_CONTEXT_MAX)
		n = PMB_CONTEXT_MAX;
	buf->rec.n_bytes = n;
	last = n / 8;
	UNWIND_HIDE(last);
	last &= 127;
	if (last < PMB_CONTEXT_WORDS)
		buf->rec.bytes[last] = 0;
	UNWIND_HIDE(n);
	n &= 1023; /* "R2 min value is negative" */
	return n <= PMB_CONTEXT_MAX && !bpf_probe_read_user(buf->rec.bytes, n, (void *)from);
}

/* Threads that say the same of different requests have one id: only where there are no attributes
 * it is the request's. */
static __always_inline __u64 context_id(const struct context_buf *buf, __u32 tgid)
{
	__u64 h = id_mix(id_seed_user(tgid), buf->rec.n_bytes);
	const __u64 *trace = (const void *)buf->rec.trace_id;

	if (!buf->rec.n_bytes)
		return id_mix(id_mix(h, trace[0]), trace[1]);
	for (__u32 i = 0; i < PMB_CONTEXT_WORDS; i++) {
		if (i * 8 >= buf->rec.n_bytes)
			break;
		h = id_mix(h, buf->rec.bytes[i]);
	}
	return h;
}

/* Reads what is at the address. A function of its own for the verifier, which looks at it once.
 * Returns a state. */
__noinline int pmb_context_read(__u64 at, __u32 tgid)
{
	struct context_buf *buf = context_buf();
	__u64 record = 0;

	if (!buf || !context_word(at, &record))
		return PMB_CONTEXT_UNREADABLE;
	if (!record)
		return PMB_CONTEXT_DETACHED;
	if (is_kernel_address(record) ||
	    bpf_probe_read_user(&buf->head, sizeof(buf->head), (void *)record))
		return PMB_CONTEXT_UNREADABLE;
	/* writers that keep one record for a thread say so that there is none, too */
	if (buf->head.valid != 1)
		return buf->head.valid ? PMB_CONTEXT_INVALID : PMB_CONTEXT_DETACHED;
	if (!context_attributes(buf, record + sizeof(buf->head)))
		return PMB_CONTEXT_UNREADABLE;
	__builtin_memcpy(buf->rec.trace_id, buf->head.trace_id, sizeof(buf->rec.trace_id));
	buf->rec.tgid = tgid;
	buf->rec.id = context_id(buf, tgid) | PMB_CONTEXT_IDS;
	return PMB_CONTEXT_READ;
}

/* Sends it unless its id is known. Returns what the sample has of it. */
static __always_inline __u64 context_send(struct context_buf *buf, void *ring, __u64 time,
					  struct pmb_stats *stats)
{
	struct id_bucket *bucket = id_bucket(buf->rec.id);
	__u64 size = ((__u64)buf->rec.n_bytes + 7) & ~7ULL;

	if (!bucket)
		return PMB_CONTEXT_LOST;
	if (id_known(bucket, buf->rec.id))
		return buf->rec.id;
	size += offsetof(struct pmb_context, bytes);
	buf->rec.rec.type = PMB_REC_CONTEXT;
	buf->rec.rec.parts = 0;
	buf->rec.rec.time = time;
	buf->rec.rec.size = size;
	UNWIND_HIDE(size); /* "R3 unbounded memory access" */
	size &= 1023;
	if (ring_output(&pmb_cfg, ring, &buf->rec, size))
		return PMB_CONTEXT_LOST;
	id_remember(bucket, buf->rec.id);
	stats->ring_bytes += size;
	return buf->rec.id;
}

/* What the current thread works on. tp: its thread pointer. */
static __always_inline __u64 thread_context(__u32 tgid, __u64 tp, void *ring, __u64 time,
					    struct pmb_stats *stats)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct pmb_context_place *place;
	struct context_buf *buf;
	__u64 at;
	int state;

	if (!mm)
		return PMB_CONTEXT_NONE;
	place = bpf_map_lookup_elem(&pmb_contexts, &tgid);
	buf = context_buf();
	if (!place || !buf ||
	    (place->stack_top && place->stack_top != BPF_CORE_READ(mm, start_stack)))
		return PMB_CONTEXT_UNSEEN;
	if (place->kind == PMB_CONTEXT_IN_NOTHING)
		return PMB_CONTEXT_UNPUBLISHED;
	if (place->kind == PMB_CONTEXT_SOMEWHERE)
		return PMB_CONTEXT_NOT_FOUND;
	if (!context_variable(place, tp, &at))
		return PMB_CONTEXT_UNREADABLE;
	if (!at)
		return PMB_CONTEXT_DETACHED;
	state = pmb_context_read(at, tgid);
	return state == PMB_CONTEXT_READ ? context_send(buf, ring, time, stats) : (__u64)state;
}

#endif
