/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF (2 to 5): what registers point to at a place of code, by the variables and parameters that
 * the compiler says are in them there.
 */
#ifndef PMUBPF_SYMD_POINTEES_H
#define PMUBPF_SYMD_POINTEES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symd/frame_slots.h"
#include "symd/pointee.h"
#include "symd/type_walk.h"

/* Of a call, by the function that is called. */
struct call_facts {
	bool never;   /* comes back */
	bool returns; /* a pointer, to `returned`… */
	bool fresh;   /* …or one to whatever it is used for (void *) */
	bool takes;   /* only its first argument: a pointer, to `taken` */
	struct pointee returned, taken;
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
/* Whether any variable lies there that has no other place, of here or elsewhere in the function. */
bool pointees__any_variable(struct pointees *p, Dwarf_Die *function,
			    const struct frame_place *place);
/* Where so many bytes that it points to lie behind the object, that is the container's node, if it
 * is in one. */
void pointees__widen(struct pointees *p, struct pointee *where, uint64_t bytes);
/* The pointer that is a member where another one points to, or lies at off in a type. */
bool pointees__in_object(struct pointees *p, const struct pointee *where, struct pointee *ret);
/* The same, where an index leads to one of several of them that nobody can tell from each other:
 * the pointers themselves. */
bool pointees__element(struct pointees *p, const struct pointee *where, struct pointee *ret);
/* Which function is called right before vaddr, as the caller says. */
bool pointees__callee(struct pointees *p, Dwarf_Die *caller, uint64_t vaddr, Dwarf_Die *ret);
/* What is known of the function's calls. */
void pointees__call(struct pointees *p, Dwarf_Die *callee, struct call_facts *ret);
/* Whether the inner one lies in the outer one, or is the same: both by the same register. */
bool pointees__holds(struct pointees *p, const struct pointee *outer, const struct pointee *inner);
bool pointees__in_type(struct pointees *p, Dwarf_Die *type, uint64_t off, struct pointee *ret);

#endif
