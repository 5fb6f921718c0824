/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function's instructions, and on which lines of which sources each stands: the answer to LISTING
 * (symd/protocol.h). */
#ifndef PMUBPF_SYMD_ELF_LISTING_H
#define PMUBPF_SYMD_ELF_LISTING_H

#include "base/buf.h"
#include "base/cursor.h"
#include "symd/elf_file.h"
#include "symd/jit_file.h"

/* Appends the answer. -EPROTO: it isn't a request. */
int elf_listing__answer(struct elf_file *elf, struct cursor *body, struct buf *reply);
/* The same of a jitdump: offsets are addresses, and there are instructions alone. */
int jit_listing__answer(struct jit_file *jit, struct cursor *body, struct buf *reply);

#endif
