/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the functions are that open and close windows: in which files of the targets' roots, and
 * where in them. */
#ifndef PMUBPF_SESSION_GATE_SITES_H
#define PMUBPF_SESSION_GATE_SITES_H

#include "base/buf.h"
#include "base/err.h"
#include "collect/gates.h"
#include "model/slices.h"
#include "session/target.h"

struct opener;

/* Fills in the probes' sites, after a child of our own was probed; nothing where there are none. A
 * line for each site in notes. ret_each: what hits took that child. -errno with the sentence; gates
 * are to be closed in any case. */
int gate_sites__find(struct gates *gates, const struct target *whom, struct opener *opener,
		     struct probe_costs *ret_each, struct buf *notes, struct err *err);
/* Once no probe will be put in any more. */
void gate_sites__close(struct gates *gates);

#endif
