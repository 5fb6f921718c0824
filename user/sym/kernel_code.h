/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes of one function of the running kernel, from /proc/kcore, where its symbols say it is.
 * What is read is that function's and no more, and no descriptor of kcore is left open.
 */
#ifndef PMUBPF_SYM_KERNEL_CODE_H
#define PMUBPF_SYM_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "sym/kallsyms.h"

enum { KERNEL_CODE_MAX = 256 * 1024 }; /* bytes; of a longer function its beginning */

enum kernel_code_end {
	KERNEL_CODE_NOT_ASKED,
	KERNEL_CODE_READ,
	KERNEL_CODE_NO_ADDRESSES, /* the kernel hides them */
	KERNEL_CODE_NO_FUNCTION,  /* of that name */
	KERNEL_CODE_SEVERAL,
	KERNEL_CODE_NO_KCORE, /* err says why */
	KERNEL_CODE_NOT_IN_KCORE,
	KERNEL_CODE_OTHER_MACHINE, /* a 32-bit one */
};

struct kernel_code {
	enum kernel_code_end end;
	int err;  /* positive errno, or 0 */
	size_t n; /* functions of that name that it could be */
	uint64_t start, size;
	uint8_t *bytes;
	uint16_t machine; /* as ELF files have it */
	uint8_t order;    /* of bytes, likewise */
	struct kallsyms *names;
	bool names_lent; /* they are another one's */
};

/* NULL: those of /proc. */
struct kernel_code_paths {
	const char *kcore, *kallsyms, *modules;
	/* One that was read before and stays: its table of names serves. NULL: it is read. */
	const struct kernel_code *before;
};

/* name: as the kernel's symbols have it. farthest: a distance from its beginning that is still in
 * the function. Of several that it could be none is read. */
void kernel_code__read(struct kernel_code *ret, const char *name, uint64_t farthest,
		       const struct kernel_code_paths *paths);
/*
 * An ELF file in memory, which has nothing but that function, at *ret_offset: a descriptor, the
 * caller's, or a negative errno.
 */
int kernel_code__as_file(const struct kernel_code *code, uint64_t *ret_offset);
void kernel_code__done(struct kernel_code *code);

#endif
