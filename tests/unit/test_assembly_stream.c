// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recording that is cut is the same recording: a stored stream (tests/bench/stream.h). */
#include <zlib.h>

#include "../bench/stream.h"
#include "assembly_cut.h"
#include "prof/merge.h"
#include "prof/recorded.h"
#include "render/folded.h"
#include "sym/texts.h"

/* The sum of parts. */
struct sum {
	struct prof *prof;
	struct profile *profile;
	struct ledger books;
	size_t n_parts;
	uint64_t most_held;
};

static struct prof *named(const struct profile *profile)
{
	static const struct measure measures[2] = {{.unit = NUMBER_TIME, .is_time = true},
						   {.unit = NUMBER_EVENTS}};
	static const char *const events[] = {"cpu-clock", "other"};
	const struct frame *frames;
	struct names names = {.n = profile__frames(profile, &frames), .texts = texts__new(0)};
	const struct recorded recorded = {
		.profile = profile,
		.files = files,
		.names = &names,
		.measures = measures,
		.events = events,
		.n_events = 2,
	};
	struct prof *prof;

	names.locations = xcalloc(names.n, sizeof(*names.locations));
	for (size_t i = 0; i < names.n; i++) {
		char *text = xasprintf("f%u+%lx", frames[i].file, (unsigned long)frames[i].off);

		names.locations[i].frame.name = texts__add(names.texts, text, strlen(text));
		names.locations[i].vaddr = frames[i].off;
		free(text);
	}
	prof = prof__recorded(&recorded);
	names__done(&names);
	return prof;
}

static void add_part(struct sum *sum, uint64_t boundary)
{
	struct assembled part = assembly__cut(&assembly, boundary);
	struct prof *prof = named(part.profile);
	struct err err = {0};

	ledger__count_rows(&part.books, part.profile);
	expect_to_balance(&part.books);
	if (part.books.events[0].out.held > sum->most_held)
		sum->most_held = part.books.events[0].out.held;
	if (!sum->n_parts++) {
		*sum = (struct sum){prof, part.profile, part.books, 1, sum->most_held};
		return;
	}
	cr_assert_eq(prof__merge(&sum->prof, prof, "a part", &err), 0);
	profile__merge(sum->profile, part.profile);
	ledger__follow(&sum->books, &part.books);
	prof__free(prof);
	profile__free(part.profile);
	ledger__done(&part.books);
}

static void sum__done(struct sum *sum)
{
	prof__free(sum->prof);
	profile__free(sum->profile);
	ledger__done(&sum->books);
}

static char *folded(const struct prof *prof)
{
	const struct format_opts opts = {.unit = -1};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	folded__write(f, prof, &opts);
	fclose(f);
	return text;
}

static void read_stream(struct buf *stream)
{
	gzFile file = gzopen(STREAM, "rb");
	char chunk[65536];
	int n;

	cr_assert(file);
	while ((n = gzread(file, chunk, sizeof(chunk))) > 0)
		buf__add(stream, chunk, (size_t)n);
	gzclose(file);
}

static void play(const struct stream_head *head)
{
	union {
		struct pmb_rec rec;
		struct pmb_stack stack;
		struct pmb_sample sample;
		struct life life;
		uint8_t bytes[16384];
	} record;

	if (head->size > sizeof(record))
		return;
	memcpy(&record, head + 1, head->size);
	if (head->kind == STREAM_LIFE) {
		record.life.path = (const char *)(&record.life + 1);
		record.life.tgid += APART;
		record.life.tid += APART;
		record.life.parent_tgid += APART;
		assembly__life(&assembly, &record.life);
		return;
	}
	if (record.rec.type == PMB_REC_STACK && record.stack.tgid)
		record.stack.tgid += APART;
	else if (record.rec.type == PMB_REC_SAMPLE && record.sample.tgid)
		record.sample.tgid += APART;
	assembly__record(&assembly, &record, record.rec.size);
}

/* Cuts after every so many rounds; 0: at the end alone. */
static struct sum play_all(size_t every)
{
	struct buf stream = {0};
	const struct stream_head *head, *last;
	struct sum sum = {0};
	size_t rounds = 0;

	read_stream(&stream);
	last = (const void *)(stream.data + stream.len);
	for (head = (const void *)stream.data; head < last;
	     head = (const void *)((const uint8_t *)(head + 1) + head->size)) {
		uint64_t horizon;

		if (head->kind != STREAM_ROUND) {
			play(head);
			continue;
		}
		horizon = *(const uint64_t *)(head + 1);
		assembly__settle(&assembly, horizon);
		assembly__tidy(&assembly, horizon);
		if (every && ++rounds % every == 0)
			add_part(&sum, horizon);
	}
	add_part(&sum, UINT64_MAX);
	buf__done(&stream);
	return sum;
}

static void expect_the_same(size_t every)
{
	struct sum whole = play_all(0), cut;
	char *a = folded(whole.prof), *b, *c;
	struct prof *model;

	end();
	begin();
	cut = play_all(every);
	b = folded(cut.prof);
	model = named(cut.profile);
	c = folded(model);
	cr_expect_gt(cut.n_parts, 2, "%zu parts", cut.n_parts);
	cr_expect_gt(cut.most_held, 0, "nothing was carried over: it would test little");
	cr_expect_gt(strlen(a), 1000);
	cr_expect(strcmp(a, b) == 0, "the sum of named parts is another profile");
	cr_expect(strcmp(a, c) == 0, "the sum of parts is another profile");
	for (size_t i = 0; i < 2; i++) {
		struct ledger_event x = columns_of(&whole.books.events[i]),
				    y = columns_of(&cut.books.events[i]);

		cr_expect_eq(memcmp(&x, &y, sizeof(x)), 0);
	}
	cr_expect_eq(whole.books.stacks_received, cut.books.stacks_received);
	for (int i = 0; i < PMB_N_UNWIND_STATUSES; i++) {
		cr_expect_eq(whole.books.user_statuses[i], cut.books.user_statuses[i]);
		cr_expect_eq(whole.books.kernel_statuses[i], cut.books.kernel_statuses[i]);
	}
	free(a), free(b), free(c);
	prof__free(model);
	sum__done(&whole);
	sum__done(&cut);
}

Test(assembly, a_stream_cut_after_every_round)
{
	expect_the_same(1);
}

Test(assembly, a_stream_cut_now_and_then)
{
	expect_the_same(5);
}
