/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for what the hardware and the kernel say of data: where it lies, and where it came from. */
#ifndef PMUBPF_MODEL_DATA_SOURCE_H
#define PMUBPF_MODEL_DATA_SOURCE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "pmubpf/record.h"

extern const char *const data_segment_keys[PMB_N_SEGMENTS];
/* What stands for a variable there that has no name. */
extern const char *const data_segment_texts[PMB_N_SEGMENTS];

enum { DATA_SOURCE_TEXT = 160 };
#define DATA_SOURCE_TLB_MISS ", TLB miss"
/*
 * Of a union perf_mem_data_src: "load L3 hit", "store L1 miss", "load remote RAM hit, hitm,
 * locked", and where it says so DATA_SOURCE_TLB_MISS behind it. False: it says nothing ("not
 * available" is what the kernel fills in where the PMU has no word for it).
 */
bool data_source(uint64_t data_src, char ret[DATA_SOURCE_TEXT]);
/* PMB_OPERAND_LOAD, PMB_OPERAND_STORE; 0: it doesn't say. */
uint32_t data_source_kind(uint64_t data_src);

#endif
