/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What events are to the figures that are derived from counts: cycles, instructions, misses. */
#ifndef PMUBPF_OUT_ROLES_H
#define PMUBPF_OUT_ROLES_H

#include "model/derive.h"
#include "pmu/event.h"

struct derive_event event_role(const struct event *event);
/* Of all of them. The caller frees. */
struct derive_event *event_roles(const struct event_list *events);

#endif
