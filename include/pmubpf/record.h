/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What bpf/ and user/ say to each other: the records in the ring buffers, the configuration of one
 * program instance, the counters of the ledger. Fixed-width types, explicit padding, size first,
 * only appended to. Both sides include their own integer types before this file.
 *
 *   ring of a CPU:  [stack 0x9c…: 31 frames] [sample … user_stack=0x9c…] [sample … user_stack=0x9c…]
 *
 * A stack travels once; samples name it by its 64-bit id (a hash of its addresses and, for user
 * stacks, of the tgid). The stack may arrive after a sample of another CPU that names it.
 */
#ifndef PMUBPF_RECORD_H
#define PMUBPF_RECORD_H

#include "pmubpf/lists.h"
#include "pmubpf/unwind.h"

enum {
	PMB_MAX_FRAMES = 127, /* of one side; the kernel's own default (perf_event_max_stack) */
	PMB_COMM_LEN = 16,
	PMB_MARKS_PER_PAGE = 4096, /* task marks in one element of the map pmb_tasks */
	PMB_MAX_READS = 8,         /* counters that are read at one clock's overflows */
	PMB_MAX_BRANCHES = 64,     /* branch records of one overflow: BRBE's most; LBR has 32 */
	PMB_ID_WAYS =
		8, /* ids in one element (a cache line) of the map pmb_ids; id modulo elements */
};

/* The number of a task that has none in our pid namespace. */
#define PMB_OUTSIDE (~0U)

enum pmb_rec_type {
	PMB_REC_SAMPLE = 1,
	PMB_REC_STACK = 2,
	PMB_REC_STACK_DUMP = 3,
	PMB_REC_WINDOW = 4,
	PMB_REC_CHAIN = 5,        /* pmubpf/python.h */
	PMB_REC_OBJECT = 6,       /* the same */
	PMB_REC_PLACED_CHAIN = 7, /* a chain whose frames have positions */
	PMB_REC_FRAMES_CHAIN = 8, /* one whose positions are frames of the stack (pmubpf/v8.h) */
	PMB_REC_BLOCK = 9,        /* memory that an allocator gave out… */
	PMB_REC_FREED = 10,       /* …and took back */
	PMB_REC_CONTEXT = 11,     /* pmubpf/thread_context.h */
	PMB_REC_MAPPED = 12,      /* memory that the kernel gave out… */
	PMB_REC_UNMAPPED = 13,    /* …and takes back; and all that brk() has given out by now */
	PMB_REC_BREAK = 14,
};

/* Every record begins with this. size is that of the whole record, a multiple of 8. */
struct pmb_rec {
	__u32 size;
	__u16 type;
	__u16 parts; /* samples: how many struct pmb_part follow the fixed fields; objects: of 1 a
		      * struct pmb_py_table follows */
	__u64 time;  /* CLOCK_MONOTONIC, ns */
};

struct pmb_sample {
	struct pmb_rec rec;
	__u32 tgid; /* PMB_OUTSIDE, and so is tid: it is not of our pid namespace */
	__u32 tid;
	__u32 cpu;
	__u16 event;      /* index of the event in the session */
	__u8 user_end;    /* enum pmb_unwind_status */
	__u8 kernel_end;  /* enum pmb_unwind_status */
	__u64 cgroup;     /* id in the v2 hierarchy, or in the v1 hierarchy that was asked for */
	__u64 ip;         /* where the overflow interrupted, as the CPU reported it */
	__u64 weight;     /* the period that this overflow stood for, in the event's unit */
	__u64 user_stack; /* ids; 0: none */
	__u64 kernel_stack;
	__u64 stack_top; /* mm->start_stack of the process: changes at exec */
	char comm[PMB_COMM_LEN];
	__u32 uid;          /* the task's real one, as the first user namespace numbers it */
	__u32 interrupted;  /* enum pmb_interrupted, and perhaps PMB_INTERRUPTS_OFF */
	__u64 python_stack; /* id of a chain (pmubpf/python.h); 0: none */
	__u64 context;      /* pmubpf/thread_context.h; 0: nobody asked */
};

