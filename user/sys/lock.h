/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One process at a time. */
#ifndef PMUBPF_SYS_LOCK_H
#define PMUBPF_SYS_LOCK_H

/* Locks the file or folder of that descriptor until that is closed; whoever has it may just be
 * ending, and is waited for so many ms. 0, -EWOULDBLOCK: another one has it; or another negative
 * errno. */
int lock_alone(int fd, int wait_ms);

#endif
