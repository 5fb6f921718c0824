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

enum { MAX_PARTS = 300 }; /* event, comm, two stacks of at most 127, address */

struct sums {
	uint64_t samples, weight;
	uint64_t number; /* what is printed, once all rows are added */
	bool merged;     /* into another line */
};

struct folder {
	const struct profile *profile;
	const struct folded_opts *opts;
	const struct frame *frames;
	struct intern texts;  /* escaped names with their NUL */
	uint32_t *frame_text; /* by frame id */
	struct intern lines;  /* arrays of: event, texts… */
	struct sums *sums;    /* by line number - 1 */
	size_t n_sums, cap_sums;
};

static uint32_t text_number(struct folder *f, const char *name, const char *suffix)
{
	static const char kernel[] = "_[k]";
	_cleanup_(buf__done) struct buf text = {0};

	escape_name(&text, name);
	if (!*suffix && text.len >= 4 && strcmp(text.data + text.len - 4, kernel) == 0) {
		text.len -= 3; /* a program's own name may not look like a kernel frame */
		buf__puts(&text, "\\x5bk]");
	}
	buf__puts(&text, suffix);
	return intern__add(&f->texts, text.data, text.len + 1);
}

static void number_frames(struct folder *f, const struct names *names)
{
	size_t n = profile__frames(f->profile, &f->frames);

	f->frame_text = xcalloc(n, sizeof(*f->frame_text));
	for (size_t i = 0; i < n; i++)
		f->frame_text[i] = text_number(f, names->text[i],
					       f->frames[i].kind == FRAME_KERNEL ? "_[k]" : "");
}

/* The stack root first: user frames, then the kernel's above them; cut at the root's end. */
static size_t add_frames(struct folder *f, const struct profile_key *key, uint32_t *parts, size_t n)
{
	unsigned limit = f->opts->max_depth ? f->opts->max_depth : MAX_PARTS;
	const uint32_t *kernel, *user;
	uint32_t n_kernel = profile__stack_frames(f->profile, key->kernel_stack, &kernel);
	uint32_t n_user = profile__stack_frames(f->profile, key->user_stack, &user);

	if (n_kernel > limit)
		n_kernel = limit;
	if (n_user > limit - n_kernel)
		n_user = limit - n_kernel;
	while (n_user)
		parts[n++] = f->frame_text[user[--n_user]];
	while (n_kernel)
		parts[n++] = f->frame_text[kernel[--n_kernel]];
	return n;
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
	uint32_t parts[MAX_PARTS], line;
	size_t n = 0;

	if (f->opts->events[row->key.event].hidden)
		return;
	parts[n++] = row->key.event;
	parts[n++] = text_number(f, profile__comm_text(f->profile, row->key.comm), "");
	n = add_frames(f, &row->key, parts, n);
	if (row->key.has_addr) {
		char addr[32];

		snprintf(addr, sizeof(addr), "[0x%" PRIx64 "]", row->key.addr);
		parts[n++] = text_number(f, addr, "");
	}
	line = add_line(f, parts, n * sizeof(*parts));
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
	uint32_t parts[MAX_PARTS], line;
	size_t n = f->n_sums, size;

	for (size_t i = 0; i < n; i++) {
		const uint32_t *own = intern__get(&f->lines, (uint32_t)i + 1, &size);
		const struct folded_event *event = &f->opts->events[own[0]];
		uint64_t number =
			folded_event__number(event, f->sums[i].samples, f->sums[i].weight);

		line = (uint32_t)i;
		if (event->lead && event->lead != event) {
			memcpy(parts, own, size);
			parts[0] = (uint32_t)(event->lead - f->opts->events);
			line = add_line(f, parts, size);
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
	free(f.frame_text);
	free(f.sums);
	return r;
}