enum { PMB_INTERRUPTS_OFF = 0x100 };

/* Optional parts, each led by its own type and size, so that a reader can skip what it doesn't
 * know. */
enum pmb_part_type {
	PMB_PART_ADDR = 1,  /* payload: __u64 data address */
	PMB_PART_READS = 2, /* payload: struct pmb_reading for each counter read at this overflow */
	PMB_PART_DATA = 3,  /* struct pmb_part_data */
	PMB_PART_WINDOW = 4,   /* before the others */
	PMB_PART_OFF = 5,      /* pmubpf/off_cpu.h */
	PMB_PART_BRANCHES = 6, /* behind all others */
	PMB_PART_SIBLING = 7,
};

struct pmb_part {
	__u16 size; /* with this header; a multiple of 8 */
	__u16 type;
	__u32 pad;
};

struct pmb_part_addr {
	struct pmb_part part;
	__u64 addr;
};

/* What lies at a data address, as far as the kernel tells. */
enum pmb_segment {
	PMB_SEGMENT_NONE,         /* there is no address */
	PMB_SEGMENT_KERNEL,       /* an address of the kernel */
	PMB_SEGMENT_PROGRAM,      /* from the program's code to the end of its .bss */
	PMB_SEGMENT_HEAP,         /* what brk() gave it */
	PMB_SEGMENT_STACK,        /* of the first thread: from its stack pointer on */
	PMB_SEGMENT_MAPPED,       /* anything else, of no kind that could be told */
	PMB_SEGMENT_ANONYMOUS,    /* memory of mmap(): arenas, large blocks */
	PMB_SEGMENT_FILE,         /* a file: libraries, databases */
	PMB_SEGMENT_SHARED,       /* shared memory: of no file */
	PMB_SEGMENT_THREAD_STACK, /* of a thread that isn't the first: from its stack pointer on */
	PMB_N_SEGMENTS,
};

/* The general registers by their encoded numbers (arm64: 31 is the stack pointer; riscv64: 0 is 0),
 * where the overflow interrupted; x86-64: the base of fs. Only where it interrupted user space. */
#if defined(__TARGET_ARCH_x86) || \
	(!defined(__TARGET_ARCH_arm64) && !defined(__TARGET_ARCH_riscv) && defined(__x86_64__))
enum { PMB_DATA_IP = 16, PMB_DATA_FS = 17, PMB_DATA_REGS = 18 };
#else
enum { PMB_DATA_IP = 32, PMB_DATA_REGS = 33, PMB_DATA_FS = PMB_DATA_REGS /* there is none */ };
#endif

/* The data that the overflow is about; in place of struct pmb_part_addr. */
struct pmb_part_data {
	struct pmb_part part;
	__u64 addr;     /* 0: the hardware gave none */
	__u64 data_src; /* union perf_mem_data_src; 0: the kernel gave none */
	__u64 weight;   /* latency in cycles, as the PMU counts it; 0: not known */
	__u64 phys;     /* where it is in memory; 0: not known */
	__u32 segment;  /* enum pmb_segment */
	__u32 n_regs;   /* 0 or PMB_DATA_REGS */
	__u64 regs[PMB_DATA_REGS];
};

/* A branch that was taken, as the kernel hands it out: struct perf_branch_entry. */
struct pmb_branch {
	__u64 from, to;
	__u64 flags; /* bits as below, and others */
};
enum {
	PMB_BRANCH_MISPREDICTED = 1 << 0,
	PMB_BRANCH_PREDICTED = 1 << 1, /* neither: the CPU doesn't say */
	PMB_BRANCH_CYCLES_AT = 4,      /* since the branch before; 0: the CPU doesn't say */
	PMB_BRANCH_CYCLES = 0xffff,
};

