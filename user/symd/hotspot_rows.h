/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How to unwind through code that HotSpot made (x86-64). Compiled code says how large its frame is;
 * where that isn't built yet, or gone already, is in its instructions: prologue and epilogue are
 * always the same few, and the frame's size stands in them. Pure.
 */
#ifndef PMUBPF_SYMD_HOTSPOT_ROWS_H
#define PMUBPF_SYMD_HOTSPOT_ROWS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/unwind.h"

enum hotspot_rule {
	HOTSPOT_ENTRY,         /* the return address is on top of the stack */
	HOTSPOT_PUSHED,        /* the frame pointer is, and it below */
	HOTSPOT_UNSAVED,       /* the frame is there, the frame pointer is the caller's */
	HOTSPOT_FULL,          /* the frame, with the frame pointer next to the return address */
	HOTSPOT_FRAME,         /* it has a frame pointer, as far as anybody knows */
	HOTSPOT_INTERPRETED,   /* the interpreter's */
	HOTSPOT_INTERPRETED_8, /* the same of 8 */
	HOTSPOT_NONE,          /* there is no code, or none yet */
};

/* From this offset in the code on. */
struct hotspot_row {
	uint32_t off : 28;
	uint32_t rule : 4; /* enum hotspot_rule */
};

enum {
	HOTSPOT_CODE_MAX = 1 << 20,  /* bytes of code that are looked at */
	HOTSPOT_ROWS_MAX = 512,      /* of one function; what comes after is HOTSPOT_FULL */
	HOTSPOT_FRAME_MAX = 1 << 20, /* bytes */
};

struct hotspot_code {
	const uint8_t *bytes;
	size_t n;
	uint32_t frame_size; /* bytes, with the return address */
	uint32_t complete;   /* offset from which on the frame is built */
	uint32_t osr;        /* offset of another entry, 0: none */
};

/* Of compiled code, ascending; how many. */
size_t hotspot_rows__of(const struct hotspot_code *code, struct hotspot_row *ret);
struct pmb_unwind_rule hotspot_rule(enum hotspot_rule rule, uint32_t frame_size);

#endif
