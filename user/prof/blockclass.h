/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The labels that say what class of basic block a sample was taken in, or what instruction. */
#ifndef PMUBPF_PROF_BLOCKCLASS_H
#define PMUBPF_PROF_BLOCKCLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmubpf/block_class.h"

#define BLOCKCLASS_LABEL "blockclass"
/* The same of the instruction: of events that are exact alone. */
#define OPCODE_LABEL "opcode"

/* Of PMB_BLOCK_NONE it is a remainder: "[kernel]", "[no code]". */
const char *block_class_word(uint8_t block, bool in_kernel);

#endif
