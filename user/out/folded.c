// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lines are made twice over: first as arrays of name numbers, so that rows merge without any text
 * being written, then as text, once for each line that is left.
 */
#include "out/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "out/escape.h"

struct sums {
	uint64_t samples, weight;
	uint64_t number; /* what is printed, once all rows are added */
	bool merged;     /* into another line */
};

struct folder {
	const struct profile *profile;
	const struct folded_opts *opts;
	const struct frame *frames;
	struct intern texts; /* escaped names with their NUL */
	struct frame_texts {
		size_t first; /* in frame_parts */
		size_t n;     /* more than one: with what was inlined into it, outermost first */
	} * frame_texts;      /* by frame id */
	uint32_t *frame_parts;
	size_t n_frame_parts, cap_frame_parts;
	uint32_t *parts; /* of the line that is being made */
	size_t n_parts, cap_parts;
	struct intern lines; /* arrays of: event, texts… */
	struct sums *sums;   /* by line number - 1 */
	size_t n_sums, cap_sums;
};

/* _[k], _[i], _[j]: the kernel's, inlined, made by a JIT. */
static bool ends_in_suffix(const struct buf *text)
{
	const char *end = text->len >= 4 ? text->data + text->len - 4 : "";

	return !strcmp(end, "_[k]") || !strcmp(end, "_[i]") || !strcmp(end, "_[j]");
}

static uint32_t text_number(struct folder *f, const char *name, const char *suffix)
{
	_cleanup_(buf__done) struct buf text = {0};

	escape_name(&text, name);
	if (!*suffix && ends_in_suffix(&text)) {
		char kind = text.data[text.len - 2];

		text.len -= 3; /* a program's own name may not look like another kind of frame */
		buf__printf(&text, "\\x5b%c]", kind);
	}
	buf__puts(&text, suffix);
	return intern__add(&f->texts, text.data, text.len + 1);
}

static const char *suffix_of(const struct frame *frame, enum sym_reason reason)
{
	if (frame->kind == FRAME_KERNEL)
		return "_[k]";
	return frame->kind == FRAME_JIT && reason == SYM_NAMED ? "_[j]" : "";
}

static void add_frame_part(struct folder *f, uint32_t text)
{
	GROW(f->frame_parts, f->n_frame_parts, f->cap_frame_parts);
	f->frame_parts[f->n_frame_parts++] = text;
}

static void number_frames(struct folder *f, const struct names *names)
{
	size_t n = profile__frames(f->profile, &f->frames);

	f->frame_texts = xcalloc(n, sizeof(*f->frame_texts));
	for (size_t i = 0; i < n; i++) {
		const struct names_inlined *inlined = names->inlined ? &names->inlined[i] : NULL;
		const char *suffix = suffix_of(&f->frames[i], names->reason[i]);

		f->frame_texts[i].first = f->n_frame_parts;
		add_frame_part(f, text_number(f, names->text[i], suffix));
		for (size_t k = 0; inlined && k < inlined->n; k++)
			add_frame_part(f, text_number(f, inlined->text[k], "_[i]"));
		f->frame_texts[i].n = f->n_frame_parts - f->frame_texts[i].first;
	}
}

static void add_part(struct folder *f, uint32_t part)
{
	GROW(f->parts, f->n_parts, f->cap_parts);
	f->parts[f->n_parts++] = part;
}

/* How much of a stack fits into `room` frames, from the leaf. */
struct shown {
	const uint32_t *frames; /* leaf first */
	uint32_t n;
	size_t skipped; /* of the last one's texts, outermost */
};

static struct shown choose_frames(const struct folder *f, uint32_t stack, size_t *room)
{
	struct shown s = {0};
	uint32_t n = profile__stack_frames(f->profile, stack, &s.frames);

	while (s.n < n && *room) {
		size_t texts = f->frame_texts[s.frames[s.n++]].n;

		s.skipped = texts > *room ? texts - *room : 0;
		*room -= texts - s.skipped;
	}
	return s;
}

static void add_shown(struct folder *f, const struct shown *s)
{
	size_t skipped = s->skipped;

	for (uint32_t i = s->n; i-- > 0; skipped = 0) {
		const struct frame_texts *texts = &f->frame_texts[s->frames[i]];

		for (size_t k = skipped; k < texts->n; k++)
			add_part(f, f->frame_parts[texts->first + k]);
	}
}

/* The stack root first: user frames, then the kernel's above them; cut at the root's end. */
static void add_frames(struct folder *f, const struct profile_key *key)
{
	size_t room = f->opts->max_depth ? f->opts->max_depth : SIZE_MAX;
	struct shown kernel = choose_frames(f, key->kernel_stack, &room);
	struct shown user = choose_frames(f, key->user_stack, &room);

	add_shown(f, &user);
	add_shown(f, &kernel);
}