/* The latest branches before the overflow, the latest first. */
struct pmb_part_branches {
	struct pmb_part part;
	__u32 n;
	__u32 whole; /* that there were; more than n: the oldest found no room here */
	struct pmb_branch list[PMB_MAX_BRANCHES]; /* only the first n travel */
};

/* What a counter without overflow interrupt counted on this CPU since it was last read. */
struct pmb_reading {
	__u32 event;
	__u32 pad;
	__u64 weight; /* 0: nothing, or nothing that can be told to be this sample's: no reading */
};

struct pmb_part_reads {
	struct pmb_part part;
	struct pmb_reading list[PMB_MAX_READS]; /* only as many as are read travel */
};

/* The window in which the overflow fell. A thread, or a process, has one at a time: thread and
 * start are its name. */
struct pmb_part_window {
	struct pmb_part part;
	__u64 start;  /* as pmb_rec.time */
	__u32 thread; /* as the first pid namespace numbers it; of windows of processes, its tgid */
	__u32 what;   /* of system calls: one more than the number; else 0 */
};

/* Who had the other thread of the core meanwhile. */
enum pmb_sibling_who {
	PMB_SIBLING_NONE, /* there is no such thread, or the kernel doesn't tell */
	PMB_SIBLING_IDLE,
	PMB_SIBLING_KERNEL, /* a thread of the kernel */
	PMB_SIBLING_SAME,   /* another thread of the sample's own process */
	PMB_SIBLING_OTHER,
	PMB_N_SIBLING_WHO,
};

struct pmb_part_sibling {
	struct pmb_part part;
	__u32 who; /* enum pmb_sibling_who */
	__u32 pad;
	char comm[PMB_COMM_LEN]; /* of the process, if it is another one */
};

/* A CPU, as its sibling needs it. */
struct pmb_core_thread {
	__u64 rq;      /* where the kernel says whom it runs; 0: not known */
	__u32 sibling; /* one more than the CPU that is the core's other thread; 0: none */
	__u32 pad;
};

/* A window in which there were overflows has ended; its time is not before theirs. */
struct pmb_window_end {
	struct pmb_rec rec;
	__u64 start, end;
	__u32 thread;
	__u32 what;
};

/* A block of memory as its allocator, or the kernel, returns it. The sample is who asked for it:
 * without weight and kernel stack; its user stack begins with the function that called the
 * allocator, or the kernel. */
struct pmb_block {
	struct pmb_sample sample;
	__u64 addr, size;
};

/* A block that is about to be given back; perhaps none that was seen. */
struct pmb_freed {
	struct pmb_rec rec;
	__u32 tgid; /* as of samples */
	__u32 pad;
	__u64 addr;
	__u64 bytes; /* of what was mapped, whatever it was then; 0: the block that begins there */
};

/* frames[0] is the interrupted instruction itself, the others are return addresses. */
struct pmb_stack {
	struct pmb_rec rec;
	__u64 id;
	__u32 tgid; /* 0: kernel stack */
	__u32 n;
	__u64 frames[PMB_MAX_FRAMES]; /* only the first n travel */
};

enum { PMB_DUMP_MAX = 64 * 1024 }; /* bytes of a stack that travel */

/*
 * A stack that could not be walked to its end because a table or the process isn't known yet: how
 * far it got, and a copy of the rest. Belongs to the sample that names its id. The copy follows
 * frame n at once: n_bytes, a multiple of 8, from from.sp on.
 */
struct pmb_stack_dump {
	struct pmb_rec rec;
	__u64 id; /* no two dumps have the same; rec.parts: 1 if its sample may come much later */
	__u32 tgid;
	__u32 n; /* frames so far; the last is that of `from` */
	struct pmb_frame from;
	__u64 stack_top; /* as the sample's */
	__u32 n_bytes;
	__u32 pad;
	__u64 regs[PMB_UNWIND_REGS];  /* struct arch_regs; of the innermost frame */
	__u64 frames[PMB_MAX_FRAMES]; /* only the first n travel */
};
#define PMB_DUMP_COPY(dump) ((const void *)&(dump)->frames[(dump)->n])

