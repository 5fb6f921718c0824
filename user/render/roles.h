/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What events are to the figures that are derived from counts: cycles, instructions, misses. */
#ifndef PMUBPF_RENDER_ROLES_H
#define PMUBPF_RENDER_ROLES_H

#include <stdbool.h>

#include "base/buf.h"
#include "model/derive.h"
#include "pmu/event.h"

struct derive_event event_role(const struct event *event);
/* Of all of them. The caller frees. */
struct derive_event *event_roles(const struct event_list *events);

/* As a saved profile has it: "misses cache=2 set=1 all=no", of a base clock with " khz=2100000". */
void role__put(const struct derive_event *role, struct buf *out);
/* False: it isn't such a text. What follows it is left alone. */
bool role__parse(const char *text, struct derive_event *ret);

#endif
