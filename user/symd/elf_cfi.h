/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwind table of an ELF file: which of its code, where its call frame information is, and what
 * holds for the code that has none.
 *
 * .eh_frame; where it is (nearly) empty, .debug_frame too, except in Go programs, whose
 * .debug_frame knows no frame pointer, while nearly all their code keeps one; for the rest there is
 * go_pcln.h. Without section headers, .eh_frame is found through .eh_frame_hdr's segment. x86-64
 * code that none of them describes (musl's, assembler) is read
 * itself: code_frames.h.
 */
#ifndef PMUBPF_SYMD_ELF_CFI_H
#define PMUBPF_SYMD_ELF_CFI_H

#include "symd/cfi_table.h"

struct elf_cfi;

/*
 * Takes fd over, also on failure; without read_code, only what the file says itself. 0, or -EINVAL:
 * not a readable ELF file with code, -ENOTSUP: of another machine.
 */
int elf_cfi__open(int fd, bool read_code, struct elf_cfi **ret);
struct elf_cfi *elf_cfi__free(struct elf_cfi *e); /* NULL is fine; returns NULL */
/* Another file comes first: gives back what can be read again. False: nothing that is left was
 * dear, or too much is
 * left: free it. */
bool elf_cfi__rest(struct elf_cfi *e);
/* May there be requests for other ranges of it? */
bool elf_cfi__more(const struct elf_cfi *e);
/* Is fd the same file, as it was? */
bool elf_cfi__is_of(const struct elf_cfi *e, int fd);

/*
 * Adds the rows of the offsets [from, to) to t. Memory is that of the range, and of what is read at
 * a time; what is learnt of the whole file is kept for other ranges. 0 or -EFBIG: beyond the
 * limits.
 */
int elf_cfi__build(struct elf_cfi *e, uint64_t from, uint64_t to, struct cfi_table *t);

/* The interpreter in it, looked for once. */
enum pmb_runtime_state elf_cfi__runtime(struct elf_cfi *e, struct pmb_runtime *ret);

#endif
