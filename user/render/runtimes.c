// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/runtimes.h"

#include <inttypes.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "pmubpf/budgets.h"
#include "pmubpf/python.h"
#include "render/escape.h"

/* And what one can do about it. */
static void python_text(const struct unknown_runtime *u, struct buf *out)
{
	buf__puts(out,
		  ": its functions have no names, those of CPython " PMB_PYTHONS_KNOWN " have");
	if (u->version >= 0x030c0000)
		buf__puts(out, "; with -X perf it says them itself");
}

static void hotspot_text(const struct unknown_runtime *u, struct buf *out)
{
	buf__puts(out, ": it doesn't say where ");
	escape_name(out, u->missing);
	buf__puts(out, " is, so its functions have no names, those of Java " PMB_HOTSPOTS_KNOWN
		       " have; with a perf map (perf-map-agent) they have");
}

static void crowded_text(struct buf *out)
{
	buf__printf(out,
		    ": more than %d processes run it, and functions of so many at a time have "
		    "names; of others with -p",
		    BUDGET_HOTSPOTS);
}

static void v8_text(struct buf *out)
{
	buf__puts(out, ": it describes itself in another way, so its functions have no names, those"
		       " of Node " PMB_V8S_KNOWN " have; with --perf-basic-prof they have");
}

void runtimes__text(const struct unknown_runtimes *all, struct buf *out)
{
	for (size_t i = 0; i < all->n; i++) {
		buf__puts(out, "  runtime_unknown: ");
		unknown_runtime__text(&all->list[i], out);
		buf__puts(out, " in ");
		escape_name(out, all->list[i].file);
		if (all->list[i].is_v8)
			v8_text(out);
		else if (all->list[i].crowded)
			crowded_text(out);
		else if (all->list[i].missing)
			hotspot_text(&all->list[i], out);
		else
			python_text(&all->list[i], out);
		buf__putc(out, '\n');
	}
	if (all->more)
		buf__printf(out, "  runtime_unknown: and %" PRIu64 " more\n", all->more);
}

void runtimes__json(struct json *j, const struct unknown_runtimes *all)
{
	json__arr(j, "runtime_unknown");
	for (size_t i = 0; i < all->n; i++) {
		_cleanup_(buf__done) struct buf text = {0};

		unknown_runtime__text(&all->list[i], &text);
		json__obj(j, NULL);
		json__str(j, "runtime", text.data);
		json__str(j, "file", all->list[i].file);
		json__end_obj(j);
	}
	json__end_arr(j);
	json__u64(j, "runtime_unknown_more", all->more);
}
