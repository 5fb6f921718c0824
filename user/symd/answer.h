/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One answer of LOOKUP: what is known of one place in the file that is open. */
#ifndef PMUBPF_SYMD_ANSWER_H
#define PMUBPF_SYMD_ANSWER_H

#include <stdint.h>

#include "base/buf.h"
#include "symd/elf_blocks.h"
#include "symd/elf_file.h"
#include "symd/jit_file.h"

struct answerer {
	uint32_t wanted;   /* SYMD_WANT_… */
	bool in_parts;     /* names of JITs' code have more behind them: answerer__jit */
	struct buf name;   /* the last symbol that was demangled… */
	struct buf system; /* …and what it was made of */
	bool plt;
	struct buf inlined; /* scratch */
	struct buf variable;
	struct elf_blocks *blocks; /* of the file that is open */
};

/* Appends the answer for a file offset (block: with its class), or for an address that code of a
 * JIT was made at (its name may have parts: name, file, line, and the same of each call that was
 * inlined there, outermost first, with tabs between them). It is never longer than a message. */
void answerer__elf(struct answerer *a, struct elf_file *elf, uint64_t offset, bool block,
		   struct buf *reply);
void answerer__jit(struct answerer *a, struct jit_file *jit, uint64_t addr, struct buf *reply);
/* What a function of an interpreter says of itself (symd/python_object.h). */
void answer__object(const void *object, size_t len, uint32_t position, struct buf *reply);
void answerer__close(struct answerer *a); /* the file */
void answerer__done(struct answerer *a);

#endif