struct pmb_py_text {
	__u32 state;   /* & PMB_PY_TEXT_STATE */
	__u32 n_bytes; /* that travel; 0: it could not be read */
	__u64 length;  /* in characters; more than travel: it is cut */
};

struct pmb_py_table {
	__u32 kind;    /* enum pmb_py_lines */
	__u32 n_bytes; /* that follow */
	__u64 length;  /* more: it is cut */
};

/* What a code object says of itself. From `line` on nothing depends on the process that has it. */
struct pmb_object {
	struct pmb_rec rec;
	__u64 id;
	__u32 tgid;
	__u32 line; /* the first */
	struct pmb_py_text name, file;
	/* name's, then file's; then, from the next multiple of 8 on, the line table where lines are
	 * wanted. Only these travel, rounded up, with zeroes between them. */
	__u8 bytes[2 * PMB_PY_TEXT_MAX + sizeof(struct pmb_py_table) + PMB_PY_LINES_MAX];
};

/* Of an object with a line table: where it is, from bytes on. */
#define PMB_PY_TABLE_AT(object) (((object)->name.n_bytes + (object)->file.n_bytes + 7) & ~7U)
#define PMB_PY_TABLE(object) \
	((const struct pmb_py_table *)((object)->bytes + PMB_PY_TABLE_AT(object)))

enum pmb_filter {
	PMB_FILTER_NONE,
	PMB_FILTER_TASKS,  /* by the marks in pmb_tasks */
	PMB_FILTER_CGROUP, /* by cgroup and its descendants */
	/* by the marks in pmb_cgroups; what has none passes, to be looked up */
	PMB_FILTER_CONTAINERS,
};

/* Marks of cgroups. */
enum pmb_cgroup_mark {
	PMB_CGROUP_TARGET = 1,
	PMB_CGROUP_OTHER,
};

/* Marks of a task, one byte per thread id; fork copies the parent's. */
enum pmb_mark {
	PMB_MARK_NONE,
	PMB_MARK_TARGET,
	PMB_MARK_ARMED, /* becomes TARGET at its next exec */
};

/* How the overflow program knows the weight of an overflow. */
enum pmb_weight {
	PMB_WEIGHT_PERIOD,     /* the period that the kernel reports: exact with a fixed one */
	PMB_WEIGHT_GRID,       /* the period on the counter that ends here; others passed unseen */
	PMB_WEIGHT_CLOCK_CPU,  /* expirations of a timer that runs all the time */
	PMB_WEIGHT_CLOCK_TASK, /* expirations of a timer that runs while its task does */
	PMB_WEIGHT_COUNT,      /* what the counter counted since the last overflow on this CPU */
};

/* Whether probes that open and close windows are in place. */
enum pmb_paused {
	PMB_PAUSED_NOT,
	PMB_PAUSED,
	PMB_PAUSED_OVER, /* they are taken out for good */
};

/* What opens and closes windows; outside of them overflows are counted as closed. */
enum pmb_windows {
	PMB_WINDOWS_NONE,
	PMB_WINDOWS_LOOP,     /* from the end of a call that waits to the next */
	PMB_WINDOWS_SYSCALL,  /* from a call's beginning to its end */
	PMB_WINDOWS_RUN,      /* from switch to switch */
	PMB_WINDOWS_BETWEEN,  /* from one probe to another */
	PMB_WINDOWS_TOGGLE,   /* from a probe to the next time that it is met */
	PMB_WINDOWS_HITS,     /* the same, and the next begins where one ends (stat) */
	PMB_WINDOWS_FUNCTION, /* a call: from a function's entry until it is left */
	PMB_WINDOWS_KERNEL,   /* the same of a function of the kernel */
};

enum {
	PMB_EXIT_PLACES = 4096, /* that are told apart: of a page */
	PMB_KEPT_UNKNOWN = 0xffff,
	PMB_EXIT_STEPPED = 0x80, /* the kernel single-steps the instruction */
};

