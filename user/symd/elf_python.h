/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CPython's interpreter in an ELF file: the program itself, or libpython. */
#ifndef PMUBPF_SYMD_ELF_PYTHON_H
#define PMUBPF_SYMD_ELF_PYTHON_H

#include <linux/types.h>

#include "pmubpf/python.h"
#include "symd/elf_bytes.h"

enum pmb_runtime_state elf_python__find(const struct elf_bytes *from, struct pmb_runtime *ret);

#endif
