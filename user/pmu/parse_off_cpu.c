// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* off-cpu: a counter of switches whose samples weigh what time passes until the next run. */
#include <string.h>

#include "base/num.h"
#include "pmu/parse.h"

enum { MS = 1000000 };

static int refuse(const struct event *event, const struct parser *parser, const struct spec *spec)
{
	if (parser->counting)
		return err__usage(parser->err,
				  "event '%s' is time between two switches, which `pmubpf record` "
				  "takes; what can be counted is context-switches",
				  spec->shown);
	if (spec->mods && *spec->mods)
		return err__usage(parser->err,
				  "event '%s': a switch is made in the kernel, so modifiers say "
				  "nothing of it; leave '%s' out (--user-only leaves the kernel's "
				  "frames out)",
				  spec->shown, spec->mods);
	if (event->attr.freq)
		return err__usage(parser->err,
				  "event '%s': switches come when they come; period=N takes each "
				  "N-th, freq means nothing",
				  spec->shown);
	return 0;
}

int event__settle_off_cpu(struct event *event, const struct parser *parser, struct terms *terms,
			  const struct spec *spec)
{
	size_t kept = 0;

	for (size_t i = 0; i < terms->n; i++) {
		const struct term *term = &terms->terms[i];

		if (strcmp(term->key, "min") != 0) {
			terms->terms[kept++] = *term;
			continue;
		}
		if (!term->val || num__parse_time(term->val, MS, &event->off_min_ns) < 0)
			return err__usage(parser->err,
					  "event '%s': min=TIME leaves out what was shorter: "
					  "min=1ms, min=50us",
					  spec->shown);
	}
	terms->n = kept;
	return refuse(event, parser, spec);
}
