/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary's words for the time of threads, where time without a CPU was recorded. */
#ifndef PMUBPF_RENDER_OFF_CPU_H
#define PMUBPF_RENDER_OFF_CPU_H

#include <stdbool.h>

#include "base/buf.h"
#include "pmu/event.h"
#include "pmubpf/off_cpu.h"
#include "render/json.h"

/* What part of threads' time wasn't looked at. False: none that is worth saying first. */
bool off_cpu__doubt(const struct pmb_off_stats *off, const struct event_list *events,
		    struct buf *out);
/* Nothing where no switch was looked at. */
void off_cpu__text(const struct pmb_off_stats *off, struct buf *out);
/* The key off_cpu, null where none was. */
void off_cpu__json(const struct pmb_off_stats *off, struct json *j);

#endif
