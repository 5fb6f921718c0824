/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a file has the most code that no unwind table describes: a runtime's own, such as V8's
 * builtins. */
#ifndef PMUBPF_SYMD_ELF_GAP_H
#define PMUBPF_SYMD_ELF_GAP_H

#include <stdbool.h>

#include "symd/elf_bytes.h"

/* By the starts of functions in .eh_frame_hdr: [from, to), as addresses; the function before it is
 * in it, too. False: there is no such table. */
bool elf_gap__largest(const struct elf_bytes *from, uint64_t *ret_from, uint64_t *ret_to);

#endif
