// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/verdict.h"
#include "render/json.h"
#include "render/stat.h"

static struct verdict verdict(const struct stat_report *r)
{
	const struct pmb_distribution *of = r->work->of[PMB_UNITS_REAL];
	const struct verdict_times times = {
		.span = r->counts->to_ns - r->counts->from_ns,
		.duration = of[PMB_SERIES_DURATION].sum,
		.cpu = of[PMB_SERIES_CPU].sum,
		.wait = of[PMB_SERIES_WAIT].sum,
		.off = of[PMB_SERIES_OFF].sum,
		.io = of[PMB_SERIES_IO].sum,
		.throttled = r->throttled_ns,
		.gpu = r->gpu_ns,
	};

	return verdict_of(&times);
}

static void put_gain(struct buf *out, double percent)
{
	if (isfinite(percent))
		buf__printf(out, "%.0f %%", percent);
	else
		buf__puts(out, "anything");
}

void stat__verdict_text(const struct stat_report *r, struct buf *out)
{
	const struct verdict v = verdict(r);

	/* units of `run' end where they would wait */
	if (v.bound == BOUND_NOTHING && r->work->of[PMB_UNITS_REAL][PMB_SERIES_DURATION].sum)
		return;
	stat__line_begins(r, out);
	buf__printf(out, "bound by %s", bound_words[v.bound]);
	if (v.bound != BOUND_NOTHING) {
		buf__printf(
			out,
			": %.1f %% of its time on a CPU, %.1f %% held by a quota, %.1f %% ready "
			"without a CPU, %.1f %% waiting for I/O, %.1f %% blocked otherwise",
			v.cpu, v.quota, v.queue, v.io, v.off - v.io);
		if (v.gpu > 0)
			buf__printf(out, "; a GPU was busy %.1f %% of the time", v.gpu);
		buf__puts(out, "; more CPU gains at most ");
		put_gain(out, v.gain_cpu);
		buf__puts(out, ", a larger quota alone ");
		put_gain(out, v.gain_quota);
		buf__printf(out, "; %.2f at a time", v.at_a_time);
	}
	buf__putc(out, '\n');
}

void stat__verdict_json(const struct stat_report *r, struct json *j)
{
	const struct verdict v = verdict(r);

	json__obj(j, "verdict");
	json__str(j, "bound", bound_keys[v.bound]);
	json__f64(j, "cpu_percent", v.cpu, 2);
	json__f64(j, "quota_percent", v.quota, 2);
	json__f64(j, "run_queue_percent", v.queue, 2);
	json__f64(j, "blocked_percent", v.off, 2);
	json__f64(j, "io_percent", v.io, 2);
	json__f64(j, "gpu_percent", v.gpu, 2);
	json__f64(j, "at_a_time", v.at_a_time, 3);
	json__f64(j, "gain_quota_percent", v.gain_quota, 1);
	json__f64(j, "gain_cpu_percent", v.gain_cpu, 1);
	json__end_obj(j);
}
