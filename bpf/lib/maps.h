/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every map of a recording's programs, which are linked into one object (weak: each source has them
 * all). One object is loaded per event; user space creates the maps with the first and shares them
 * with the others. Sizes marked "set by user" are placeholders.
 */
#ifndef PMUBPF_BPF_MAPS_H
#define PMUBPF_BPF_MAPS_H

#include "lib/inside.h"
#include "lib/tasks.h"

enum {
	WINDOW_BYTES = 2048, /* of user stack, copied at once */
	ID_WAYS = PMB_ID_WAYS,
	ID_BUCKETS = 16384, /* x 64 bytes = 1 MiB: remembers up to 131,072 stacks */
};

/* A sample with room for all parts: those that it has follow each other without gaps. */
struct sample_buf {
	struct pmb_sample fixed;
	__u64 parts[(sizeof(struct pmb_part_window) + sizeof(struct pmb_part_reads) +
		     sizeof(struct pmb_part_addr) + sizeof(struct pmb_part_data) +
		     sizeof(struct pmb_part_sibling) + sizeof(struct pmb_part_branches)) /
		    sizeof(__u64)];
};

/* Which part of the user stack scratch.window is a copy of. */
struct window {
	__u64 start;
	__u64 size;
};

/* A walk by tables, between two frames. */
struct walk {
	struct pmb_frame frame;
	struct window window;
	__u64 hash;
	__u32 n;                     /* frames so far */
	__u32 guessed;               /* the last step followed a frame pointer, which may be none */
	__u32 without_rule;          /* so did one where the table has no rule */
	__u32 list, list_at, list_n; /* the process's mappings; list 0: not known */
	__u32 wants_regs;            /* it ended at a CFA in a register that isn't followed */
	__u32 runtime;               /* as the process has it */
	__u64 runtime_at;
	/* where the last frame lay */
	struct pmb_mapping mapping;
	struct pmb_unwind_file file;
};

/* The frame's code is in a file that has a table. */
#define PMB_FRAME_OF_FILE 1ULL

/* No address of code. */
#define NO_TRAMPOLINE (~0ULL)

/* Return probes that wait in the current task (lib/uretprobe.h). */
struct returns {
	__u64 utask;      /* 0: it has met no uprobe */
	__u64 trampoline; /* NO_TRAMPOLINE: none waits */
	__u64 next;       /* the innermost struct return_instance that no frame was met for */
	__u64 at;         /* the stack pointer in the caller of the function found last */
};

/* A copy of the user stack that is being made (lib/stack_dump.h), bytes. */
struct dump {
	__u64 from;
	__u64 size, done;
	__u64 good;  /* up to the last page that could be read */
	__u64 waits; /* the struct return_instance at hand */
};

/* Where the function returns to whose caller's stack pointer this is (lib/uretprobe.h). */
__u64 pmb_return_to(__u64 sp);

/* One set per CPU is enough: overflow programs don't nest on a CPU (the kernel's
 * bpf_prog_active). */
struct scratch {
	__u8 window[WINDOW_BYTES];
	struct sample_buf sample;
	struct pmb_stack stack;
	/* The frame pointers in the stack's frames, with PMB_FRAME_OF_FILE; that of the last may
	 * not be there. */
	__u64 frame_at[PMB_MAX_FRAMES + 1];
	struct arch_regs regs;
	struct walk walk;
	struct returns returns;
	struct dump dump;
	__u64 branches; /* records that came with this overflow */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} pmb_scratch SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* events; set by user */
	__type(key, __u32);
	__type(value, struct pmb_stats);
} pmb_stats SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* events; set by user */
	__type(key, __u32);
	__type(value, struct pmb_last);
} pmb_last SEC(".maps") __weak;

/* Counters that can't interrupt: descriptors of user space, by counter and CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* counters x possible CPUs; set by user */
	__type(key, __u32);
	__type(value, __u32);
} pmb_counters SEC(".maps") __weak;

struct readings {
	__u64 enabled
		[PMB_MAX_READS];   /* for how long each had been; shorter: it is another counter */
	__u64 last[PMB_MAX_READS]; /* where each counter of this CPU stood when it was last read */
	__u64 weight[PMB_MAX_READS]; /* what it counted since, at the overflow at hand */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct readings);
} pmb_readings SEC(".maps") __weak;

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536); /* set by user */
};

/* One ring per CPU: a ring shared by all CPUs fails its trylock when NMIs meet. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* possible CPUs; set by user */
	__type(key, __u32);
	__array(values, struct ring);
} pmb_rings SEC(".maps") __weak;

struct id_bucket {
	__u64 id[ID_WAYS];
};

/* Mapped by user space, which takes out the ids of stacks that it drops. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, ID_BUCKETS);
	__type(key, __u32);
	__type(value, struct id_bucket);
} pmb_ids SEC(".maps") __weak;

/* What unwinding needs. Code, mappings and rows are mapped by user space, which fills them in. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_code);
} pmb_code SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_mappings);
} pmb_mappings SEC(".maps") __weak;

struct chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size,
	       sizeof(__u32)); /* of an inner map, clang keeps no more of a type than its name */
	__uint(value_size, sizeof(struct pmb_chunk));
};

/* Chunks of rows are made when they are needed. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, PMB_CHUNKS_MAX);
	__type(key, __u32);
	__array(values, struct chunk);
} pmb_chunks SEC(".maps") __weak;

/*
 * Rules by place: callers are the same from sample to sample. A list of mappings has a number that
 * is never used again, and a place in it is always the same code, so nothing here goes out of date.
 */
enum { RULES_KNOWN = 512 };

struct known_rules {
	struct known_rule {
		__u64 pc;
		__u32 list; /* 0: none */
		__u32 pad;
		struct pmb_unwind_rule rule;
	} of[RULES_KNOWN];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct known_rules);
} pmb_known_rules SEC(".maps") __weak;

struct dump_buf {
	struct pmb_stack_dump head;
	__u8 bytes[PMB_DUMP_MAX + 4096]; /* a page more, for the verifier */
};

/* One per CPU; larger than what a per-CPU map may hold. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries,
	       1); /* CPUs up to the highest that is here, and some more; set by user */
	__type(key, __u32);
	__type(value, struct dump_buf);
} pmb_dumps SEC(".maps") __weak;

/* By thread, as the first pid namespace numbers them. Overflow programs only look up, which takes
 * no lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct gate);
} pmb_gates SEC(".maps") __weak;

/* The run of a thread on this CPU. */
struct run {
	struct gate gate;
	__u32 thread;
	__u32 pad;
	__u64 switches; /* of the thread before it */
	__u64 last;     /* overflow in it */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct run);
} pmb_runs SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_window_stats);
} pmb_windows SEC(".maps") __weak;

#endif
