// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/loss.h"

#include <inttypes.h>

void loss__put_from(const struct processor_loss *loss, uint64_t from_ns, struct buf *out)
{
	if (loss->watched && from_ns)
		buf__printf(out, " (from %.0f s on)", (double)from_ns / 1e9);
	else if (loss->watched)
		buf__puts(out, " (from the beginning on)");
}

/* Clocks count both as time of the program that had the CPU. */
void loss__text(const struct processor_loss *loss, struct buf *out)
{
	if (loss->stolen_percent >= STOLEN_MUCH) {
		buf__printf(out, "  the hypervisor took %.1f %% of the CPUs' time",
			    loss->stolen_percent);
		loss__put_from(loss, loss->stolen_from_ns, out);
		buf__puts(out, "; clocks count it as time of the program that was on the CPU\n");
	}
	if (loss->throttled) {
		buf__printf(out, "  CPUs were slowed down %" PRIu64 " times", loss->throttled);
		loss__put_from(loss, loss->throttled_from_ns, out);
		buf__puts(out, " because they were too hot: cycles took longer than usual\n");
	}
}

static void put_since(struct json *j, const char *key, bool any, uint64_t from_ns)
{
	if (any)
		json__f64(j, key, (double)from_ns / 1e9, 3);
	else
		json__null(j, key);
}

void loss__json(const struct processor_loss *loss, struct json *j)
{
	json__obj(j, "processor");
	json__f64(j, "stolen_percent", loss->stolen_percent, 2);
	put_since(j, "stolen_from_s", loss->watched && loss->stolen_percent >= STOLEN_MUCH,
		  loss->stolen_from_ns);
	if (loss->knows_heat) {
		json__u64(j, "throttled", loss->throttled);
		put_since(j, "throttled_from_s", loss->watched && loss->throttled,
			  loss->throttled_from_ns);
	}
	json__end_obj(j);
}
