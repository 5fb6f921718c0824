/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the file of a mapping may be now. */
#ifndef PMUBPF_PROF_MAPPING_FILE_H
#define PMUBPF_PROF_MAPPING_FILE_H

#include <stdbool.h>

#include "prof/prof.h"
#include "sym/debuginfod.h"
#include "sym/sym.h"

/* True: it's the one, stop searching. */
typedef bool (*mapping_try_fn)(void *ctx, const char *path);

/* Tries DIR/.build-id/xx/yyyy.debug, DIR/xx/yyyy.debug, its base name in DIR, then, if its build-id
 * is known, the files right in DIR. */
bool mapping_file__find(const struct prof *p, uint32_t mapping, const char *dir, mapping_try_fn try,
			void *ctx);
/* Whether the file that sym was asked about last has the mapping's build-id, if that says one. */
bool mapping_file__is_asked(const struct prof *p, uint32_t mapping, const struct sym *sym);
/* The file from servers, by its build-id; the caller closes it. Below 0: it has no build-id, or
 * they don't have it. */
int mapping_file__fetch(const struct prof *p, uint32_t mapping, struct debuginfod *servers);

#endif
