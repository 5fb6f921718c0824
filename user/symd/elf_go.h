/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where an ELF file has Go's table of functions (go_pcln.h), also one that a C linker has made of
 * it. */
#ifndef PMUBPF_SYMD_ELF_GO_H
#define PMUBPF_SYMD_ELF_GO_H

#include <gelf.h>
#include <stdbool.h>

#include "symd/elf_names.h"
#include "symd/go_pcln.h"

/* The sections of elf are those of a linker. fd and code (segments: sorted, disjoint) are
 * borrowed. */
bool elf_go__open(struct go_pcln *g, Elf *elf, int fd, const struct cfi_code *code, size_t n_code);
/* The function that has vaddr, of an open table, which also stripped programs have; its name is
 * valid until the next call. False: none has. */
bool elf_go__find(struct go_pcln *g, uint64_t vaddr, struct elf_name *ret);
/* All functions whose name has the text in it (NULL: all), as elf_names__each(), within a turn. */
bool elf_go__each(struct go_pcln *g, const char *text, size_t len, elf_function_fn fn, void *ctx);

#endif
