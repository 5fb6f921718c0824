/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a compiled method says of its own places: which methods were inlined there.
 *
 *	PcDesc (offset of code, of a scope) … ──► scope: its sender's offset, method, bytecode
 *
 * It is kept as it was read, for which places are asked for comes later. Decoding is pure, over
 * bytes that may be anything.
 */
#ifndef PMUBPF_SYMD_HOTSPOT_SCOPES_H
#define PMUBPF_SYMD_HOTSPOT_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/hotspot_layout.h"
#include "symd/target_memory.h"

enum {
	HOTSPOT_SCOPES_MAX = 1 << 20,  /* bytes of one method's */
	HOTSPOT_SCOPES_ALL = 64 << 20, /* and of all */
	HOTSPOT_SCOPES_DEPTH = 64,     /* frames at a place */
};

/* Of a method: three parts, end to end. */
struct hotspot_scopes {
	size_t methods_at, n_methods; /* addresses of Methods: 8 bytes each */
	size_t pcs_at, n_pcs;         /* PcDescs: 16 bytes each, ascending */
	size_t data_at, n_data;       /* scopes */
	size_t size;
	bool without_zero; /* symd/hotspot_stream.h */
	uint8_t bytes[];
};

struct hotspot_scope {
	uint64_t method;
	int32_t bci; /* -1: before the first bytecode */
};

/* head: the first n_head bytes of the CodeBlob at `blob`. NULL: it doesn't say, or is too large.
 * The caller frees it. */
struct hotspot_scopes *hotspot_scopes__read(struct target_memory *memory,
					    const struct hotspot_layout *layout, uint64_t blob,
					    const uint8_t *head, size_t n_head);
/* The methods at an offset of the code, innermost first; how many. Known for calls and loops only:
 * what is before them counts as theirs. */
size_t hotspot_scopes__at(const struct hotspot_scopes *s, uint32_t off,
			  struct hotspot_scope ret[HOTSPOT_SCOPES_DEPTH]);

#endif
