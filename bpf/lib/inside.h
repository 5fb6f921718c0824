/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of a window. */
#ifndef PMUBPF_BPF_INSIDE_H
#define PMUBPF_BPF_INSIDE_H

/* A thread's window. The thread alone writes it, and overflows in it; start is written last. Or a
 * process's. */
struct gate {
	__u64 start; /* 0: it has none */
	__u32 samples;
	__u32 what; /* struct pmb_part_window */
	/* of calls: the stack pointer at the entry, the return address there */
	__u64 sp, returns_to;
	__u64 last; /* overflow inside */
	__u32 tgid; /* whose thread it is */
	/* of calls of goroutines: how often its process had run another program, and whose it is */
	__u32 exec_id;
	__u64 g;
};

/* The window that an overflow is in. */
struct inside {
	__u64 start;
	__u32 thread, what; /* struct pmb_part_window */
};

#endif
