/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef PMUBPF_SYS_LIMITS_H
#define PMUBPF_SYS_LIMITS_H

/* Counters take a descriptor per CPU or task, and shells allow 1024: raises the soft limit to the
 * hard one. Best effort. */
void raise_fd_limit(void);
/* The soft limit now. */
unsigned long fd_limit(void);
/* Back to what it was: a profiled command must not notice. */
void restore_fd_limit(void);

#endif
