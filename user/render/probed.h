/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Of probes in programs: for how long they were in place, and what they took. */
#ifndef PMUBPF_RENDER_PROBED_H
#define PMUBPF_RENDER_PROBED_H

#include <stdbool.h>

#include "base/buf.h"
#include "model/slices.h"
#include "render/json.h"

/* What was counted isn't all that there was. */
static inline bool is_sliced(const struct probed *p)
{
	return p->on_ns < p->span_ns;
}

/* A line, if they were not there all the time. then: what follows from that. */
void probed__slices_text(const struct probed *p, const char *indent, const char *then,
			 struct buf *out);
/* A line, if there were any. */
void probed__spent_text(const struct probed *p, const char *indent, struct buf *out);
void probed__json(const struct probed *p, struct json *j);

#endif
