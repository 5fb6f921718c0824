/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The conditional jumps of a function of a file, or what it has of a class of instructions
 * (symd/code_branches.h). */
#ifndef PMUBPF_SYMD_ELF_BRANCHES_H
#define PMUBPF_SYMD_ELF_BRANCHES_H

#include "symd/code_branches.h"
#include "symd/elf_found.h"

struct elf_branches {
	enum symd_site_status status;
	uint64_t vaddr, file_off, size; /* SYMD_SITE_FOUND; of code that could be read */
	struct code_branches jumps;
};

/* found: to be given up. */
void elf_branches__find(struct elf_file *elf, const char *name, size_t len,
			enum pmb_block_class class, struct elf_found *found,
			struct elf_branches *ret);
/* The same of the function that holds that place. */
void elf_branches__at(struct elf_file *elf, uint64_t file_off, enum pmb_block_class class,
		      struct elf_found *found, struct elf_branches *ret);
/* Whether a process has that code at addr: its file's, but for breakpoints. fd: of its
 * /proc/PID/mem; borrowed. */
bool elf_branches__same(struct elf_file *elf, int fd, uint64_t file_off, uint64_t addr,
			uint64_t size);

#endif
