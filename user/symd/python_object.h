/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a code object of CPython says of itself, as the kernel side copied it: from `line` of struct
 * pmb_object on (pmubpf/record.h). Every byte is the program's. */
#ifndef PMUBPF_SYMD_PYTHON_OBJECT_H
#define PMUBPF_SYMD_PYTHON_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Texts are UTF-8 without NUL; what was cut ends in "...". */
struct python_function {
	struct buf name; /* qualified: "Class.method" */
	struct buf file;
	uint32_t first; /* line */
	/* Where the frame stands: if there is a line table its line, or 0: that is not known; else
	 * the first. */
	uint32_t line;
};

/* Of a frame at that position (pmubpf/python.h). False: it has no name. python_function__done() is
 * due in any case. */
bool python_function__read(struct python_function *f, const void *object, size_t len,
			   uint32_t position);
void python_function__done(struct python_function *f);

#endif
