/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space needs to go on with a walk that ended for want of a table: the frames so far, the
 * registers, and a copy of the rest of the stack. A new program lives on these until its tables are
 * here.
 */
#ifndef PMUBPF_BPF_STACK_DUMP_H
#define PMUBPF_BPF_STACK_DUMP_H

#include "lib/emit.h"
#include "lib/walk.h"

enum {
	DUMP_PAGE = 4096, /* or larger ones: each is of one kind then, too */
	/* Where nobody says where the stack ends: of a thread that isn't the first, and whose
	 * thread pointer doesn't lie at the end, where libcs have it. */
	DUMP_OF_A_THREAD = PMB_DUMP_MAX / 4,
	RETURNS_IN_DUMP = 64, /* the kernel's MAX_URETPROBE_DEPTH */
};

/* The next page of the stack that is copied (s->dump). False: that was the last. A function of its
 * own for the verifier, as each here that a loop calls. */
__noinline int pmb_dump_page(__u32 cpu)
{
	struct dump_buf *buf = bpf_map_lookup_elem(&pmb_dumps, &cpu);
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	__u64 done, left, part, from;

	if (!buf || !s)
		return 0;
	done = s->dump.done;
	left = s->dump.size - done;
	from = s->dump.from + done;
	part = DUMP_PAGE - (from & (DUMP_PAGE - 1));
	if (part > left)
		part = left;
	/* over the frames that don't travel */
	done += (s->walk.n & PMB_MAX_FRAMES) * sizeof(__u64);
	/* "R2 min value is negative", and "invalid access to map value": the compiler knows
	 * bounds that 5.10's verifier doesn't, and would leave the masks out */
	UNWIND_HIDE(part);
	UNWIND_HIDE(done);
	part &= 2 * DUMP_PAGE - 1;
	done &= 2 * PMB_DUMP_MAX - 8;
	if (done > PMB_DUMP_MAX + PMB_MAX_FRAMES * sizeof(__u64) || part > DUMP_PAGE)
		return 0;
	s->dump.done += part;
	if (!bpf_probe_read_user((void *)buf->head.frames + done, part, (void *)from))
		s->dump.good = s->dump.done;
	return s->dump.done < s->dump.size;
}

/* From sp to the top of the stack, by pages: one that was never touched can't be read here, and
 * holds zeroes. What comes behind the last that could be read isn't counted: a thread's stack may
 * end anywhere. */
static __always_inline __u32 dump_copy(struct scratch *s, __u32 cpu)
{
	__u64 sp = s->walk.frame.sp & ~7ULL, top = s->sample.fixed.stack_top;
	__u64 own = arch_thread_pointer(&s->regs);

	s->dump.from = sp;
	s->dump.size = DUMP_OF_A_THREAD;
	if (sp < top && top - sp <= PMB_DUMP_MAX)
		s->dump.size = (top - sp) & ~7ULL;
	else if (sp < own && own - sp <= PMB_DUMP_MAX)
		s->dump.size = (own - sp) & ~7ULL;
	s->dump.done = s->dump.good = 0;
	for (int i = 0; i <= PMB_DUMP_MAX / DUMP_PAGE; i++) {
		if (!pmb_dump_page(cpu))
			break;
	}
	return s->dump.good;
}

#if defined(__TARGET_ARCH_x86)
/* Of the return probe s->dump.waits, and on to the next. False: there is none. */
__noinline int pmb_dump_return(__u32 cpu)
{
	struct dump_buf *buf = bpf_map_lookup_elem(&pmb_dumps, &cpu);
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct return_instance *at;
	__u64 off, *word;

	if (!buf || !s)
		return 0;
	at = (void *)s->dump.waits;
	off = BPF_CORE_READ(at, stack) - (buf->head.from.sp & ~7ULL);
	if (off < buf->head.n_bytes) {
		off = (off + buf->head.n * sizeof(__u64)) & (2 * PMB_DUMP_MAX - 8);
		UNWIND_HIDE(off);
		if (off > PMB_DUMP_MAX)
			return 0;
		word = (void *)buf->head.frames + off;
		if (*word == s->returns.trampoline)
			*word = BPF_CORE_READ(at, orig_ret_vaddr);
	}
	s->dump.waits = (__u64)BPF_CORE_READ(at, next);
	return s->dump.waits != 0;
}
#endif