/* Its index, new or not. */
static uint32_t add_line(struct folder *f, const uint32_t *parts, size_t size)
{
	uint32_t line = intern__add(&f->lines, parts, size);

	if (line > f->n_sums) {
		GROW(f->sums, f->n_sums, f->cap_sums);
		f->sums[f->n_sums++] = (struct sums){0};
	}
	return line - 1;
}

static void add_row(struct folder *f, const struct profile_row *row)
{
	uint32_t line;

	if (f->opts->events[row->key.event].hidden)
		return;
	f->n_parts = 0;
	add_part(f, row->key.event);
	add_part(f, text_number(f, profile__comm_text(f->profile, row->key.comm), ""));
	add_frames(f, &row->key);
	if (row->key.has_addr) {
		char addr[32];

		snprintf(addr, sizeof(addr), "[0x%" PRIx64 "]", row->key.addr);
		add_part(f, text_number(f, addr, ""));
	}
	line = add_line(f, f->parts, f->n_parts * sizeof(*f->parts));
	f->sums[line].samples += row->samples;
	f->sums[line].weight += row->weight;
}

uint64_t folded_event__number(const struct folded_event *event, uint64_t samples, uint64_t weight)
{
	if (event->unit == NUMBER_SAMPLES)
		return samples;
	if (event->scale > 0 && event->scale != 1)
		weight = (uint64_t)llround((double)weight * event->scale);
	return event->unit == NUMBER_TIME && event->rate.hz > 0 ?
		       clock_rate__ns(&event->rate, weight) :
		       weight;
}

/* The cycles of unlike cores aren't alike: first each line gets its number, then those of events that
 * share their lines are added. */
static void number_lines(struct folder *f)
{
	size_t n = f->n_sums, size;
	uint32_t line;

	for (size_t i = 0; i < n; i++) {
		const uint32_t *own = intern__get(&f->lines, (uint32_t)i + 1, &size);
		const struct folded_event *event = &f->opts->events[own[0]];
		uint64_t number =
			folded_event__number(event, f->sums[i].samples, f->sums[i].weight);

		line = (uint32_t)i;
		if (event->lead && event->lead != event) {
			f->n_parts = 0;
			add_part(f, (uint32_t)(event->lead - f->opts->events));
			for (size_t k = 1; k < size / sizeof(*own); k++)
				add_part(f, own[k]);
			line = add_line(f, f->parts, size);
			f->sums[i].merged = true;
		}
		f->sums[line].number += number;
	}
}

static char *line_text(const struct folder *f, uint32_t line)
{
	size_t size, ignored;
	const uint32_t *parts = intern__get(&f->lines, line, &size);
	const struct folded_event *event = &f->opts->events[parts[0]];
	struct buf text = {0};

	if (event->name) {
		escape_name(&text, event->name);
		buf__putc(&text, ';');
	}
	for (size_t i = 1; i < size / sizeof(*parts); i++) {
		if (i > 1)
			buf__putc(&text, ';');
		buf__puts(&text, intern__get(&f->texts, parts[i], &ignored));
	}
	buf__printf(&text, " %" PRIu64 "\n", f->sums[line - 1].number);
	return buf__take(&text);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int write_lines(const struct folder *f, FILE *file)
{
	_cleanup_free_ char **texts = xcalloc(f->n_sums, sizeof(*texts));
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < f->n_sums; i++) {
		if (!f->sums[i].merged)
			texts[n++] = line_text(f, (uint32_t)i + 1);
	}
	qsort(texts, n, sizeof(*texts), compare_texts);
	errno = 0;
	for (size_t i = 0; i < n; i++) {
		if (r == 0 && fputs(texts[i], file) == EOF)
			r = errno ? -errno : -EIO;
		free(texts[i]);
	}
	if (r == 0 && fflush(file) == EOF)
		r = errno ? -errno : -EIO;
	return r;
}

int folded__write(FILE *file, const struct profile *profile, const struct names *names,
		  const struct folded_opts *opts)
{
	struct folder f = {.profile = profile, .opts = opts};
	const struct profile_row *rows;
	size_t n = profile__rows(profile, &rows);
	int r;

	number_frames(&f, names);
	for (size_t i = 0; i < n; i++)
		add_row(&f, &rows[i]);
	number_lines(&f);
	r = write_lines(&f, file);
	intern__done(&f.texts);
	intern__done(&f.lines);
	free(f.frame_texts);
	free(f.frame_parts);
	free(f.parts);
	free(f.sums);
	return r;
}
