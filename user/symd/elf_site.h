/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where in a file a probe of a function goes: the first instruction of it that the kernel carries
 * out itself if that is near, and never a place that is not the beginning of an instruction.
 */
#ifndef PMUBPF_SYMD_ELF_SITE_H
#define PMUBPF_SYMD_ELF_SITE_H

#include <stdint.h>

#include "symd/elf_found.h"
#include "symd/insn_data.h"

struct elf_site {
	enum symd_site_status status;
	uint64_t file_off; /* SYMD_SITE_FOUND */
	bool emulated;     /* the kernel carries it out itself; else it is single-stepped */
	uint16_t kept;     /* of a function's beginning: code_kept__find() */
	uint8_t grows;     /* code_go.h's when, of a function of Go's that looks */
};

enum { SITE_ARGUMENTS = 6 /* that registers hold */ };

/* found: whose status it has until that is found; to be given up. offset: of the instruction, from
 * the function's beginning; 0: its first push or jump on the flags before which arguments stay
 * where they were, or else its beginning, or right behind what has to stand there (endbr64, a nop
 * to be patched). */
void elf_site__find(struct elf_file *elf, const char *name, size_t len, uint64_t offset,
		    struct elf_found *found, struct elf_site *ret);

/* The same of a function that is known, of which only the first so many arguments matter. */
void elf_site__in(struct elf_file *elf, const struct elf_function *f, uint64_t offset,
		  unsigned arguments, struct elf_site *ret);

/* Puts it where a function of Go's has looked at its stack; false: calls of Go's functions are not
 * told on this machine, or in this file. */
bool elf_site__of_go(struct elf_file *elf, const struct elf_function *f, struct elf_site *ret);

/* Whether the kernel puts probes into programs of the file's machine here, and whose instructions
 * they are. */
bool elf_site__can_be(const struct elf_file *elf, enum insn_set *ret);

/* Whether symbols can be taken at their word: an instruction begins there in what the table for
 * unwinding takes it to be in, too. */
bool elf_site__begins(struct elf_file *elf, uint64_t vaddr);

/* The same in a function's bytes; *ret_at is the place in them. */
enum symd_site_status code_site__find(enum insn_set set, const uint8_t *code, size_t len,
				      uint64_t offset, unsigned arguments, uint64_t *ret_at,
				      bool *ret_emulated);
/* Where behind `at` the first instruction stands that isn't there because it has to. */
size_t code_site__behind(enum insn_set set, const uint8_t *code, size_t len, size_t at);

#endif
