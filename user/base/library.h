/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A shared library that is loaded when it is first needed: who has no use for it needn't have
 * it. */
#ifndef PMUBPF_BASE_LIBRARY_H
#define PMUBPF_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_function {
	const char *name;
	void *at; /* of the pointer that gets it */
};

/* All of them, or false: there is no such library, or it is another one. It stays for good. */
bool library_load(const char *file, const struct library_function *functions, size_t n);

#endif
