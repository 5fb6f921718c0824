/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Debug files that dwz made share a third file, and libdw opens it by a path that the debug file
 * chooses. Here it gets an empty one instead: what refers to it is then not known.
 */
#ifndef PMUBPF_SYMD_NO_ALTLINK_H
#define PMUBPF_SYMD_NO_ALTLINK_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct no_altlink {
	void *bytes;
	Elf *elf;
	Dwarf *dwarf;
};

bool no_altlink__set(struct no_altlink *none, Dwarf *dwarf);
void no_altlink__done(struct no_altlink *none); /* after the end of the Dwarf that it was set for */

#endif
