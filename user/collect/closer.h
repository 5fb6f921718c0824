/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Closes descriptors where nobody waits for it, in a process of its own: of a probe in a program
 * the kernel takes 30 to 90 ms each, asleep. */
#ifndef PMUBPF_COLLECT_CLOSER_H
#define PMUBPF_COLLECT_CLOSER_H

#include <stddef.h>

struct closer;

struct closer *closer__start(void);
/* What it has is closed by and by, whether we are there or not. NULL is fine. */
void closer__free(struct closer *c);

/* The descriptor is its own from now on; without the process it is closed here. */
void closer__take(struct closer *c, int fd);
/* That are not closed yet. */
size_t closer__left(struct closer *c);

#endif
