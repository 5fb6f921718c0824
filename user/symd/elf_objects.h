/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In which object an instruction of a file addresses memory: by what its registers point to
 * (pointees.h), also where no variable is in them (code_values.h); or in which variable of the
 * frame (frame_slots.h).
 */
#ifndef PMUBPF_SYMD_ELF_OBJECTS_H
#define PMUBPF_SYMD_ELF_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmubpf/operand.h"
#include "symd/elf_file.h"
#include "symd/insn_data.h"

enum { ELF_FUNCTION_MAX = 64 * 1024 }; /* bytes of code; larger ones are not looked through */

struct elf_objects;

struct elf_objects *elf_objects__new(struct elf_file *elf);   /* borrowed, and must live longer */
struct elf_objects *elf_objects__free(struct elf_objects *o); /* NULL is fine; returns NULL */
/* Whether there is debug information of what lies at vaddr. */
bool elf_objects__describe(struct elf_objects *o, uint64_t vaddr);
/* m is an operand of the instruction at vaddr, and ret the same as code_place.h has it, by the
 * registers where it was sampled: gets the object, if that is known. */
void elf_objects__find(struct elf_objects *o, uint64_t vaddr, uint64_t sampled,
		       const struct insn_memory *m, struct pmb_operand *ret);

#endif
