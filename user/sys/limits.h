/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef PMUBPF_SYS_LIMITS_H
#define PMUBPF_SYS_LIMITS_H

/* Counters take a descriptor per CPU or task, and shells allow 1024: raises the soft limit to the
 * hard one. Best effort. */
void raise_fd_limit(void);
/* The soft limit now. */
unsigned long fd_limit(void);
/* How many descriptors are open, those included that whoever started us left open. */
unsigned long fds_open(void);
/* What a command takes of the stack, what is on it at the call included. */
unsigned long stack_kb_needed(void);
/* Raises a soft limit below that. 0, or the hard limit in kB, where that is lower. */
unsigned long raise_stack_limit(void);
/* Back to what they were: a profiled command must not notice. */
void restore_limits(void);

#endif
