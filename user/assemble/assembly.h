/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From records to a profile and its part of the ledger. Records come as they are drained, are put
 * into the order of time, and become rows once nothing older can come. Pure: no I/O, no libbpf;
 * what it needs of the kernel side is a struct of functions.
 */
#ifndef PMUBPF_ASSEMBLE_ASSEMBLY_H
#define PMUBPF_ASSEMBLE_ASSEMBLY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assemble/chains.h"
#include "assemble/dumps.h"
#include "assemble/queue.h"
#include "assemble/stacks.h"
#include "assemble/windows.h"
#include "base/fair_room.h"
#include "model/blocks.h"
#include "model/mapped.h"
#include "model/branch_records.h"
#include "model/contexts.h"
#include "model/labels.h"
#include "model/ledger.h"
#include "model/pages.h"
#include "model/profile.h"
#include "model/sites.h"
#include "proc/cgroups.h"
#include "proc/processes.h"
#include "unwind/walk.h"

/* What it needs of the kernel side. All get ctx first, as those below. */
struct assembly_fns {
	uint64_t (*now)(void); /* CLOCK_MONOTONIC, ns */
	/* The process may be, or become, a target: its files are opened early. */
	bool (*may_be_sampled)(void *ctx, uint32_t tgid);
	/* The kernel's idle loop is there. */
	bool (*is_idle)(void *ctx, uint64_t ip);
	/* The sample's cgroup is one of those asked for; else it is left out. NULL: all are. */
	bool (*is_wanted)(void *ctx, const struct pmb_sample *sample);
	/* The event's overflows are page faults. NULL: none's are. */
	bool (*is_page_fault)(void *ctx, uint32_t event);
	/* The NUMA node of a physical address; -1: it isn't known. NULL: none's is. */
	int (*data_node)(void *ctx, uint64_t phys);
	/* The name of a key in what a process's threads work on; NULL: not known. */
	const char *(*context_key)(void *ctx, uint32_t tgid, unsigned key);
	/* The kernel side sends the stack again when it meets it next. NULL: it doesn't. */
	void (*forget_stack)(void *ctx, uint64_t id);
};

/* How stacks are walked by unwind tables. */
struct assembly_tables {
	/* Walks a copied stack, as unwind_walk(), for a sample of that cgroup. A table that is
	 * missing is asked for; ret->missing is 0 if there is none for now. */
	enum pmb_unwind_status (*walk)(void *ctx, const struct mappings *maps,
				       const struct pmb_stack_dump *dump, uint64_t cgroup,
				       struct late_stack *ret);
	/* It was asked for, and there is no answer yet. */
	bool (*awaits)(void *ctx, uint32_t file);
	/* The stack of a sample, as it is accounted. NULL: nobody wants to know. */
	void (*went_through)(void *ctx, uint32_t user_stack, enum pmb_unwind_status end);
	/* Is there code of the function that runs an interpreted program? NULL: nowhere. */
	enum pmb_eval (*interpreter)(void *ctx, uint32_t file, uint64_t off);
};

/* What others want to know as it goes on. */
struct assembly_watch {
	/* In the order of time: a process as a sample has it; what has happened to one. */
	void (*met)(void *ctx, const struct pmb_sample *sample, struct process *process);
	void (*lived)(void *ctx, const struct life *life);
	/* Around the account of each sample; and after each that had waited. */
	void (*before)(void *ctx, const struct decoded *rec);
	void (*after)(void *ctx);
	void (*between)(void *ctx);
};

