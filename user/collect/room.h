/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much of the kernel's memory CPUs get: what is made for each of them is smaller where there
 * are many, so that all of it together has a bound. Pure.
 */
#ifndef PMUBPF_COLLECT_ROOM_H
#define PMUBPF_COLLECT_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "pmubpf/budgets.h"

enum {
	ROOM_RING_BYTES = 1024 * 1024, /* of a CPU, where there is room */
	ROOM_RING_LEAST = 64 * 1024,   /* however many there are; a page, if that is more */
	ROOM_RINGS_BYTES = BUDGET_RINGS_MIB * 1024 * 1024, /* of all of them */
	ROOM_DUMPS_BYTES =
		BUDGET_DUMP_ROOM_MIB * 1024 * 1024, /* where stacks are copied, of all CPUs */
	ROOM_SIDEBAND_BYTES = BUDGET_SIDEBAND_MIB * 1024 * 1024, /* side-band rings of all CPUs */
};

/* The size of a ring, a power of two. */
size_t room_ring_bytes(int n_cpus);
/* From CPU 0 to the highest that is online, and some for those that may come; each takes
 * dump_bytes. */
uint32_t room_dumps(int highest_cpu, int n_possible, size_t dump_bytes);
/* How often bytes are to be halved for n_cpus of them to fit into side-band's room, at_most. */
int room_sideband_halvings(size_t bytes, int n_cpus, int at_most);

#endif
