/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Several profiles as one. */
#ifndef PMUBPF_PROF_MERGE_H
#define PMUBPF_PROF_MERGE_H

#include "base/err.h"
#include "prof/prof.h"

/*
 * Adds `from` to `to`: both must have the same types in the same order. The time is the earlier
 * one, durations add up, comments stand one after the other. On an error `to` is as it was.
 */
int prof__merge(struct prof **to, const struct prof *from, const char *name, struct err *err);

#endif
