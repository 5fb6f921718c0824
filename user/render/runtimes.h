/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the summary says of interpreters whose functions have no names. */
#ifndef PMUBPF_RENDER_RUNTIMES_H
#define PMUBPF_RENDER_RUNTIMES_H

#include "base/buf.h"
#include "model/unknown_runtimes.h"
#include "render/json.h"

void runtimes__text(const struct unknown_runtimes *all, struct buf *out);
void runtimes__json(struct json *j, const struct unknown_runtimes *all);

#endif
