/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answers where in the open ELF file probes go. */
#ifndef PMUBPF_SYMD_SITE_REQUESTS_H
#define PMUBPF_SYMD_SITE_REQUESTS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "symd/elf_file.h"

/* type: SYMD_SITE and its like (symd/protocol.h). elf NULL: none is open. fd: what came with it;
 * borrowed, -1: nothing. -EPROTO: it is no such request. */
int site_requests__answer(uint16_t type, struct elf_file *elf, int fd, struct cursor *body,
			  struct buf *reply);

#endif
