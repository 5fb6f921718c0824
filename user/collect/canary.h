/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Before a probe is put into any program: a child of our own is probed the same way, and what
 * becomes of it is looked at. What it keeps below its stack pointer has to stay, and it goes on
 * under seccomp, which would kill it for a system call that it didn't make.
 */
#ifndef PMUBPF_COLLECT_CANARY_H
#define PMUBPF_COLLECT_CANARY_H

#include <stdbool.h>

#include "base/err.h"
#include "model/slices.h"

/* ret: what hits took here. returns: with a return probe, too. option: that wants probes. Once in a
 * process is enough. -errno with the sentence: none may be put into a program. */
int canary__try(struct probe_costs *ret, bool returns, const char *option, struct err *err);

#endif