/*
 * User space can't ask the kernel where functions return to that a return probe waits for: in its
 * copy of the stack from sp on, those return addresses are put in place of the trampoline's.
 * Elsewhere than on x86-64 nobody knows where they lie.
 */
static __always_inline void dump_returns(struct scratch *s, __u32 cpu)
{
#if defined(__TARGET_ARCH_x86)
	s->dump.waits = s->returns.next;
	if (!s->dump.waits)
		return;
	for (int i = 0; i < RETURNS_IN_DUMP; i++) {
		if (!pmb_dump_return(cpu))
			break;
	}
#else
	(void)s;
	(void)cpu;
#endif
}

/* Takes the stack's place: its id becomes the dump's. False if there was no room, or not enough to
 * spare. */
static __always_inline bool dump_send(const volatile struct pmb_config *cfg, void *ring,
				      struct scratch *s, struct pmb_stats *stats)
{
	__u32 cpu = s->sample.fixed.cpu;
	struct dump_buf *buf = bpf_map_lookup_elem(&pmb_dumps, &cpu);
	struct walk *w = &s->walk;
	__u64 size, n_bytes, n_frames = w->n & PMB_MAX_FRAMES;

	/* samples come first: dumps leave them a quarter of the ring, which is enough for a
	 * thousand */
	if (!buf || bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > 3 * (__u64)cfg->ring_wake) {
		stats->stack_dumps_lost++;
		return false;
	}
	__builtin_memcpy(buf->head.frames, s->stack.frames, sizeof(buf->head.frames));
	n_frames *= sizeof(__u64);
	n_bytes = dump_copy(s, cpu) & (2 * PMB_DUMP_MAX - 8);
	if (n_bytes > PMB_DUMP_MAX)
		n_bytes = 0;
	buf->head.rec.size = size = offsetof(struct pmb_stack_dump, frames) + n_frames + n_bytes;
	buf->head.rec.type = PMB_REC_STACK_DUMP;
	buf->head.rec.parts = cfg->off_cpu;
	buf->head.rec.time = s->stack.rec.time;
	buf->head.id = id_mix(id_mix(0, s->stack.rec.time), cpu);
	buf->head.tgid = s->stack.tgid;
	buf->head.n = w->n;
	buf->head.from = w->frame;
	buf->head.stack_top = s->sample.fixed.stack_top;
	buf->head.n_bytes = n_bytes;
	__builtin_memcpy(buf->head.regs, &s->regs, sizeof(s->regs));
	dump_returns(s, cpu);
	/* the reader is woken: the sooner it knows, the fewer stacks have to be copied */
	if (cfg->patient ? ring_output(cfg, ring, buf, size) :
			   bpf_ringbuf_output(ring, buf, size, BPF_RB_FORCE_WAKEUP)) {
		stats->stack_dumps_lost++;
		return false;
	}
	s->stack.id = buf->head.id;
	stats->stack_dumps_sent++;
	stats->ring_bytes += size;
	return true;
}

/* The user stack that was walked: it, or a copy of the stack, if a table is missing. */
static __always_inline void user_stack_send(const volatile struct pmb_config *cfg, void *ring,
					    struct scratch *s, struct pmb_stats *stats)
{
	struct pmb_sample *sample = &s->sample.fixed;

	if (sample->user_end == PMB_END_NO_TABLE && dump_send(cfg, ring, s, stats)) {
		sample->user_stack = s->stack.id;
	} else if (s->stack.n) {
		sample->user_stack = s->stack.id;
		sample->user_end =
			stack_send(cfg, ring, &s->stack, stats, PMB_REC_STACK, sample->user_end);
	}
}

#endif
