// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary_allocs.h"

#include <inttypes.h>

#include "base/num.h"
#include "model/duration.h"
#include "render/probed.h"

static void text_reach(const struct ledger_allocs *a, struct buf *out)
{
	const struct alloc_reach *r = &a->reach;
	char waited[DURATION_TEXT], worked[DURATION_TEXT];

	duration_text(r->processes ? r->waited_ns / r->processes : 0, waited);
	duration_text(r->worked_ns, worked);
	if (a->inherited)
		buf__printf(out,
			    "    of these %" PRIu64 " in blocks that the parent had allocated "
			    "before the fork\n",
			    a->inherited);
	if (r->processes + r->gone)
		buf__printf(out,
			    "    %" PRIu64 " children were probed, %s after their forks as a mean; "
			    "%" PRIu64 " ended before\n",
			    r->processes, waited, r->gone);
	if (r->worked_ns)
		buf__printf(out, "    looking for allocators and putting probes in took %s\n",
			    worked);
	if (r->failed + r->no_room)
		buf__printf(out,
			    "    %" PRIu64 " times a file of a process could not be probed, and "
			    "%" PRIu64 " times there was no room for that\n",
			    r->failed, r->no_room);
	if (r->files_served + r->files_unread)
		buf__printf(out,
			    "    passed over: %" PRIu64 " files that processes serve (FUSE), "
			    "%" PRIu64 " whose symbols could not be read in time\n",
			    r->files_served, r->files_unread);
	if (a->forgotten)
		buf__printf(out,
			    "    %" PRIu64
			    " times all blocks of a process were forgotten, for lack "
			    "of room to keep them apart from its parent's (--max-memory)\n",
			    a->forgotten);
}

void summary_allocs__text(const struct ledger_allocs *a, struct buf *out)
{
	const struct pmb_alloc_stats *k = &a->kernel;

	if (!a->asked)
		return;
	buf__printf(out,
		    "  allocation known for %.1f %% of samples about heaps and mapped memory: "
		    "%" PRIu64 " of %" PRIu64 "; %llu blocks were allocated, %llu freed\n",
		    num__percent(a->known, a->samples), a->known, a->samples, k->blocks, k->freed);
	text_reach(a, out);
	probed__slices_text(&a->probed, "    ", "what was known of blocks ends with each", out);
	if (k->timed)
		buf__printf(out,
			    "    each of %llu times that a probe was met took %llu ns, by %llu of "
			    "them, beside the trap itself\n",
			    k->entries + k->exits, k->timed_ns / k->timed, k->timed);
	if (k->blocks_lost + k->no_room + a->no_room)
		buf__printf(out,
			    "    %llu more blocks are not known: %llu found no room in the ring "
			    "(-m 4M), %llu were of too many threads, %" PRIu64
			    " of too many blocks (--max-memory)\n",
			    k->blocks_lost + k->no_room + a->no_room, k->blocks_lost, k->no_room,
			    a->no_room);
	if (k->frees_lost)
		buf__printf(out,
			    "    of %llu blocks it was not told that they were freed: all that was "
			    "known until then is forgotten\n",
			    k->frees_lost);
}

void summary_allocs__json(const struct ledger_allocs *a, struct json *j)
{
	const struct pmb_alloc_stats *k = &a->kernel;

	if (!a->asked) {
		json__null(j, "allocations");
		return;
	}
	json__obj(j, "allocations");
	json__u64(j, "samples", a->samples);
	json__u64(j, "known", a->known);
	json__u64(j, "inherited", a->inherited);
	json__u64(j, "blocks", k->blocks);
	json__u64(j, "freed", k->freed);
	json__u64(j, "blocks_lost", k->blocks_lost);
	json__u64(j, "frees_lost", k->frees_lost);
	json__u64(j, "no_room_for_calls", k->no_room);
	json__u64(j, "no_room", a->no_room);
	json__u64(j, "forgotten", a->forgotten);
	json__obj(j, "reach");
	json__u64(j, "processes", a->reach.processes);
	json__u64(j, "waited_ns", a->reach.waited_ns);
	json__u64(j, "worked_ns", a->reach.worked_ns);
	json__u64(j, "gone", a->reach.gone);
	json__u64(j, "failed", a->reach.failed);
	json__u64(j, "no_room", a->reach.no_room);
	json__u64(j, "files_served", a->reach.files_served);
	json__u64(j, "files_unread", a->reach.files_unread);
	json__end_obj(j);
	probed__json(&a->probed, j);
	json__u64(j, "entries", k->entries);
	json__u64(j, "exits", k->exits);
	json__u64(j, "hit_ns", k->timed ? k->timed_ns / k->timed : 0);
	json__end_obj(j);
}
