/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where Go's runtime gives goroutines to threads, and takes them from these: what goroutines count
 * (bpf/lib/work_goroutine.h) is known by probes there. */
#ifndef PMUBPF_SESSION_GOROUTINE_SITES_H
#define PMUBPF_SESSION_GOROUTINE_SITES_H

#include "base/buf.h"
#include "base/err.h"

struct gates;
struct probe_costs;
struct site_client;

/* In each file that windows open in. -errno with the sentence. */
int goroutine_sites__find(struct gates *gates, struct site_client *client,
			  const struct probe_costs *each, struct buf *notes, struct err *err);

#endif
