/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What /proc says. Kernel text is read by cursors over lines; a line that doesn't parse is
 * skipped. */
#ifndef PMUBPF_SYS_PROCFS_H
#define PMUBPF_SYS_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The whole of a small file as a string (caller frees), or NULL with errno. */
char *file_read(const char *path);
/* Its first line, without the end of it; else as file_read. */
char *file_read_line(const char *path);
/* As above for one unsigned number; `otherwise` if it can't be read. */
uint64_t file_read_u64(const char *path, uint64_t otherwise);

/* One executable mapping. path is borrowed for the duration of the call. */
struct map_line {
	uint64_t start, end, file_off;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *path; /* "" when anonymous; kernel escapes undone; " (deleted)" stripped */
};

typedef void (*map_line_fn)(void *ctx, const struct map_line *line);
/* One line of /proc/PID/maps (modified in place). False: not a mapping, or not executable. */
bool procfs_parse_map(char *line, struct map_line *ret);
/* The same, executable or not. */
bool procfs_parse_any_map(char *line, struct map_line *ret);

/* Thread ids of a process, ascending; caller frees *ret_tids. Returns their number or -errno. */
int procfs_threads(pid_t tgid, pid_t **ret_tids);

struct proc_status {
	pid_t tgid;
	pid_t ns_tgid; /* as the innermost pid namespace of the process numbers it */
	uid_t euid;
};
int procfs_status(pid_t tid, struct proc_status *ret);
/* The parser behind it. -EIO: not such a text. */
int procfs_parse_status(const char *text, struct proc_status *ret);

/* CPU time of a thread so far, ns; 0: it has ended, or the kernel doesn't say. */
uint64_t procfs_ran_ns(pid_t tid);
bool procfs_task_exists(pid_t tid);
/* The first thread of a process, or once that has ended another one that hasn't; tgid if there is
 * none. /proc/TID has what /proc/TGID shows no longer. */
pid_t procfs_living_thread(pid_t tgid);

/* The inode number of our pid namespace if it lies below the first, else 0: then process ids here
 * aren't those that the kernel counts by. */
uint32_t procfs_nested_pid_namespace(void);
/* True if /proc shows our pid namespace and not another one's. */
bool procfs_is_ours(void);

/* Time that each CPU spent idle since boot, ns (from /proc/stat, in clock ticks); index = CPU. */
int procfs_idle_ns(uint64_t *ret_idle, int n_cpus);
/* How many threads run or want to, now, on all CPUs together; 0: not known. */
uint64_t procfs_wanting(void);

#endif
