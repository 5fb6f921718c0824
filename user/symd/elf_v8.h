/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is that file V8, and how do its objects lie? */
#ifndef PMUBPF_SYMD_ELF_V8_H
#define PMUBPF_SYMD_ELF_V8_H

#include <linux/types.h>

#include "pmubpf/python.h"
#include "symd/elf_bytes.h"

/* Fills in v8, or is_v8 if it is one that isn't understood. */
enum pmb_runtime_state elf_v8__find(const struct elf_bytes *from, struct pmb_runtime *ret);

#endif
