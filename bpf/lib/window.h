/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the user stack that scratch.window is a copy of: one read costs as much as a
 * kilobyte. */
#ifndef PMUBPF_BPF_WINDOW_H
#define PMUBPF_BPF_WINDOW_H

#include "lib/maps.h"

/* The smallest of any architecture: a read that fails may have met a hole behind it. */
enum { PAGE_BYTES = 4096 };

/* Copies the stack from `addr` on; near the end of the mapping, only to the end of addr's page, but
 * `need` bytes at least. */
static __always_inline bool window_load(struct scratch *s, struct window *w, __u64 addr, __u64 need)
{
	__u64 size = PAGE_BYTES - (addr & (PAGE_BYTES - 1));

	w->start = addr;
	w->size = WINDOW_BYTES;
	if (!bpf_probe_read_user(s->window, WINDOW_BYTES, (void *)addr))
		return true;
	if (size < need)
		size = need;
	if (size > WINDOW_BYTES)
		size = WINDOW_BYTES;
	w->size = size;
	return !bpf_probe_read_user(s->window, size, (void *)addr);
}

#endif
