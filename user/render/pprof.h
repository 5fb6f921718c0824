/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile as pprof's file: profile.proto, gzip'd. https://github.com/google/pprof,
 * proto/profile.proto.
 */
#ifndef PMUBPF_RENDER_PPROF_H
#define PMUBPF_RENDER_PPROF_H

#include <stdio.h>

#include "prof/prof.h"

/* Returns 0 or -errno of the write. */
int pprof__write(FILE *file, const struct prof *prof);

#endif
