/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What processes.c and locate.c share. */
#ifndef PMUBPF_PROC_PROCESSES_INTERNAL_H
#define PMUBPF_PROC_PROCESSES_INTERNAL_H

#include "base/fair_room.h"
#include "base/hash.h"
#include "proc/processes.h"

struct process {
	uint32_t tgid;
	uint32_t parent_tgid; /* of a fork whose parent was unknown then */
	uint64_t serial;      /* of this process: numbers are reused, this isn't */
	uint64_t generation;
	uint64_t cgroup; /* 0: not known */
	struct mappings *maps;
	/* mappings there were after the last reading that gathering made necessary */
	size_t maps_read;
	uint64_t snapshot_time; /* when /proc was read; 0: not */
	uint64_t exec_arrived;  /* time of the latest exec known to have happened */
	uint64_t covered_from;  /* life records tell everything since; 0: nothing told yet */
	uint64_t exit_time;     /* of the leader; 0: alive as far as known */
	uint64_t last_sample;
	/* read again, since records were lost; in force for samples from fresh_from on */
	struct mappings *fresh;
	uint64_t fresh_from, fresh_time;
	uint64_t known_time; /* what was lost before that has no part in it */
	uint64_t again_from; /* when it may be read again at the earliest, */
	uint64_t again_wait; /* and how long was waited for that */
	uint64_t look_from;  /* once it has exited: when to look again whether it is gone, */
	uint64_t look_wait;  /* and how long was waited for that */
	uint32_t jit_file;   /* in files; 0: not asked for yet */
	uint32_t jit_dump;   /* in files; 0: none */
	/* how far the files of its mappings were looked for, since when they are as they are, and
	 * when that is to go on */
	size_t pinned_to;
	uint64_t pinned_generation, pin_from;
	uint64_t looked_generation; /* as of which it was looked for a runtime's code, */
	bool code_left;             /* which is not to be looked for again, */
	bool code_waits;            /* or only once there is a place for it */
	bool starting;              /* after an exec, before the first sample in the new program */
	UT_hash_handle hh;
};

struct processes {
	struct process *by_tgid;
	struct files *files;
	uint64_t generations;
	size_t n_exited;
	uint64_t search_from; /* not before that, unless they are many */
	size_t after_search;  /* processes there were after the last search for lost exits */
	uint64_t lost_time;   /* records of before that were lost, of whomever */
	uint64_t again_from;  /* when anything may be read again because of that */
	/* processes that are read for the first time: each takes the opener and us 0.1 ms, and
	 * there may be thousands of which nobody has heard before */
	struct fair_turn turn;
};

static inline struct fair_who process__who(const struct process *p)
{
	return (struct fair_who){p->tgid, p->cgroup};
}

/* The file of its anonymous code. */
void process__found_jit(struct processes *all, struct process *p);

#endif