enum { PMB_CALLS = 512 /* numbers of system calls */ };

/* How the program knows what an overflow interrupted. */
enum pmb_want_interrupted {
	PMB_INTERRUPTED_NOT_WANTED,
	PMB_INTERRUPTED_HERE,    /* it happens where the program is run: a fault, a breakpoint */
	PMB_INTERRUPTED_BENEATH, /* it comes by an interrupt of its own */
};

/* Which calls of a number are meant. */
enum pmb_call {
	PMB_CALL_NONE,
	PMB_CALL_ANY,
	PMB_CALL_FUTEX, /* where a condition variable waits, not where a lock does */
	PMB_CALL_THIRD, /* whose third argument isn't 0 */
};

/* Of one CPU. */
struct pmb_window_stats {
	__u64 began, ended;
	__u64 ends_lost;       /* ends that found no room in the ring */
	__u64 no_room;         /* that could not begin: more threads than there is room for */
	__u64 began_before;    /* first seen at an overflow in them */
	__u64 nested;          /* that would have begun inside of one */
	__u64 abandoned;       /* over without an exit that was met, or when probes went */
	__u64 caught;          /* of those that ended, of threads: where an exception was caught */
	__u64 hits;            /* times that a probe was met */
	__u64 timed, timed_ns; /* of these, at whose end the clock was read, too */
	/* hits of probes in programs, where the kernel carries the instruction out, and of those at
	 * functions of the kernel; and hits where it single-steps the instruction */
	__u64 emulated, stepped;
	__u64 unwatched;       /* overflows of targets while no probe was in place */
	__u64 missed;          /* by the kernel: what opens or closes them was not called */
	__u64 ended_ns;        /* how long those that ended lasted, all together */
	__u64 by_duration[64]; /* of those that ended: 2^i ns and longer */
};

/* Of one CPU: what the probes of allocators met. */
struct pmb_alloc_stats {
	__u64 blocks, freed; /* that were told */
	__u64 blocks_lost;   /* not told: no room in the ring, or another thread had the scratch */
	__u64 frees_lost;    /* no room in the ring */
	__u64 no_room;       /* calls of more threads than there is room for */
	/* times that a probe was met: at what the kernel carries out, and what it steps */
	__u64 entries, exits;
	__u64 timed, timed_ns; /* of these, at whose end the clock was read, too */
};

/* Of one CPU: who was met that asked the kernel for memory. */
struct pmb_mapped_stats {
	__u64 mapped, unmapped; /* that were told */
	/* not told: the ring was half full, another thread had the scratch, or the kernel did not
	 * let us see their end */
	__u64 lost;
	__u64 unpaid;    /* told without their stacks, for the budget */
	__u64 ns;        /* that all of it took */
	__u64 hits;      /* of the probes, by anybody */
	__u64 others_ns; /* …and what those took that are no target's */
};