struct assembly_opts {
	const struct assembly_fns *fns;
	const struct assembly_tables *tables; /* NULL: there are none */
	const struct assembly_watch *watch;   /* NULL: nobody does */
	void *ctx;
	size_t n_events;
	const size_t *numbers; /* what events are called in the profile; borrowed; NULL: as here */
	unsigned labels;       /* enum row_label, added up */
	struct window_opts windows;
	uint64_t addr_mask;              /* applied to data addresses */
	bool interpreter_frames;         /* keep those between frames of what it runs */
	int n_cpus;                      /* possible */
	size_t max_memory;               /* for stacks and what is counted by them; 0: any */
	uint64_t grid_ns;                /* a step of LABEL_TIME */
	struct files *files;             /* borrowed */
	struct objects *objects;         /* the same; NULL: interpreters have none */
	struct sites *sites;             /* the same; NULL: nobody asks who touched pages first */
	struct contexts *contexts;       /* the same; NULL: nobody asks what threads work on */
	struct branch_records *branches; /* the same; NULL: nobody asks for branch records */
	bool kernel_branches;            /* those from and to the kernel, too */
	bool between_branches;   /* nothing left the code between two that come one by one */
	bool allocs;             /* allocators are asked for: who allocated blocks */
	struct profile *profile; /* borrowed, and handed out by the first cut; NULL: its own */
};

struct assembly {
	struct assembly_opts opts;
	struct profile *profile;
	bool lent; /* it isn't ours */
	bool shrunk;
	struct ledger books; /* the columns that are filled in here, since the last cut */
	struct processes *processes;
	uint64_t swept_ns; /* they were looked through up to then */
	struct queue queue;
	struct fair_room life_room; /* in queue, in bytes */
	struct raw_stacks stacks;
	struct dumps dumps;
	struct chains chains;
	struct windows windows;
	struct pages pages;
	struct blocks blocks;
	struct mapped mapped;
	struct late *late; /* samples that wait for a table */
	size_t n_late, cap_late;
	uint64_t moments_from_ns; /* the first step of LABEL_TIME begins */
	bool *cpu_sampled;        /* [event * n_cpus + cpu] */
};

void assembly__init(struct assembly *a, const struct assembly_opts *opts);
void assembly__done(struct assembly *a);
/* The recording begins now (CLOCK_MONOTONIC): moments are counted from there. */
void assembly__start_timeline(struct assembly *a, uint64_t now_ns);

/* A record from a ring: a stack, a dump, or a sample, which waits. */
void assembly__record(struct assembly *a, const void *data, size_t size);
void assembly__life(struct assembly *a, const struct life *life);
/* Blocks of before `time` of a process (0: of all) are not known any more: frees of them may have
 * been missed since. */
void assembly__forget_blocks(struct assembly *a, uint32_t tgid, uint64_t time);
/* The same of who called the kernel for memory: calls were missed. */
void assembly__forget_mapped(struct assembly *a, uint64_t time);
/* What happened at or before the horizon becomes rows: nothing older can come. */
void assembly__settle(struct assembly *a, uint64_t horizon);
/* Gives up what is no longer needed once that is settled. */
void assembly__tidy(struct assembly *a, uint64_t horizon);

/* Memory was refused: tables may hold what they hold now, and no more from now on; if refused again
 * then, less. */
void assembly__shrink(struct assembly *a);

/* One part of a recording. Both are the caller's. */
struct assembled {
	struct profile *profile;
	struct ledger books;
};
/*
 * Settles up to the boundary (UINT64_MAX: all that has come) and hands out what was assembled since
 * the last cut. What is not settled, or waits for a table, becomes part of the next: it is in the
 * books of both, carried out and in.
 */
struct assembled assembly__cut(struct assembly *a, uint64_t boundary);

/* Tries those that wait for tables once more. last: they wait no longer, and are accounted as
 * they are. */
void assembly__retry(struct assembly *a, bool last);

/* Weight that belongs to no program, charged to the comm `what`. */
void assembly__charge(struct assembly *a, size_t event, const char *what, uint64_t weight);

/* Marks the files that rows of a profile refer to, for files__sweep. */
void profile__keep_files(const struct profile *profile, struct files *files);
/* Marks the files that rows, processes and waiting samples refer to, for files__sweep. */
void assembly__keep_files(const struct assembly *a);
/* The same for cgroups__sweep: of a profile's rows; of rows and waiting samples. */
void profile__keep_cgroups(const struct profile *profile, struct cgroups *cgroups);
void assembly__keep_cgroups(const struct assembly *a, struct cgroups *cgroups);
/* Sets used[number] for each file that somebody may still have to be walked through. */
void assembly__mark_files(const struct assembly *a, bool *used, size_t n_used);

#endif
