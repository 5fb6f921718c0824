/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where in a file probes of a function's entry and of its exits go. */
#ifndef PMUBPF_SYMD_ELF_EXITS_H
#define PMUBPF_SYMD_ELF_EXITS_H

#include "symd/code_exits.h"
#include "symd/elf_site.h"

struct elf_exit {
	uint64_t file_off;
	uint8_t when; /* as of struct code_exit */
	bool emulated;
};

/* found and entry as by elf_site__find(), whose status this is until that is found. All of the
 * function is read, and the parts of it that compilers put elsewhere. */
enum symd_site_status elf_exits__find(struct elf_file *elf, const char *name, size_t len,
				      struct elf_found *found, struct elf_site *entry,
				      struct elf_exit ret[SYMD_EXITS_MAX], uint32_t *ret_n);

/* The same of a function that is known; entry: where it is met. name (len 0: none): to find parts
 * of it by. */
enum symd_site_status elf_exits__in(struct elf_file *elf, const char *name, size_t len,
				    const struct elf_function *where, struct code_entry entry,
				    struct code_exits *ret);

#endif
