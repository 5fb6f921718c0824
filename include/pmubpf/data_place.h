/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where data of a file lies that a program has mapped: like code, by an offset. Only mappings of
 * code are known, and a file has places for data that are no bytes of it (.bss). So it is the
 * offset that the address would have if the mapping of the file's code went on to there, marked:
 * symd makes the ELF virtual address of it (symd/elf_file.h). Who includes this brings __u64.
 */
#ifndef PMUBPF_DATA_PLACE_H
#define PMUBPF_DATA_PLACE_H

#define DATA_PLACE_MARK (1ULL << 63)
/* Further from its code than that nothing of a file lies. */
#define DATA_PLACE_SPAN (1ULL << 40)

static inline __u64 data_place(__u64 file_off, __u64 distance)
{
	return DATA_PLACE_MARK | ((file_off + distance) & (2 * DATA_PLACE_SPAN - 1));
}

#endif
