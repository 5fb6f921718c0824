// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary_windows.h"

#include <inttypes.h>

#include "model/duration.h"
#include "pmubpf/budgets.h"
#include "render/probed.h"

/* Which of them were asked for. */
static void text_kept(const struct summary *s, struct buf *out)
{
	char longer[DURATION_TEXT];

	buf__printf(out, "%" PRIu64 " kept", s->ledger->windows.kept);
	if (s->longer_ns) {
		duration_text(s->longer_ns, longer);
		buf__printf(out, ", of %s and longer", longer);
	}
	if (s->slowest)
		buf__printf(out, ", the %zu slowest at most", s->slowest);
}

/* What is closed then may have been inside. */
static void text_probes(const struct ledger_windows *w, struct buf *out)
{
	probed__slices_text(&w->probed, "    ",
			    "other windows are not among these, nor their samples", out);
	if (w->kernel.unwatched)
		buf__printf(out,
			    "    %llu overflows came meanwhile, and nobody knows in what: they are "
			    "closed\n",
			    w->kernel.unwatched);
	probed__spent_text(&w->probed, "    ", out);
}

/* Ends that are not ends, or were not seen. */
static void text_left(const struct ledger_windows *w, struct buf *out)
{
	if (w->kernel.caught)
		buf__printf(out,
			    "    %llu ended where an exception that left their function was "
			    "caught\n",
			    w->kernel.caught);
	if (w->kernel.missed)
		buf__printf(
			out,
			"    %llu beginnings or ends were missed: the kernel was amid a program "
			"of ours, so some windows may be several, or are not there\n",
			w->kernel.missed);
	if (w->kernel.abandoned)
		buf__printf(out,
			    "    the end of %llu was not seen (abandoned): their function was left "
			    "by none of its exits (longjmp, a panic of Go's, the end of the "
			    "thread, an exception that wasn't seen to be caught)%s, so they count "
			    "until their last overflow\n",
			    w->kernel.abandoned,
			    is_sliced(&w->probed) ? ", or their probes went" : "");
}

/* Of what they lasted a part only is in samples. */
static void text_of_go(const struct summary *s, struct buf *out)
{
	const struct ledger_windows *w = &s->ledger->windows;
	const struct ledger_event *e = s->ledger->events;

	buf__puts(out, "    while a goroutine waits, or has no thread, it is in no sample");
	if (s->events->events[0].unit == UNIT_NS && e->must_count)
		buf__printf(out, ": %s's stand for %.1f %% of that time", e->name,
			    100.0 * (double)(e->weight + e->weight_quick + e->weight_unheld) /
				    (double)w->kernel.ended_ns);
	buf__putc(out, '\n');
}

void summary_windows__text(const struct summary *s, struct buf *out)
{
	const struct ledger_windows *w = &s->ledger->windows;
	const char *between = ": ";

	if (!s->window)
		return;
	buf__printf(out, "  windows %s%s: %llu began, %llu ended; %" PRIu64 " had samples",
		    s->window, s->window_process ? " of processes" : "", w->kernel.began,
		    w->kernel.ended, w->sampled);
	if (w->open)
		buf__printf(out, " (%" PRIu64 " of them open at the end)", w->open);
	buf__puts(out, ", ");
	text_kept(s, out);
	buf__putc(out, '\n');
	if (w->kernel.ended)
		buf__printf(out, "    they lasted %.3f s", (double)w->kernel.ended_ns / 1e9);
	for (unsigned i = 0; i < DURATION_CLASSES; i++) {
		char class[DURATION_TEXT];

		if (!w->kernel.by_duration[i])
			continue;
		duration_class_text(i, false, class);
		buf__printf(out, "%s%s %llu", between, class, w->kernel.by_duration[i]);
		between = ", ";
	}
	if (w->kernel.ended)
		buf__putc(out, '\n');
	if (w->of_go && w->kernel.ended_ns)
		text_of_go(s, out);
	if (w->kernel.began_before)
		buf__printf(out,
			    "    of %llu the beginning was not seen: they count from their first "
			    "overflow\n",
			    w->kernel.began_before);
	if (w->kernel.nested)
		buf__printf(out,
			    s->window_process ?
				    "    %llu more were opened inside of one, by any thread\n" :
				    "    %llu would have begun inside of one, which goes on\n",
			    w->kernel.nested);
	text_left(w, out);
	if (w->kernel.timed)
		buf__printf(out,
			    "    each of %llu times that a probe was met took %llu ns, by %llu of "
			    "them; a window with nothing in it takes two\n",
			    w->kernel.hits, w->kernel.timed_ns / w->kernel.timed, w->kernel.timed);
	text_probes(w, out);
	if (w->kernel.no_room)
		buf__printf(out, "    %llu could not begin: more than %d %s\n", w->kernel.no_room,
			    BUDGET_WINDOW_THREADS,
			    w->of_go ? "goroutines had windows before, or one had their number" :
				       "threads had windows before");
	if (w->kernel.ends_lost)
		buf__printf(out,
			    "    of %llu the end was lost, the ring buffer had no room; a larger "
			    "ring (-m 4M) helps\n",
			    w->kernel.ends_lost);
}

static uint64_t unheld(const struct ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ledger->n_events; i++)
		sum += ledger->events[i].unheld;
	return sum;
}

void summary_windows__json(const struct summary *s, struct json *j)
{
	const struct ledger_windows *w = &s->ledger->windows;
	int classes = DURATION_CLASSES;

	if (!s->window) {
		json__null(j, "windows");
		return;
	}
	json__obj(j, "windows");
	json__str(j, "name", s->window);
	json__str(j, "scope", s->window_process ? "process" : "thread");
	json__u64(j, "began", w->kernel.began);
	json__u64(j, "ended", w->kernel.ended);
	json__u64(j, "began_before", w->kernel.began_before);
	json__u64(j, "nested", w->kernel.nested);
	json__u64(j, "abandoned", w->kernel.abandoned);
	json__u64(j, "caught", w->kernel.caught);
	json__u64(j, "no_room", w->kernel.no_room);
	json__u64(j, "hits", w->kernel.hits);
	json__u64(j, "hit_ns", w->kernel.timed ? w->kernel.timed_ns / w->kernel.timed : 0);
	json__u64(j, "ends_lost", w->kernel.ends_lost);
	json__u64(j, "emulated", w->kernel.emulated);
	json__u64(j, "stepped", w->kernel.stepped);
	json__u64(j, "unwatched", w->kernel.unwatched);
	json__u64(j, "missed", w->kernel.missed);
	probed__json(&w->probed, j);
	json__u64(j, "ended_ns", w->kernel.ended_ns);
	json__u64(j, "sampled", w->sampled);
	json__u64(j, "open", w->open);
	json__u64(j, "kept", w->kept);
	json__u64(j, "unheld", unheld(s->ledger));
	json__arr(j, "by_duration"); /* 2^i ns and longer */
	while (classes && !w->kernel.by_duration[classes - 1])
		classes--;
	for (int i = 0; i < classes; i++)
		json__u64(j, NULL, w->kernel.by_duration[i]);
	json__end_arr(j);
	json__end_obj(j);
}
