/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF (2 to 5): what registers point to at a place of code, by the variables and parameters that
 * the compiler says are in them there. x86-64.
 */
#ifndef PMUBPF_SYMD_POINTEES_H
#define PMUBPF_SYMD_POINTEES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symd/frame_slots.h"
#include "symd/type_walk.h"

struct pointee {
	uint64_t type;  /* of the object: type_walk__number() */
	uint64_t size;  /* in bytes */
	int64_t at;     /* the pointer points so far behind where the object begins… */
	uint64_t every; /* …plus any multiple of this */
	bool aggregate; /* it has members… */
	bool endless;   /* …and the last one is an array of any length */
};

struct pointees;

struct pointees *pointees__new(Dwarf *dwarf);        /* borrowed, and must live longer */
struct pointees *pointees__free(struct pointees *p); /* NULL is fine; returns NULL */
/*
 * Of what reg, by its encoded number, points to at vaddr, in that function. False: no variable
 * that is a pointer is there, or several are, to objects that have nothing to do with each other.
 */
bool pointees__find(struct pointees *p, Dwarf_Die *function, uint64_t vaddr, unsigned reg,
		    struct pointee *ret);
/* Whether some are in their registers at vaddr, and not at the next one. */
bool pointees__end(struct pointees *p, Dwarf_Die *function, uint64_t vaddr, uint64_t next);
/* The same of what lies in the frame there. */
bool pointees__in_frame(struct pointees *p, Dwarf_Die *function, uint64_t vaddr,
			const struct frame_place *place, struct pointee *ret);
/* Which variable it is, as frame_slots__find() has it; valid until the next function. */
const struct frame_slot *pointees__variable(struct pointees *p, Dwarf_Die *function, uint64_t vaddr,
					    const struct frame_place *place, uint64_t bytes);
/* The pointer that is a member where another one points to, or lies at off in a type. */
bool pointees__in_object(struct pointees *p, const struct pointee *where, struct pointee *ret);
/* The pointer that a function returns. */
bool pointees__returned(struct pointees *p, Dwarf_Die *function, struct pointee *ret);
bool pointees__in_type(struct pointees *p, Dwarf_Die *type, uint64_t off, struct pointee *ret);

#endif
