/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes in programs, as an opener puts them in. */
#ifndef PMUBPF_OPENER_PROBES_H
#define PMUBPF_OPENER_PROBES_H

#include "opener/request.h"

/* Of UPROBE, UPROBES and PROGRAM: a descriptor, the caller's, or a negative errno. fd: what came
 * with it; borrowed. */
int probes__answer(const struct opener_request *request, int fd);

#endif
