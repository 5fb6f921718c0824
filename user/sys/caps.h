/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capabilities that recording needs, and whether this process has them. */
#ifndef PMUBPF_SYS_CAPS_H
#define PMUBPF_SYS_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* linux/capability.h of older distributions lacks the first three. */
enum {
	CAP_CHECKPOINT_RESTORE_NUMBER = 40,
	CAP_PERFMON_NUMBER = 38,
	CAP_BPF_NUMBER = 39,
	CAP_SYSLOG_NUMBER = 34,
};

struct cap_info {
	const char *name;
	unsigned number;  /* linux/capability.h */
	const char *lost; /* what doesn't work without it */
};
extern const struct cap_info cap_infos[];
extern const size_t n_cap_infos;

/* What opens counters of the kernel and of CPUs, as bits. */
uint64_t caps_to_count(void);

/* What sends descriptors to a process of ours however many others of its user have in flight
 * (sys/memory_file.h), as bits. */
uint64_t caps_to_hand_over(void);

bool cap__effective(unsigned number); /* from /proc/self/status */

#endif
