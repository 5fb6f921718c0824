// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/probed.h"

#include <inttypes.h>

#include "base/num.h"
#include "model/duration.h"

void probed__slices_text(const struct probed *p, const char *indent, const char *then,
			 struct buf *out)
{
	if (is_sliced(p))
		buf__printf(out,
			    "%sthe budget took the probes out for a while: they were in place for "
			    "%.1f %% of the time, in %" PRIu64 " slice%s; %s (--budget)\n",
			    indent, num__percent(p->on_ns, p->span_ns), p->slices,
			    p->slices == 1 ? "" : "s", then);
}

void probed__spent_text(const struct probed *p, const char *indent, struct buf *out)
{
	char spent[DURATION_TEXT], changes[DURATION_TEXT];

	if (!p->span_ns)
		return;
	duration_text(p->spent_ns, spent);
	duration_text(p->changes_ns, changes);
	buf__printf(out,
		    "%sthe probes took those that met them about %s of CPU time, %.2f %% of one "
		    "CPU, and us %s to put them in and take them out\n",
		    indent, spent, num__percent(p->spent_ns, p->span_ns), changes);
}

void probed__json(const struct probed *p, struct json *j)
{
	json__f64(j, "probed_s", (double)p->on_ns / 1e9, 6);
	json__f64(j, "span_s", (double)p->span_ns / 1e9, 6);
	json__u64(j, "slices", p->slices);
	json__f64(j, "probes_took_s", (double)p->spent_ns / 1e9, 6);
	json__f64(j, "probes_changes_s", (double)p->changes_ns / 1e9, 6);
}
