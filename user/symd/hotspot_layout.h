/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where things lie in HotSpot's objects: it says so itself, in tables for its own debugger
 * (vmStructs), whose addresses libjvm.so exports:
 *
 *	gHotSpotVMStructs ──► {type, member, its type, is it static, offset, address} …, 48 bytes
 *	gHotSpotVMTypes ──► {type, supertype, three numbers, size} …, 40 bytes
 *
 * Only the table of members and sizes that are wanted is ours.
 */
#ifndef PMUBPF_SYMD_HOTSPOT_LAYOUT_H
#define PMUBPF_SYMD_HOTSPOT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "symd/target_memory.h"

enum {
	HOTSPOT_OFFSET_MAX = 4096,  /* of a member */
	HOTSPOT_ENTRIES_MAX = 8192, /* of a table; 25 has 830 members, 17 1,300 */
};

/* A member's offset, or a type's size; of what this version doesn't have it is 0 in `has`. */
struct hotspot_layout {
	uint64_t heaps;   /* address of CodeCache::_heaps, */
	uint64_t heap;    /* or (8) of CodeCache::_heap; 0: there is none */
	uint64_t release; /* address of the pointer to what version it is, as text; 0: none */
	uint32_t array_len, array_data;
	uint32_t heap_memory, heap_log2;
	uint32_t space_low, space_high, space_bottom, space_top;
	uint32_t block_size, block_used; /* its length is before `used`: 4 or 8 bytes */
	uint32_t blob_name, blob_size, blob_frame_size, blob_complete;
	uint32_t blob_code, blob_code_end;     /* addresses (8 < version < 23), */
	uint32_t blob_code_off, blob_data_off; /* or offsets of 4 bytes from the blob on */
	uint32_t method, compile_id, comp_level;
	uint32_t osr_entry;
	uint32_t const_method, constants, name_index;
	uint32_t pool_size, pool_holder, klass_name;
	uint32_t symbol_length, symbol_body;
	/* where lines and files are; 0: not known, and there are none */
	uint32_t const_method_size, const_method_words; /* of the type; and of one, in words */
	uint32_t code_size, method_flags;
	uint32_t pool_file, klass_file; /* since 17, and before */
	bool without_zero;              /* of packed numbers */
	/* where inlined methods are, likewise (symd/hotspot_scopes.h): 4 bytes each, */
	uint32_t scopes_pcs, scopes_data_off, metadata, dependencies;
	uint32_t immutable_size, mutable_size, relocation_size;
	uint32_t scopes_data, immutable, mutable_; /* but for these addresses */
	bool by_address;                           /* blob_code and blob_code_end are known */
	bool short_complete;                       /* blob_complete is of 2 bytes, else of 4 */
};

/* structs, types: addresses of the two words in the process. NULL, or the member that is missing:
 * this version isn't understood. */
const char *hotspot_layout__read(struct target_memory *memory, uint64_t structs, uint64_t types,
				 struct hotspot_layout *ret);

#endif
