/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the functions are that open and close windows: in which files of the targets' roots, and
 * where in them. */
#ifndef PMUBPF_SESSION_GATE_SITES_H
#define PMUBPF_SESSION_GATE_SITES_H

#include "base/buf.h"
#include "base/err.h"
#include "collect/gates.h"
#include "session/target.h"

struct opener;

/* Fills in the probes' sites, after a child of our own was probed; nothing where there are none. A
 * line for each site in notes. -errno with the sentence; gates are to be closed in any case. */
int gate_sites__find(struct gates *gates, const struct target *whom, struct opener *opener,
		     struct buf *notes, struct err *err);
/* Once the programs are attached. */
void gate_sites__close(struct gates *gates);

#endif
