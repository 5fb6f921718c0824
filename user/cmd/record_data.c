// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/record_data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/skid.h"
#include "prof/data_typing.h"
#include "render/escape.h"
#include "session/signals.h"

void record_data__look(const struct record_args *a, struct session_result *result,
		       struct debuginfod *servers, struct places *ret)
{
	const struct profile_row *rows;
	size_t n = profile__rows(result->profile, &rows);
	_cleanup_close_ int more = signals__more_fd();
	struct data_finding found;
	struct err err;

	if (!(a->sampling.session.labels & LABEL_DATA))
		return;
	ret->profile = result->profile;
	ret->types = a->names.types;
	ret->servers = servers;
	ret->skids = xcalloc(a->sampling.events.n, sizeof(*ret->skids));
	for (size_t i = 0; i < a->sampling.events.n; i++)
		ret->skids[i] = (uint8_t)event_skid(&a->sampling.events.events[i]);
	/* without the helper no code was looked at: naming says why */
	places__resolve(ret, result->files, more, &err);
	for (size_t i = 0; i < n; i++) {
		if (places__find(ret, &rows[i], &found))
			result->ledger.events[rows[i].key.event].data_classes[found.class] +=
				rows[i].samples;
	}
}

enum { FILES_SAID = 3 };

/* The file with most; it counts no more then. */
static uint32_t take_most(uint64_t *samples, size_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < n; i++) {
		if (samples[i] > samples[most])
			most = i;
	}
	return most;
}

/* What to get, so that there are types next time: of files with a hundredth of the samples. */
static void note_undescribed(const struct files *files, uint64_t *samples, uint64_t all,
			     bool servers, struct buf *notes)
{
	static const char no_types[] = "types of data are not known where code has no debug "
				       "information: ";
	size_t n = files__count(files), said = 0;
	uint32_t file;

	while (said < FILES_SAID && samples[file = take_most(samples, n)] > all / 100) {
		buf__puts(notes, said++ ? ", " : no_types);
		escape_line(notes, files__get(files, file)->path);
		buf__printf(notes, " (%" PRIu64 " samples)", samples[file]);
		samples[file] = 0;
	}
	if (said)
		buf__printf(notes, "%s\n", servers ? "" : "; --debuginfod asks servers for it");
}

/* Of counters of accesses alone: what a clock's samples are, nobody takes for more. */
static void note_candidates(const struct record_args *a, const struct ledger *ledger,
			    struct buf *notes)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};
	_cleanup_free_ char *better = NULL;

	for (size_t i = 0; i < ledger->n_events; i++) {
		const struct event *event = &a->sampling.events.events[i];

		if (!event_counts_accesses(event) ||
		    !ledger->events[i].data_classes[DATA_CANDIDATE])
			continue;
		if (!pmus.n && pmus__read(&pmus, NULL) == 0)
			better = event_with_address(&pmus);
		buf__printf(notes,
			    "%s brings no address of data: objects are candidates, which nothing "
			    "has checked%s%s%s\n",
			    event->name, better ? "; `-e " : "", better ?: "",
			    better ? "' brings one" : "");
	}
}

void record_data__look_at_types(const struct record_args *a, struct session_result *result,
				const struct places *places, const struct names *names,
				struct buf *notes)
{
	_cleanup_free_ uint64_t *undescribed = NULL;
	const struct profile_row *rows;
	const struct frame *frames;
	enum data_typing typing;
	uint32_t frame;
	uint64_t all = 0;
	size_t n;

	if (!places->profile || !places->types)
		return;
	undescribed = xcalloc(files__count(result->files), sizeof(*undescribed));
	n = profile__rows(result->profile, &rows);
	profile__frames(result->profile, &frames);
	for (size_t i = 0; i < n; i++) {
		if (!data_typing__of(places, names, &rows[i], &typing))
			continue;
		result->ledger.events[rows[i].key.event].data_typings[typing] += rows[i].samples;
		all += rows[i].samples;
		frame = profile__leaf(result->profile, &rows[i].key);
		if (typing == TYPING_NO_DEBUG_INFO && frames[frame].kind == FRAME_FILE)
			undescribed[frames[frame].file] += rows[i].samples;
	}
	note_candidates(a, &result->ledger, notes);
	note_undescribed(result->files, undescribed, all, a->debuginfod, notes);
}
