// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as the text of --window. What is accepted is whole, what is refused has a reason. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "pmu/window_spec.h"

static void check_probe(const struct window_probe *p)
{
	bool whole = p->kind == PROBE_ADDRESS ? p->offset != 0 : p->name && *p->name;

	if (!whole || (p->file && *p->file != '/') ||
	    ((p->kind == PROBE_USDT || p->kind == PROBE_TRACEPOINT) && !(p->group && *p->group)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(window_spec__done) struct window_spec spec;
	_cleanup_free_ char *text = fuzz_text(data, len);
	struct err err = {0};

	if (window_spec__parse(&spec, "--per", len & 1, text, &err) < 0) {
		if (!*err.text || err.exit_code != EXIT_USAGE)
			abort();
		return 0;
	}
	if (!spec.name || !*spec.name || spec.kind == WINDOW_NONE)
		abort();
	if (spec.kind == WINDOW_FUNCTION || spec.kind == WINDOW_BETWEEN || spec.kind == WINDOW_HITS)
		check_probe(&spec.from);
	if (spec.kind == WINDOW_BETWEEN)
		check_probe(&spec.to);
	return 0;
}
