/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How to unwind through HotSpot's stubs: what it calls from compiled code and C, which push and pop
 * as they like. Each has a beginning, and what its instructions do to the stack is followed from
 * there (symd/code_frames.h).
 */
#ifndef PMUBPF_SYMD_HOTSPOT_STUB_H
#define PMUBPF_SYMD_HOTSPOT_STUB_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/unwind.h"

enum { HOTSPOT_STUB_ROWS_MAX = 16 * 1024 };

struct hotspot_stub {
	size_t n, cap;
	struct hotspot_stub_row {
		uint64_t at; /* from this address on */
		struct pmb_unwind_rule rule;
	} * rows; /* ascending, the first of them at the beginning */
};

/* Of the code at that address. gap: the rule where its instructions don't say. */
struct hotspot_stub *hotspot_stub__new(const uint8_t *code, size_t n, uint64_t addr,
				       const struct pmb_unwind_rule *gap);
struct hotspot_stub *hotspot_stub__free(struct hotspot_stub *s); /* NULL is fine; returns NULL */

#endif
