/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind tables: .eh_frame made small, and the one step that they allow from a frame to its caller.
 * The same step runs in the overflow program, in user space over a copied dump of a stack, and in
 * the tests.
 *
 *   pc ── mapping ──► file, offset in the file
 *   offset >> 16 ──► page: a run of rows      offset & 0xffff ──► the last row that is not above it
 *   row ──► rule: where the caller's stack pointer, frame pointer and return address are
 *
 * Tables know file offsets, not addresses: a mapping says all that is needed to get there.
 */
#ifndef PMUBPF_UNWIND_H
#define PMUBPF_UNWIND_H

#include "pmubpf/budgets.h"
#include "pmubpf/lists.h"
#include "pmubpf/python.h"

/* The architectures that have them; the others walk by frame pointers. */
#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_UNWIND_TABLES 1
#else
#define HAS_UNWIND_TABLES 0
#endif

enum {
	PMB_PAGE_SHIFT = 16, /* bytes of code that one run of rows covers */
	PMB_UNWIND_ROW_MAX = 1 << PMB_PAGE_SHIFT,
	PMB_UNWIND_RULE_MAX = 1 << 16, /* of one file */
	PMB_UNWIND_REGS = 34,          /* words of user registers: the largest struct arch_regs */
};

/*
 * A row: the low 16 bits of the offset where its rule begins to hold, and the number of the rule in
 * its file. It holds up to the next row of the page. The first row of a page begins at 0 of that
 * page.
 */
#define PMB_ROW(low, rule) ((__u32)(low) << 16 | (__u32)(rule))
#define PMB_ROW_LOW(row) ((row) >> 16)
#define PMB_ROW_RULE(row) ((row)&0xffff)

/* The rows of one page of code. */
struct pmb_unwind_page {
	__u32 first; /* in a table: of its rows; in the kernel: of all rows */
	__u32 n;     /* 0: no code here */
};

/* Where the caller's stack pointer is, which is the CFA. */
enum pmb_cfa {
	PMB_CFA_NONE,      /* nothing is known of this code */
	PMB_CFA_END,       /* the outermost frame */
	PMB_CFA_SP,        /* sp + cfa_off */
	PMB_CFA_FP,        /* fp + cfa_off */
	PMB_CFA_REG,       /* reg + cfa_off; only where all registers are known */
	PMB_CFA_SP_DEREF,  /* *(sp + cfa_off) + cfa_add */
	PMB_CFA_FP_DEREF,  /* *(fp + cfa_off) + cfa_add */
	PMB_CFA_REG_DEREF, /* *(reg + cfa_off) + cfa_add; as PMB_CFA_REG */
	PMB_CFA_PLT,       /* sp + 8, + 8 more from byte cfa_off of each 16 on (x86-64) */
	PMB_CFA_SIGNAL,    /* the kernel's signal frame: all registers are on the stack */
	/* by the frame pointer instead of a table; cfa_off: 0, or one of those below */
	PMB_CFA_FRAME,
	PMB_CFA_UNSUPPORTED, /* described by an expression that is none of these */
	PMB_N_CFA,
};

/* Go changes to the thread's own stack for its runtime and for C: the caller's frame may be
 * anywhere. That such a walk ends is the frame limit's doing, if the stack is corrupt. */
enum {
	PMB_OTHER_STACKS = 1,
	/* In a file that has a table: code that it says nothing of, and much of it: a runtime's,
	 * such as V8's builtins. That it keeps frame pointers is a guess. */
	PMB_WITHOUT_RULE = 2,
};

/* Where the caller's frame pointer is. */
enum pmb_fp {
	PMB_FP_SAME,
	PMB_FP_CFA, /* saved at CFA + fp_off */
	PMB_FP_FP,  /* saved at fp + fp_off */
	PMB_N_FP,
};

/* Where the return address is. */
enum pmb_ra {
	PMB_RA_CFA, /* saved at CFA + ra_off */
	PMB_RA_LR,  /* in the link register (arm64) */
	PMB_RA_REG, /* in reg; only where all registers are known */
	PMB_RA_FP,  /* saved at fp + ra_off */
	PMB_N_RA,
};

/*
 * Where the caller's other registers are that a function leaves as they were (x86-64: rbx, r12…r15,
 * the order of the psABI; elsewhere nothing is said of any). Three bits each: 0: as they are, 1…6:
 * saved at CFA - 8 - 8 × that, where pushes put them; PMB_SAVED_ELSEWHERE: it isn't known.
 */
enum {
	PMB_SAVED_REGS = 5,
	PMB_SAVED_BITS = 3,
	PMB_SAVED_ELSEWHERE = 7,
	PMB_SAVED_UNKNOWN = 0x7fff, /* all of them */
};
#define PMB_SAVED_AT(saved, i) ((saved) >> (i)*PMB_SAVED_BITS & PMB_SAVED_ELSEWHERE)

