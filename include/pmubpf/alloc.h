/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is probed in allocators: bpf/alloc.bpf.c, and who finds it. */
#ifndef PMUBPF_ALLOC_H
#define PMUBPF_ALLOC_H

/* What a function of an allocator does, and where it has its arguments. */
enum alloc_kind {
	ALLOC_MALLOC,       /* (size), returns the block */
	ALLOC_CALLOC,       /* (number, size) */
	ALLOC_MEMALIGN,     /* (alignment, size) */
	ALLOC_POSIX,        /* (where to, alignment, size), returns 0 */
	ALLOC_REALLOC,      /* (block, size) */
	ALLOC_REALLOCARRAY, /* (block, number, size) */
	ALLOC_FREE,         /* (block) */
	/* Of the kernel's memory, by itself and not for one of the others: */
	ALLOC_MAP,      /* (anything, size, anything, flags), returns pages */
	ALLOC_REMAP,    /* (pages, their size, size) */
	ALLOC_BREAK,    /* (size), returns where it begins */
	ALLOC_EXIT,     /* where one of them returns, but for the last */
	ALLOC_CLEARING, /* where calloc goes on as memset, which returns the block */
};

/* The cookie of a probe: its kind, and this bit: the kernel carries the instruction out itself. */
enum { ALLOC_EMULATED = 0x100 };

#endif
