/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where things lie in CPython's objects, by version. Pure. */
#ifndef PMUBPF_SYMD_PYTHON_LAYOUT_H
#define PMUBPF_SYMD_PYTHON_LAYOUT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/python.h"

enum { PYTHON_RUNTIME_BYTES = 1024 /* of _PyRuntime, that are of use */ };

/*
 * version as Py_Version has it; runtime: the first bytes of _PyRuntime as the file has them, in
 * which 3.13 and later describe themselves. False: this version isn't known, or describes itself as
 * nothing that could be.
 */
bool python_layout(uint32_t version, const void *runtime, size_t n, struct pmb_python *ret);

/* Does it say (3.13 and later) that it was built without the lock that all threads share? */
bool python_is_free_threaded(const void *runtime, size_t n);
/* "3.9.18": 0x03090000; 0: it is no version. */
uint32_t python_version_of_text(const char *text);

#endif
