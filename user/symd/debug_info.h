/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF (2 to 5): which inlined calls hold an address, and on which lines they stand. Units are
 * read when the first address in them is asked for, so a file costs what its hot places cost.
 */
#ifndef PMUBPF_SYMD_DEBUG_INFO_H
#define PMUBPF_SYMD_DEBUG_INFO_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/budgets.h"
#include "symd/data_types.h"
#include "symd/pointees.h"

enum {
	DEBUG_INFO_FRAMES = 64, /* a function and the calls inlined into it */
};

/* All sections together, uncompressed. */
#define DEBUG_INFO_BYTES_MAX ((size_t)BUDGET_DWARF_GIB << 30)
/* The line program of a unit, and those of all units that are read. */
#define DEBUG_INFO_LINES_MAX ((uint64_t)BUDGET_LINES_MIB << 20)
#define DEBUG_INFO_ALL_LINES_MAX (BUDGET_LINES_OF_FILE * DEBUG_INFO_LINES_MAX)

struct debug_frame {
	const char *name; /* the linker's if there is one; NULL: not known */
	const char *file; /* as the compiler was given it; NULL: not known */
	uint32_t line;    /* 0: not known */
	const char *dir;  /* that a relative file is in: where the compiler ran; NULL: not known */
};

struct debug_info;

/* Does elf have DWARF? Only for files that passed elf_sections__sane(). */
bool debug_info__exists(Elf *elf);
/* elf (NULL: none) is borrowed and must live longer. NULL: nothing usable, or too much of it. */
struct debug_info *debug_info__open(Elf *elf);
struct debug_info *debug_info__free(struct debug_info *d); /* NULL is fine; returns NULL */

/*
 * Fills ret (DEBUG_INFO_FRAMES of them) with the function that holds vaddr, then the calls inlined
 * into it there, outermost first. A frame's line is the one of the call that the next frame is; the
 * last one's is the line of vaddr. Returns how many; 0: nothing is known of vaddr. The texts are
 * valid as long as d.
 */
size_t debug_info__find(struct debug_info *d, uint64_t vaddr, struct debug_frame *ret);
/* Whether a function is known there. */
bool debug_info__describes(struct debug_info *d, uint64_t vaddr);
/* Whether a line begins there, and so an instruction. */
bool debug_info__begins_line(struct debug_info *d, uint64_t vaddr);
/* Whether a function is entered there. */
bool debug_info__is_entry(struct debug_info *d, uint64_t vaddr);
/* What is known of the data at vaddr, as data_types__find() has it. */
bool debug_info__data(struct debug_info *d, uint64_t vaddr, struct data_part *ret);
/* Who knows of objects, wherever they are. */
struct pointees *debug_info__pointees(struct debug_info *d);
/* What a register points to at vaddr, as pointees__find() has it; what lies in the frame there, or
 * at an address; and what lies in an object, as data_types__object() says. */
bool debug_info__pointee(struct debug_info *d, uint64_t vaddr, unsigned reg, struct pointee *ret);
bool debug_info__pointees_end(struct debug_info *d, uint64_t vaddr, uint64_t next);
bool debug_info__in_frame(struct debug_info *d, uint64_t vaddr, const struct frame_place *place,
			  struct pointee *ret);
const struct frame_slot *debug_info__frame_variable(struct debug_info *d, uint64_t vaddr,
						    const struct frame_place *place,
						    uint64_t bytes);
bool debug_info__any_variable(struct debug_info *d, uint64_t vaddr,
			      const struct frame_place *place);
bool debug_info__at_address(struct debug_info *d, uint64_t vaddr, struct pointee *ret);
/* What is known of the call right before vaddr, of the function that begins at `called` (0: not
 * known). */
void debug_info__call(struct debug_info *d, uint64_t vaddr, uint64_t called,
		      struct call_facts *ret);
bool debug_info__object(struct debug_info *d, uint64_t type, uint64_t off, struct data_part *ret);
/* How its type lies, or an object's, as data_types__layout() has it. */
bool debug_info__layout(struct debug_info *d, uint64_t vaddr, struct buf *ret);
bool debug_info__object_layout(struct debug_info *d, uint64_t type, struct buf *ret);

#endif
