/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What processes of ours use. A process that has gone has used nothing. */
#ifndef PMUBPF_SYS_USAGE_H
#define PMUBPF_SYS_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CPU time so far, ns; pid 0: of this process. */
uint64_t usage_cpu_ns(pid_t pid);
/* The same of this thread. */
uint64_t usage_thread_ns(void);
/* Time so far that it wanted to run and found no CPU. 0 where the kernel doesn't say. */
uint64_t usage_delayed_ns(pid_t pid);
/* Sleeping, as who waits for a lock, a device or a server does, not for a CPU. Only for processes
 * of ours: who looks at another's may have to wait for it. */
bool usage_sleeps(pid_t pid);
/* The most memory it had at a time (VmHWM); pid 0: this process. */
uint64_t usage_rss_bytes(pid_t pid);
/* What the kernel says a BPF map of ours takes. */
uint64_t usage_map_bytes(int map_fd);

#endif
