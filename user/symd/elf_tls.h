/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where each thread of a program has a variable that an ELF file of it exports: the linker decides
 * that, or the loader, which then writes it down where the file's relocations say.
 */
#ifndef PMUBPF_SYMD_ELF_TLS_H
#define PMUBPF_SYMD_ELF_TLS_H

#include "symd/elf_bytes.h"

enum elf_tls_kind {
	ELF_TLS_NONE,       /* the file has no such variable, and uses none of another's */
	ELF_TLS_UNKNOWN,    /* it has, and doesn't say where */
	ELF_TLS_KNOWN,      /* offset from the thread pointer */
	ELF_TLS_OFFSET,     /* that is written at `slot` */
	ELF_TLS_MODULE,     /* at `slot`: the module, and the offset in its block */
	ELF_TLS_DESCRIPTOR, /* behind `slot`: the offset, or where a module and an offset are */
};

struct elf_tls {
	enum elf_tls_kind kind;
	unsigned machine;
	int64_t offset;
	uint64_t slot;  /* address in the file's own numbers */
	bool has_value; /* the file defines the variable: */
	uint64_t value; /* its offset in the module's block */
};

void elf_tls__find(const struct elf_bytes *from, const char *name, struct elf_tls *ret);

#endif