/* One program instance counts one event. */
struct pmb_config {
	__u64 cgroup_id;
	__u64 user_mask; /* bits of a user-space code address (arm64 keeps signatures above them) */
	__u32 event;
	__u32 filter; /* enum pmb_filter */
	__u32 cgroup_level;
	__s32 cgroup_subsys; /* index of the v1 controller, -1: the v2 hierarchy */
	__u32 max_frames;    /* of one side, <= PMB_MAX_FRAMES */
	__u32 ring_wake; /* wake the reader each time another so many bytes wait; power of two */
	__u8 want_user;
	__u8 want_kernel;
	__u8 want_addr;
	__u8 has_task_regs; /* bpf_task_pt_regs() and bpf_get_current_task_btf() exist */
	__u8 weight;        /* enum pmb_weight */
	__u8 by_table;      /* user stacks by unwind tables; 0: by frame pointers */
	__u8 live_period;   /* a clock whose period may change: the event itself is asked for it */
	__u8 want_data;     /* struct pmb_part_data; of events with addresses, and of clocks */
	__u32 n_reads;      /* counters that this clock reads at its overflows; <= PMB_MAX_READS */
	/* possible CPUs: counter i of a CPU stands at i * n_cpus + cpu in pmb_counters */
	__u32 n_cpus;
	__u32 read_event[PMB_MAX_READS];
	__u32 pidns; /* inode number of the pid namespace whose numbers are wanted; 0: the first */
	__u32 windows;    /* enum pmb_windows */
	__u64 after_ns;   /* a window counts from then on */
	__u32 want_lines; /* of interpreters' frames: where in their functions they stand */
	/* NMIs open windows, so nothing may hold a lock of the threads' map but them: it keeps a
	 * thread that has ended */
	__u32 keep_threads;
	__u64 off_min_ns; /* time without a CPU that is shorter isn't wanted */
	__u32 off_cpu;    /* its overflows are switches, and time without a CPU is what is wanted */
	__u32 sliced;     /* probes that open and close windows come and go (bpf/lib/paused.h) */
	__u32 by_process; /* a window is open in all of its process (bpf/lib/shared.h) */
	__u32 returns;    /* calls end at return probes, not at probed exits */
	__u32 want_context;     /* what threads say they work on (pmubpf/thread_context.h) */
	__u32 want_interrupted; /* enum pmb_want_interrupted */
	/* x86-64: from a CPU's struct rq to its preempt_count; 0: not known */
	__s64 count_beside_rq;
	__u32 want_branches; /* struct pmb_part_branches */
	__u32 want_sibling;  /* struct pmb_part_sibling */
	/* how far below its entry's stack pointer a call that is a window keeps its return
	 * address */
	__u32 kept; /* PMB_KEPT_UNKNOWN: nobody knows */
	/* windows are calls of goroutines, and begin again where this condition, 1 + which, holds
	 * at their entry (bpf/lib/goroutine.h) */
	__u32 of_go, grows;
	__u32 patient; /* stacks that are copied wake the reader as other records do */
};

/*
 * The kernel side's half of the ledger, per event and CPU. seen = emitted + filtered + closed +
 * Σ dropped, but for PMB_DROP_UNSEEN: those are added to seen when the books are closed. Of an
 * event that is read at a clock's overflows, readings take the place of overflows.
 */
struct pmb_stats {
	__u64 seen;
	__u64 emitted;
	__u64 filtered;
	__u64 weight_seen;
	__u64 weight_emitted;
	__u64 weight_filtered;
	__u64 stacks_sent;  /* stack records that left */
	__u64 stacks_known; /* stacks not sent because their id was known */
	__u64 stacks_lost;  /* stack records that found no room */
	__u64 ring_bytes;   /* written into the rings, their 8-byte headers not counted */
	/* Expirations of a clock's timer for which no overflow came. Those during one run of one
	 * task are in the weight of its next overflow (late); of the others nobody knows whose they
	 * were (skipped). */
	__u64 late;
	__u64 skipped;
	__u64 weight_idle; /* of overflows in the idle task */
	__u64 stack_dumps_sent;
	__u64 stack_dumps_lost; /* found no room */
	__u64 dropped[PMB_N_DROPS];
	__u64 weight_dropped[PMB_N_DROPS];
	__u64 weight_skipped; /* of expirations that are skipped */
	__u64 timed;          /* overflows at whose end the clock was read, too */
	__u64 timed_ns;
	__u64 objects_sent; /* of interpreters */
	__u64 closed;       /* overflows outside of windows; 0 where none are asked for */
	__u64 weight_closed;
	__u64 branches_seen; /* branch records that came with overflows of targets… */
	__u64 branches_lost; /* …and of these, those whose sample found no room */
};

/* An event's last overflow on a CPU. */
struct pmb_last {
	__u64 at;     /* the clock or the count */
	__u64 run;    /* of a clock: whose run it was */
	__u64 period; /* PMB_WEIGHT_GRID: as it was reported; so long is the period that began */
};

/* Of how many overflows of an event on a CPU one is timed. */
enum { PMB_TIMED_EVERY = 16 };

#endif
