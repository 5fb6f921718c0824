/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where in a file probes go that are to see what a function was given, and what it returned. A
 * function may be no more than a jump to another one, and end by one: functions are followed
 * through such jumps, as long as they are in the file.
 */
#ifndef PMUBPF_SYMD_ELF_RETURNS_H
#define PMUBPF_SYMD_ELF_RETURNS_H

#include "symd/elf_exits.h"

/*
 * entry: as by elf_site__in(), of the function that does the work; the status is that of it, or
 * SYMD_SITE_BEGINS_AGAIN, or SYMD_SITE_NO_INSTRUCTION for a symbol amid an instruction. ret: where
 * that one, or what it goes on as, returns; and jumps that always lead somewhere else (emulated).
 * Not all, where code can't be read, or where registers say where a jump leads: whoever is at one
 * of them is the caller's if the stack pointer is where it was.
 */
enum symd_site_status elf_returns__find(struct elf_file *elf, const char *name, size_t len,
					unsigned arguments, struct elf_site *entry,
					struct elf_exit ret[SYMD_EXITS_MAX], uint32_t *ret_n);

#endif
