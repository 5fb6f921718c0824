/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whoever opens and reads what belongs to targets, in a process that can be given up: what it asks
 * the kernel for may wait on a lock that a target holds, or on a server that a target runs. The
 * main process never waits longer than OPENER_LATE_MS for something that sleeps (a second for a
 * task's counter and for a probe), and never longer than a request may take at all.
 *
 * NULL stands for opening in this process, for those who look at nobody else's: tests, report.
 */
#ifndef PMUBPF_OPENER_OPENER_H
#define PMUBPF_OPENER_OPENER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "opener/request.h"
#include "pmubpf/budgets.h"
#include "sys/procfs.h"

enum { OPENER_LATE_MS = BUDGET_LOOK_MS };

struct opener;

struct opener_work {
	uint64_t asked;
	uint64_t late;       /* given up */
	uint64_t refused;    /* not tried, because of who it is about */
	uint64_t stuck;      /* were killed and could not die, at most at a time */
	bool ended;          /* somebody ended it, or kept it from working: all else is refused */
	uint64_t longest_ns; /* opener__attended */
};

/* Best called before there is anything that it must not have. */
int opener__start(struct opener **ret, struct err *err);
struct opener *opener__free(struct opener *o);
/* No counters of tasks will be asked for any more: the privilege is given up by whoever touches
 * targets. */
void opener__settled(struct opener *o);
/*
 * From here on so much time may be lost to those who make us wait, all of them together; then
 * nothing is tried any more. Nor once stop_fd (-1: none) is readable.
 */
void opener__hurry(struct opener *o, uint64_t ns, int stop_fd);
void opener__hurry_no_more(struct opener *o);
struct opener_work opener__work(const struct opener *o);
/*
 * Whoever asks looks at signals and the clock now; waking: until now it has waited for these, among
 * others. The longest time between two looks is kept, without what it and the openers waited for a
 * CPU meanwhile: what others made it wait, and what it did itself.
 */
void opener__attended(struct opener *o, uint64_t now, bool waking);
/* Called each time that a question was given up: several in a row would be one wait. look NULL:
 * nobody. */
void opener__between(struct opener *o, void (*look)(void *ctx), void *ctx);
/* CPU time of all of them. */
uint64_t opener__cpu_ns(const struct opener *o);

/*
 * The questions. Each returns 0, a number or a descriptor, or a negative errno, among them
 * -ETIMEDOUT (given up) and -ECONNREFUSED (not tried). O may be NULL.
 */

struct opener_process {
	struct proc_status status; /* without its tgid */
	struct opener_root_id root_id;
	int root_fd; /* O_PATH, the caller's; -1: it is ours */
};
int opener__process(struct opener *o, pid_t tgid, struct opener_process *ret);

/* Calls fn for each executable mapping of a process. Returns how many there were, or -errno.
 * What had come before a failure has been told. */
int opener__maps(struct opener *o, pid_t tgid, map_line_fn fn, void *ctx);
/* The same for mappings by which a process publishes what it is (OTEP 4719). */
int opener__published(struct opener *o, pid_t tgid, map_line_fn fn, void *ctx);

struct mapped_file {
	uint64_t inode;
	uint64_t generation; /* 0: not known */
	uint64_t dev;        /* 0: not known */
	const char *path;    /* as the program names it */
};
/* The file that a process has mapped at [start, end), if it is that one. *ret_mnt_ns, where that
 * is known: 0 for ours. -OPENER_NO_FILE: it is none, and need not be asked for again. */
int opener__mapped(struct opener *o, pid_t tgid, uint64_t start, uint64_t end,
		   const struct mapped_file *file, uint64_t *ret_mnt_ns);
/* The same by a path of ours, if it is at hand. */
int opener__again(struct opener *o, const struct mapped_file *file);
/* A regular file inside a root (-1: ours) of that mount namespace. dev: where it may lie, 0: not
 * known. */
int opener__path(struct opener *o, int root_fd, uint64_t mnt_ns, uint64_t dev, const char *path);
/* As find_owned(). */
int opener__owned(struct opener *o, int root_fd, uint64_t mnt_ns, const char *path, uid_t owner);
/*
 * For the helper, to read: what was found, opened. Found is what the questions above answer:
 * O_PATH, so that closing it asks no server, or open, where there is none; what is lent the helper
 * takes out of the socket that it comes in (symd_fd__take_out), and closes. Of any other descriptor
 * it is a copy.
 */
int opener__lend(struct opener *o, int found, uint64_t mnt_ns, uint64_t dev);
/* Which file was found. */
int opener__which(struct opener *o, int found, uint64_t mnt_ns, struct opener_file_id *ret);
/* As perf_open_in() for a task. */
int opener__counter(struct opener *o, const struct perf_event_attr *attr, pid_t tid, int cpu,
		    int group_fd);
/* The same for whatever runs on a CPU. It is opened even when all else is settled: of one that
 * came later. */
int opener__cpu_counter(struct opener *o, const struct perf_event_attr *attr, int cpu,
			int group_fd);
/* A probe of a program's file that was found (perf_open_uprobe), in a process; tgid 0: in all that
 * map it. flags: OPENER_RETURNS, OPENER_AT_START: on a host with more work than CPUs it has as many
 * times the time.
 * -OPENER_SERVED: it is on FUSE, which could hold up every fork of the host. */
int opener__uprobe(struct opener *o, int found, uint64_t mnt_ns, uint64_t file_off,
		   uint64_t counter_off, pid_t tgid, unsigned flags);
/* An opener has a copy of this probe's descriptor from now on, and will be the last to close it:
 * the caller closes its own. Else it is the last itself. */
int opener__keep(struct opener *o, int fd);
/* Closes all that are kept. -ETIMEDOUT: a process that has a file of theirs mapped makes that wait;
 * the opener was given up, and goes on. */
int opener__close_kept(struct opener *o);
/* The same in many places of a file at once, with a program: one thing to the kernel, and closed in
 * the time of one. */
struct opener_places {
	int program_fd;
	uint64_t program_id; /* its number: of no other */
	const struct opener_place *list;
	size_t n; /* OPENER_PLACES_MAX */
};
int opener__uprobes(struct opener *o, int found, uint64_t mnt_ns,
		    const struct opener_places *places, pid_t tgid);
/* What is in a file, of at most so many bytes, as a file in memory: for when its own may not be
 * held any longer. */
int opener__copy(struct opener *o, int fd, uint64_t mnt_ns, uint64_t most);
/* A process's memory, to be read by offsets that are addresses. Closing it asks nobody. */
int opener__memory(struct opener *o, pid_t tgid);
/* The path of what a process runs, as it sees it itself; the caller's. NULL: not known. */
char *opener__exe(struct opener *o, pid_t tgid);
/* As cgroup_path_of(). */
char *opener__cgroup_path(struct opener *o, const char *hierarchy, uint64_t id);

/* NULL: not known; the caller's. */
struct opener_names {
	char *name, *pod, *image;
};
/* What a container's engine calls it, by the path of its cgroup and a process in it (0: none). */
int opener__container(struct opener *o, const char *path, pid_t tgid, struct opener_names *ret);

#endif
