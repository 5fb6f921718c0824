/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cache lines that several threads of a process touch while one of them writes. A CPU that writes
 * takes the line away from the others: where the threads mean different bytes of it they share
 * nothing but the line, and it could be two.
 */
#ifndef PMUBPF_PROF_SHARING_H
#define PMUBPF_PROF_SHARING_H

#include "base/err.h"
#include "prof/prof.h"

enum { PROF_CACHE_LINE = 64 }; /* bytes; that of all CPUs that Linux runs on here, or half of it */

/* The label of samples of such lines, and what it says. */
#define PROF_SHARING "sharing"
#define PROF_SHARING_PROVEN "false sharing" /* a CPU found the line changed in another's cache */
#define PROF_SHARING_SUSPECT "suspect of false sharing"
#define PROF_SHARING_SAME "the same bytes are shared" /* by two threads at least */
/* What is said of the latter two behind them, where nothing has checked the addresses. */
#define PROF_CANDIDATE " (candidate)"

/*
 * A copy in which samples of such lines have that label besides. An error if the profile doesn't
 * say of its samples which bytes of which line they touched, in which thread. The caller frees
 * *ret.
 */
int prof__mark_sharing(struct prof **ret, const struct prof *p, struct err *err);

#endif
