/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interpreters that were recognised, but whose frames can't be read: which they are, and where. */
#ifndef PMUBPF_MODEL_UNKNOWN_RUNTIMES_H
#define PMUBPF_MODEL_UNKNOWN_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { UNKNOWN_RUNTIMES_MAX = 64 }; /* beyond that they are only counted */

struct unknown_runtime {
	char *file;       /* as its program named it: to be escaped */
	uint32_t version; /* of CPython, as Py_Version has it; 0: it can't be told */
	bool free_threaded;
	bool is_v8;
	char *missing; /* NULL, or it is HotSpot, and doesn't say where that is: to be escaped */
	bool crowded;  /* it is HotSpot, and more processes run it than are read at a time */
};

struct unknown_runtimes {
	struct unknown_runtime *list;
	size_t n, cap;
	uint64_t more; /* that are not in the list */
};

/* Each file once. */
void unknown_runtimes__add(struct unknown_runtimes *all, const char *file, uint32_t version,
			   bool free_threaded);
/* One of HotSpot's. */
void unknown_runtimes__add_hotspot(struct unknown_runtimes *all, const char *file,
				   const char *missing);
void unknown_runtimes__add_crowded(struct unknown_runtimes *all, const char *file);
void unknown_runtimes__add_v8(struct unknown_runtimes *all, const char *file);
/* Moves what is in from. */
void unknown_runtimes__merge(struct unknown_runtimes *all, struct unknown_runtimes *from);
void unknown_runtimes__done(struct unknown_runtimes *all);
/* "CPython 3.16 (free-threaded)" */
void unknown_runtime__text(const struct unknown_runtime *u, struct buf *out);

#endif
