/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On which line an instruction of CPython stands, by its code's line table: co_lnotab up to 3.9
 * (Objects/lnotab_notes.txt), co_linetable of 3.10 (PEP 626), and that of 3.11 and later
 * (InternalDocs/code_objects.md). Every byte is the program's. Pure.
 */
#ifndef PMUBPF_SYMD_PYTHON_LINES_H
#define PMUBPF_SYMD_PYTHON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_lines {
	uint32_t kind; /* enum pmb_py_lines */
	uint32_t first;
	const void *table;
	size_t n;
	bool cut; /* what follows is not known */
};

/* Of the instruction at that byte of the code; below 0: none ran yet. 0: none is known. */
uint32_t python_lines__find(const struct python_lines *l, int64_t at);

#endif