struct pmb_unwind_rule {
	__u8 cfa; /* enum pmb_cfa */
	__u8 reg; /* index of a word in the architecture's struct arch_regs; with PMB_RA_FP as in
		     pmubpf/hotspot.h */
	__u8 fp;  /* enum pmb_fp */
	__u8 ra;  /* enum pmb_ra */
	__s32 cfa_off;
	__s16 cfa_add;
	__s16 ra_off;
	__s16 fp_off;
	__u16 saved;
};

/*
 * The table of a file, as the helper process writes it:
 * this head, n_pages pages (the first is that of offset first_page << 16), n_rules rules, n_rows
 * rows, and (has_runtime) a struct pmb_runtime.
 */
struct pmb_table_head {
	__u32 magic; /* PMB_TABLE_MAGIC */
	__u32 first_page;
	__u32 n_pages;
	__u32 n_rules;
	__u32 n_rows;
	__u32 n_unsupported; /* rows whose rule is PMB_CFA_UNSUPPORTED */
	__u32 n_bad;         /* FDEs that contradict themselves or the file: left out */
	__u32 has_runtime;   /* enum pmb_runtime_state: the last part describes an interpreter */
};
#define PMB_TABLE_MAGIC 0x31776e75 /* "unw1" */

/*
 * A program's first function has no caller, and often no rule (those of ld.so and of musl): it is
 * the one whose stack pointer still is what the kernel began with, rounded down at most.
 */
#define PMB_OUTERMOST(sp, stack_top) ((stack_top) - (sp) < 16)
/* Nothing but that function can stand there: what is called has its return address below. Whatever
 * rule was made of its instructions (ld.so's _start has no other) would take argc for one. */
#define PMB_AT_THE_TOP(sp, stack_top) ((sp) == (stack_top))

/* What is known of a frame. */
struct pmb_frame {
	__u64 ip, sp, fp, lr;
	__u32 exact; /* ip is the instruction at hand, not a return address; lr is the program's */
	__u16 has_regs; /* other registers are known: in the innermost frame all */
	__u16 sp_low;   /* sp is not above what it was, and may be below */
};

/*
 * What user space writes and the overflow program reads. Both have it mapped; nothing is locked. So
 * user space writes what is new where nothing refers to, then the word that refers to it; and what
 * isn't referred to any more it leaves alone until no run of the program can still be reading it.
 */
enum {
	PMB_FILES_MAX = 16384,
	/* Numbers of files are below it; those above are of parts of large files. */
	PMB_TABLE_FILES = PMB_FILES_MAX - 4096 - 1,
	PMB_PAGES_MAX = 65536,        /* 4 GiB of code */
	PMB_RULES_MAX = BUDGET_RULES, /* of all files */
	PMB_CHUNK_ROWS = 1 << 18,     /* 1 MiB; the rows of a page lie in one chunk */
	PMB_CHUNKS_MAX = BUDGET_ROWS_MIB,
	PMB_MAPPINGS_MAX = 65536,
	PMB_LIST_MAX = BUDGET_MAPPINGS, /* mappings of one process */
	PMB_PROCESSES_MAX = BUDGET_PROCESSES,
};

enum pmb_file_state {
	PMB_FILE_NONE,   /* no table, or not yet */
	PMB_FILE_TABLE,  /* it has one */
	PMB_FILE_FRAMES, /* code with frame pointers, as far as anybody knows */
	PMB_FILE_NEVER,  /* it can't be read, or there is no room: don't wait for it */
	PMB_FILE_GROWS,  /* it has one, which will know later what it doesn't yet */
};

/* By the number of the file in user space; 0 stands for code in no file. */
struct pmb_unwind_file {
	__u32 state; /* enum pmb_file_state; written last */
	__u32 first_page;
	__u32 n_pages;
	__u32 pages_at;
	__u32 rules_at;
};

struct pmb_code {
	struct pmb_unwind_file file[PMB_FILES_MAX];
	struct pmb_unwind_page page[PMB_PAGES_MAX];
	struct pmb_unwind_rule rule[PMB_RULES_MAX];
};

struct pmb_chunk {
	__u32 row[PMB_CHUNK_ROWS];
};

struct pmb_mapping {
	__u64 start, end; /* [start, end) */
	__u64 file_off;   /* of start */
	__u32 file;
	__u32 list; /* which list it belongs to */
};

struct pmb_mappings {
	struct pmb_mapping of[PMB_MAPPINGS_MAX];
};

/* The executable mappings of a process, ascending, from `at` on. A forked child shares its
 * parent's. */
struct pmb_process {
	__u32 at;
	__u32 n;          /* 0: none yet, only its interpreter is known */
	__u32 list;       /* no two lists have the same number */
	__u32 runtime;    /* 0: none; of pmb_pythons: its interpreter, */
	__u64 runtime_at; /* and where its _PyRuntime lies */
	__u64 stack_top;  /* mm->start_stack: changes at exec; of another the list isn't true */
};

#endif
