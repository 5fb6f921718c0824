/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers as HotSpot packs them (UNSIGNED5): bytes below a limit end one, each is worth 64 times
 * the one before it. And what is packed so: a method's line table. Pure, over bytes that may be
 * anything.
 */
#ifndef PMUBPF_SYMD_HOTSPOT_STREAM_H
#define PMUBPF_SYMD_HOTSPOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hotspot_stream {
	const uint8_t *data;
	size_t n, at;
	bool without_zero; /* no byte of a number is 0: since 20 */
	bool bad;          /* it ended within a number; all that follow are 0 */
};

uint32_t hotspot_stream__number(struct hotspot_stream *s);
/* The line of bytecode bci, by a line table; 0: it doesn't say. */
uint32_t hotspot_stream__line(struct hotspot_stream s, uint32_t bci);

#endif
