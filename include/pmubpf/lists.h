/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists that both sides need: enum, JSON key and words for people come from one place.
 * X(id, key, text)
 */
#ifndef PMUBPF_LISTS_H
#define PMUBPF_LISTS_H

/* Why the kernel side dropped an overflow. */
#define PMB_DROPS(X)                                                                         \
	X(RING_FULL, "ring_full", "the ring buffer had no room (the reader was too slow)")   \
	X(NO_RING, "no_ring", "the CPU has no ring buffer (it came online after the start)") \
	X(NO_SCRATCH, "no_scratch", "the per-CPU scratch memory could not be looked up")     \
	X(UNSEEN, "unseen",                                                                  \
	  "the kernel counted it and called no program (in an idle task, or while another "  \
	  "program ran): whose it was isn't known")                                          \
	X(NO_THREAD, "no_thread", "no room to remember another thread until it has a CPU again")

/* How the walk of one stack ended. */
#define PMB_UNWIND_STATUSES(X)                                                                  \
	X(NONE, "none", "no such stack (the sample was in kernel code, or in user code)")       \
	X(COMPLETE, "complete", "reached the outermost frame")                                  \
	X(FP_LEFT, "fp_left_stack", "a frame pointer left the stack (code built without them)") \
	X(TRUNCATED, "truncated", "deeper than the limit")                                      \
	X(UNREADABLE, "unreadable", "stack memory could not be read")                           \
	X(COMPAT, "compat", "32-bit program: only the leaf is known")                           \
	X(FAILED, "failed", "the kernel's unwinder returned an error")                          \
	X(LOST, "lost", "the ring buffer had no room for the frames: only the leaf is known")   \
	X(EXECING, "execing", "in exec: the stack of the program before it has gone")           \
	X(UNKNOWN_ID, "unknown_id", "the frames never arrived: only the leaf is known")         \
	X(NO_TABLE, "no_table", "no unwind table of the file yet")                              \
	X(NO_RULE, "no_rule", "the unwind table has no rule for the code")                      \
	X(CORRUPT, "corrupt", "the stack contradicts the unwind table")                         \
	X(OUTSIDE, "outside", "of a process outside of this pid namespace: not walked")         \
	X(COMPLETE_BY_FP, "complete_by_fp",                                                     \
	  "reached the outermost frame, by frame pointers where the unwind table has no rule")

/* What an overflow interrupted. */
#define PMB_INTERRUPTED(X)                                                \
	X(UNKNOWN, "unknown", "nobody asked, or the kernel doesn't tell") \
	X(USER, "user", "the program's own code")                         \
	X(TASK, "task", "kernel code on behalf of a thread, or its own")  \
	X(SOFTIRQ, "softirq", "work that interrupts have left for later") \
	X(HARDIRQ, "hardirq", "an interrupt's handler")                   \
	X(NMI, "nmi", "the handler of one that can't be kept off")

enum pmb_drop {
#define X(id, key, text) PMB_DROP_##id,
	PMB_DROPS(X) PMB_N_DROPS
#undef X
};

enum pmb_interrupted {
#define X(id, key, text) PMB_INTERRUPTED_##id,
	PMB_INTERRUPTED(X) PMB_N_INTERRUPTED
#undef X
};

enum pmb_unwind_status {
#define X(id, key, text) PMB_END_##id,
	PMB_UNWIND_STATUSES(X) PMB_N_UNWIND_STATUSES
#undef X
};

#endif
