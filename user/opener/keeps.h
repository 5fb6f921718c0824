/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Descriptors that an opener is the last to close, for that may take as long as others like: of
 * files that a process serves; of probes, which the kernel takes out of all processes that have
 * their file mapped, and waits for a lock of each.
 */
#ifndef PMUBPF_OPENER_KEEPS_H
#define PMUBPF_OPENER_KEEPS_H

#include <stddef.h>

#include "opener/request.h"

struct opener_keeps {
	int lent; /* a file, until the next question: by then another has it, or it is of no use */
	int kept[OPENER_KEPT_MAX]; /* probes, until all are to be closed */
	size_t n_kept;
};

/* Of a probe, a copy of it; 0 or -errno: -EMFILE, there is no room. */
int opener_keeps__add(struct opener_keeps *keeps, int fd);
/* All probes; `closed` is called behind each. */
void opener_keeps__close(struct opener_keeps *keeps, void (*closed)(void *ctx), void *ctx);

#endif
