/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread that waits in the futex call waits for: a runtime's lock, as its stack tells. */
#ifndef PMUBPF_PROF_WAITED_LOCK_H
#define PMUBPF_PROF_WAITED_LOCK_H

#include <stddef.h>
#include <stdint.h>

struct prof;

/* stack: locations, leaf first. The word for it, or NULL: it is none that is known. */
const char *waited_lock(const struct prof *p, const uint32_t *stack, size_t n);

#endif
