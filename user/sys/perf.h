/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf_event_open(2) and the ring buffer that a perf fd can be mapped with. */
#ifndef PMUBPF_SYS_PERF_H
#define PMUBPF_SYS_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Returns a close-on-exec fd or a negative errno. */
int perf_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
/* The same into the group of an event of the same task and CPU; leader_fd -1: a group of its
 * own. */
int perf_open_in(const struct perf_event_attr *attr, pid_t tid, int cpu, int leader_fd);
/* The same for what runs in a cgroup and those below it while it runs on that CPU; dir_fd is its
 * folder in the hierarchy of perf_event (see cgroup__open). */
int perf_open_cgroup(const struct perf_event_attr *attr, int dir_fd, int cpu, int leader_fd);

/* Where a program's file is probed. */
struct perf_uprobe {
	const char *path; /* through /proc/self/fd, as well */
	uint64_t file_off;
	uint64_t counter_off; /* of what turns it on; 0: none */
	bool returns; /* a return probe: met when what begins there returns. It may harm programs */
};
/* In the process, or in all that map the file (-1). It reads the file, and may wait for its server.
 * -ENOENT: this kernel has none. */
int perf_open_uprobe(const struct perf_uprobe *probe, pid_t pid);

/* A kprobe at a function of the kernel, or where it returns, that programs can be attached to.
 * -ENOENT: this kernel has none. */
int perf_open_kprobe(const char *function, bool returns);

/* read(2) of an event opened with PERF_COUNT_READ_FORMAT. Returns 0 or a negative errno. */
struct perf_count {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};
#define PERF_COUNT_READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
int perf_read(int fd, struct perf_count *ret);

/* -errno with the sentence. */
int perf_enable(int fd, struct err *err);

/* The kernel-written ring of a perf fd: one control page and data_size bytes (a power of two). */
struct perf_ring {
	struct perf_event_mmap_page *control;
	uint8_t *data;
	size_t data_size;
	uint8_t *record; /* where a record that wraps around is put together; ours */
};

int perf_ring__map(struct perf_ring *ring, int fd, size_t data_size);
void perf_ring__unmap(struct perf_ring *ring);

/* Hands every waiting record to fn, oldest first, and gives its space back. */
typedef void (*perf_record_fn)(void *ctx, const struct perf_event_header *record);
void perf_ring__drain(struct perf_ring *ring, perf_record_fn fn, void *ctx);

#endif
