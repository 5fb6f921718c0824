/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader's end of the per-CPU ring buffers. */
#ifndef PMUBPF_COLLECT_RINGS_H
#define PMUBPF_COLLECT_RINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/programs.h"

struct rings;

typedef void (*ring_record_fn)(void *ctx, const void *data, size_t size);

/* ring_bytes: the size of each. */
int rings__open(struct rings **ret, const struct programs *programs, size_t ring_bytes,
		ring_record_fn fn, void *ctx, struct err *err);
/* The ring that a CPU got later. */
int rings__add_cpu(struct rings *rings, const struct programs *programs, int cpu);
struct rings *rings__free(struct rings *rings);
int rings__epoll_fd(const struct rings *rings); /* readable when a ring fills up */
/* Hands every record that was written until then (CLOCK_MONOTONIC, ns) to fn, and hardly a later
 * one:
 * so what a round takes in is bounded by the rings' size. */
void rings__drain(struct rings *rings, uint64_t until);
/* How full the fullest ring was when it was drained, of all drains since the last call: 0 to 1. */
double rings__most_fill(struct rings *rings);

#endif
