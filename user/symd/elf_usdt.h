/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that a program has of its own (USDT): notes in .note.stapsdt, as sys/sdt.h makes them.
 * Each is a nop; some have a counter in memory, and do nothing while it is 0.
 *
 * 	note	u32 8, u32 size, u32 3, "stapsdt\0", u64 address, u64 base,
 * 		u64 counter's address (0: none), provider, name, arguments, each with its
 * 		NUL; base: where .stapsdt.base was as the note was made
 */
#ifndef PMUBPF_SYMD_ELF_USDT_H
#define PMUBPF_SYMD_ELF_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/elf_file.h"
#include "symd/protocol.h"

struct usdt_name {
	const char *provider, *name; /* not NUL-terminated */
	size_t provider_len, name_len;
};

struct usdt_site {
	uint64_t file_off, counter_off; /* counter_off 0: none */
	bool emulated;                  /* as in symd/elf_site.h */
};

/* All places of a probe; of more than SYMD_USDT_MAX SYMD_SITE_SEVERAL. */
enum symd_site_status elf_usdt__find(struct elf_file *elf, const struct usdt_name *name,
				     struct usdt_site ret[SYMD_USDT_MAX], uint32_t *ret_n);

#endif
