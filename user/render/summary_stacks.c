// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary_stacks.h"

#include <inttypes.h>

#include "render/escape.h"

static void count_stack(struct frame_counts *counts, const struct profile *profile,
			const struct names *names, uint32_t stack, uint64_t samples)
{
	const uint32_t *frames;
	uint32_t n = profile__stack_frames(profile, stack, &frames);

	for (uint32_t i = 0; i < n; i++) {
		const struct sym_name *location = &names->locations[frames[i]];

		/* those that are neither are missing in the ledger */
		if (location->reason < N_SYM_REASONS && (location->reason || location->frame.name))
			counts->by_reason[location->reason] += samples;
	}
}

struct frame_counts count_frames(const struct profile *profile, const struct names *names)
{
	struct frame_counts counts = {{0}};
	const struct profile_row *rows;
	size_t n = profile__rows(profile, &rows);

	for (size_t i = 0; i < n; i++) {
		count_stack(&counts, profile, names, rows[i].key.kernel_stack, rows[i].samples);
		count_stack(&counts, profile, names, rows[i].key.user_stack, rows[i].samples);
	}
	return counts;
}

void frames_in_ledger(const struct frame_counts *counts, struct ledger_frames *ret)
{
	ret->named = counts->by_reason[SYM_NAMED];
	ret->unnamed = 0;
	for (int i = 0; i < N_SYM_REASONS; i++)
		ret->unnamed += i == SYM_NAMED ? 0 : counts->by_reason[i];
}

static void text_statuses(const char *side, const uint64_t *statuses, struct buf *out)
{
	bool any = false;

	for (int i = 0; i < PMB_N_UNWIND_STATUSES; i++) {
		if (i == PMB_END_NONE || !statuses[i])
			continue;
		if (!any)
			buf__printf(out, "  %s stacks:", side);
		buf__printf(out, "%s %" PRIu64 " %s", any ? "," : "", statuses[i], status_texts[i]);
		any = true;
	}
	if (any)
		buf__putc(out, '\n');
}

enum { TRUNCATING_SHOWN = 4 };

static void text_truncating(const struct truncating *all, struct buf *out)
{
	for (size_t i = 0; i < all->n && i < TRUNCATING_SHOWN; i++) {
		buf__printf(out, "    %" PRIu64 " ended in ", all->list[i].samples);
		escape_name(out, all->list[i].file);
		buf__printf(out, ": %s\n", status_texts[all->list[i].status]);
	}
	if (all->n > TRUNCATING_SHOWN)
		buf__printf(out, "    and %zu more, in the summary file\n",
			    all->n - TRUNCATING_SHOWN);
}

static void text_unwind(const struct ledger_unwind *u, struct buf *out)
{
	if (!u->built && !u->frames && !u->failed && !u->no_room)
		return;
	buf__printf(out, "  unwind tables: %" PRIu64 " files, %.1f MB, built in %.2f s", u->built,
		    (double)u->bytes / 1e6, (double)u->build_ns / 1e9);
	if (u->frames)
		buf__printf(out, "; %" PRIu64 " files have none and are walked by frame pointers",
			    u->frames);
	if (u->failed)
		buf__printf(out, "; %" PRIu64 " could not be read", u->failed);
	if (u->no_room)
		buf__printf(out, "; %" PRIu64 " had no room", u->no_room);
	if (u->evicted)
		buf__printf(out, "; %" PRIu64 " made room for others", u->evicted);
	if (u->readmitted)
		buf__printf(out, "; %" PRIu64 " of these found room later", u->readmitted);
	buf__printf(out,
		    "\n    %" PRIu64
		    " stacks were copied, because the tables of their files were not ready, and "
		    "walked later",
		    u->stack_dumps);
	if (u->stack_dumps_lost > u->stack_dumps_refused)
		buf__printf(out,
			    "; %" PRIu64 " more found no room in the ring buffer: a larger one "
			    "(-m 16M) helps",
			    u->stack_dumps_lost - u->stack_dumps_refused);
	if (u->stack_dumps_refused)
		buf__printf(out,
			    "; %" PRIu64 " more were beyond what --max-memory leaves for copies",
			    u->stack_dumps_refused);
	buf__putc(out, '\n');
}

/* "  contexts: 1990 read, 10 the process publishes none" */
static void text_contexts(const uint64_t *contexts, struct buf *out)
{
	bool any = false;

	for (int i = 0; i < PMB_N_CONTEXT_STATES; i++) {
		if (!contexts[i])
			continue;
		buf__printf(out, "%s %" PRIu64 " %s", any ? "," : "  contexts:", contexts[i],
			    context_texts[i]);
		any = true;
	}
	if (any)
		buf__putc(out, '\n');
}

static void text_frames(const struct frame_counts *frames, struct buf *out)
{
	buf__printf(out, "  frames: %" PRIu64 " named", frames->by_reason[SYM_NAMED]);
	for (int i = 0; i < N_SYM_REASONS; i++) {
		if (i != SYM_NAMED && frames->by_reason[i])
			buf__printf(out, ", %" PRIu64 " unnamed: %s", frames->by_reason[i],
				    sym_reason_texts[i]);
	}
	buf__putc(out, '\n');
}

void summary_stacks__text(const struct ledger *ledger, const struct frame_counts *frames,
			  struct buf *out)
{
	text_statuses("user", ledger->user_statuses, out);
	text_truncating(&ledger->truncating, out);
	text_unwind(&ledger->unwind, out);
	text_statuses("kernel", ledger->kernel_statuses, out);
	text_contexts(ledger->contexts, out);
	text_frames(frames, out);
}
