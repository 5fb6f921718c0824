/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is that file HotSpot, Java's virtual machine, and where does it describe itself? */
#ifndef PMUBPF_SYMD_ELF_HOTSPOT_H
#define PMUBPF_SYMD_ELF_HOTSPOT_H

#include <linux/types.h>

#include "pmubpf/python.h"
#include "symd/elf_bytes.h"

/* Fills in structs_from and types_from. */
enum pmb_runtime_state elf_hotspot__find(const struct elf_bytes *from, struct pmb_runtime *ret);

#endif
