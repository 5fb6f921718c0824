/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF side, loaded: one instance of the overflow program per event (its number is in its
 * rodata, because attach cookies are lost in inherited events), all sharing one set of maps, and
 * the programs that follow fork and exec. Nothing is pinned: everything goes with this process.
 */
#ifndef PMUBPF_COLLECT_PROGRAMS_H
#define PMUBPF_COLLECT_PROGRAMS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "pmubpf/record.h"
#include "pmubpf/thread_context.h"
#include "sys/cgroup.h"
#include "sys/cpus.h"

struct gates;
struct gate_fds;

struct programs_opts {
	size_t n_events;
	const struct pmb_config
		*configs;          /* one per event; event and ring_wake are filled in here */
	const bool *sampled;       /* one per event: it overflows, so it gets a program */
	size_t n_reads;            /* counters that one of the programs reads */
	const struct cpus *cpus;   /* that are here: each gets a ring */
	size_t ring_bytes;         /* of each; a power of two of at least a page */
	size_t rings_bytes;        /* of those that are made later, with all others; 0: any */
	bool follow;               /* load the fork and exec programs */
	bool inherit;              /* children of targets are targets */
	bool by_table;             /* unwind tables will be given */
	bool by_container;         /* cgroups will be marked */
	uint32_t pidns;            /* as in struct pmb_config */
	const struct gates *gates; /* NULL: no windows */
	const struct pmb_config *off_cpu; /* of `configs`; NULL: none is of time without a CPU */
};

struct programs;

int programs__load(struct programs **ret, const struct programs_opts *opts, struct err *err);
struct programs *programs__free(struct programs *programs);

int programs__overflow_fd(const struct programs *programs, size_t event); /* of a sampled one */
/* Counter number `read` of a CPU, opened there: what the clock's program reads. */
int programs__set_counter(struct programs *programs, size_t read, int cpu, int fd);
int programs__n_cpus(const struct programs *programs); /* possible ones */
/* A map of the overflow programs, for others to share; -ENOENT. */
int programs__map_fd(const struct programs *programs, const char *map);
/* How many CPUs may copy stacks. */
uint32_t programs__dump_room(const struct programs *programs);
/* Other programs that write into the same rings have such counters, of stacks: they are added to
 * those of the first event. The map is theirs, and outlives all questions. */
void programs__count_beside(struct programs *programs, int stats_fd);
/* For a CPU that came; -ENOBUFS: there is no room for another. */
int programs__add_ring(struct programs *programs, int cpu);
/* -1: none; cpu < programs__n_cpus() */
int programs__ring_fd(const struct programs *programs, int cpu);
int programs__mark(struct programs *programs, pid_t tid, enum pmb_mark mark);
void programs__mark_cgroup(struct programs *programs, uint64_t id, enum pmb_cgroup_mark mark);
/* From here on it passes the filter again, until it is marked. */
void programs__forget_cgroup(struct programs *programs, uint64_t id);
/* PMB_MARK_NONE if there are no marks. */
enum pmb_mark programs__marked(const struct programs *programs, pid_t tid);
/* As siblings__known(). */
int programs__siblings(const struct programs *programs, int *ret_pairs);
/* Time without a CPU (collect/off_cpu.h). */
struct off_threads programs__off_threads(const struct programs *programs);
/* No switch is looked at any more. */
void programs__off_stop(struct programs *programs);
/* The next overflow in this stack sends it again. */
void programs__forget_stack(struct programs *programs, uint64_t id);
/* What unwinding by tables reads, mapped. */
struct pmb_code *programs__code(const struct programs *programs);
struct pmb_mappings *programs__mappings(const struct programs *programs);
/* Makes another chunk of rows, the index'th; NULL: the kernel has no memory, or no descriptor is
 * left. */
struct pmb_chunk *programs__new_chunk(struct programs *programs, uint32_t index);
/* Of number: how an interpreter's frames are read, of processes that have that number. */
int programs__set_runtime(struct programs *p, uint32_t number, const struct pmb_runtime *runtime);
/* Where the process's threads say what they work on; NULL: it isn't known any more. */
void programs__set_context(struct programs *programs, uint32_t tgid,
			   const struct pmb_context_place *place);
/* list NULL: the process's mappings are no longer known. */
int programs__set_process(struct programs *programs, uint32_t tgid, const struct pmb_process *list);
/* What the maps take of the kernel's memory. */
uint64_t programs__map_bytes(const struct programs *programs);
/* The ledger of an event, added up over the CPUs. */
int programs__stats(const struct programs *programs, size_t event, struct pmb_stats *ret);
/* The same of a program that goes on: each CPU's columns as of a moment when no run was amid
 * them. -EAGAIN: such a moment was not met on some CPU, whose columns may be off by a run. */
int programs__settled_stats(const struct programs *programs, size_t event, struct pmb_stats *ret);
/* Of events that open and close windows. */
struct gate_fds programs__gate_fds(const struct programs *programs);
/* Of windows; added up over the CPUs. */
/* Probes that open and close windows; as in collect/gates.h. */
int programs__put_in(struct programs *programs, const struct gates *gates, struct err *err);
int programs__take_out(struct programs *programs, const struct gates *gates, bool over);
void programs__leave_ended(struct programs *programs, uint64_t now); /* collect/gates_left.h */
int programs__window_stats(const struct programs *programs, struct pmb_window_stats *ret);
/* Its last overflow on each CPU, 0 where there was none; ret has room for programs__n_cpus(). */
int programs__last(const struct programs *programs, size_t event, struct pmb_last *ret);

#endif
