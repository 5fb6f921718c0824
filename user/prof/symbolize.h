/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names for the addresses of a saved profile, from files that are elsewhere now. */
#ifndef PMUBPF_PROF_SYMBOLIZE_H
#define PMUBPF_PROF_SYMBOLIZE_H

#include "base/err.h"
#include "prof/prof.h"
#include "sym/sym.h"

/* Mappings that have addresses without names. */
struct symbolized {
	size_t mappings, found; /* how many there are, and of how many there was a file */
	size_t locations, named;
};

/*
 * Replaces *p. A mapping's file is DIR/.build-id/xx/yyyy.debug, DIR/yyyyyy…, its base name in DIR,
 * or any file right in DIR, and must have the build-id if the mapping says one. The helper reads
 * it. Places that have names keep them.
 */
int prof__symbolize(struct prof **p, const char *dir, struct sym *sym, struct symbolized *ret,
		    struct err *err);

#endif
