// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lines are made twice over: first as arrays of name numbers, so that samples merge without any
 * text being written, then as text, once for each line that is left.
 */
#include "render/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "model/profile.h"
#include "prof/frames.h"
#include "prof/language.h"
#include "render/escape.h"

struct folder {
	const struct prof *prof;
	const struct format_opts *opts;
	struct intern texts;   /* escaped names with their NUL */
	uint32_t *frame_texts; /* by number of the frame; 0: not made yet */
	struct prof_frames frames;
	uint32_t *parts; /* of the line that is being made */
	size_t n_parts, cap_parts;
	struct intern lines; /* arrays of: event, texts… */
	int64_t *numbers;    /* by line number - 1 */
	size_t n_numbers, cap_numbers;
	uint8_t *heads; /* the same: how many parts stand before the stack */
	size_t cap_heads;
	bool *give_up; /* the same, of the first n_lines; NULL: all lines fit */
	size_t n_lines;
};

/* The kernel's, inlined, made by a JIT, run by Python's interpreter, Java's, JavaScript's. */
static const char *const suffixes[] = {"_[k]", "_[i]", "_[j]", "_[py]", "_[java]", "_[js]"};

/* "" if it has none. */
static const char *ending_suffix(const struct buf *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (text->len >= len && !strcmp(text->data + text->len - len, suffixes[i]))
			return suffixes[i];
	}
	return "";
}

static bool is_artificial(const char *name)
{
	for (size_t i = 0; i < N_ARTIFICIAL; i++) {
		if (strcmp(name, artificial_names[i]) == 0)
			return true;
	}
	return false;
}

static uint32_t text_number(struct folder *f, const char *name, const char *suffix)
{
	_cleanup_(buf__done) struct buf text = {0};
	const char *own;

	escape_name(&text, *name ? name : "[no name]"); /* a part of nothing would be no part */
	own = ending_suffix(&text);
	if (!*suffix && *own) {
		/* a program's own name may not look like another kind of frame */
		text.len -= strlen(own) - 1;
		buf__printf(&text, "\\x5b%s", own + 2);
	}
	buf__puts(&text, suffix);
	return intern__add(&f->texts, text.len ? text.data : "", text.len + 1);
}

static const char *suffix_of(const struct prof_frame *frame, const char *name)
{
	if (frame->inlined)
		return "_[i]";
	if (frame->kind == PROF_KERNEL)
		return "_[k]";
	if (frame->kind == PROF_PYTHON)
		return "_[py]";
	if (frame->kind == PROF_SCRIPT)
		return "_[js]";
	if (frame->kind != PROF_JIT || *name == '[')
		return "";
	return strcmp(prof_jit_language(name), "java") == 0 ? "_[java]" : "_[j]";
}

/* A function of a program that is called [other] is not what the tool calls so. */
static uint32_t own_number(struct folder *f, const char *name, const char *suffix)
{
	_cleanup_(buf__done) struct buf text = {0};

	buf__puts(&text, "\\x5b");
	escape_name(&text, name + 1);
	buf__puts(&text, suffix);
	return intern__add(&f->texts, text.data, text.len + 1);
}

static uint32_t frame_text(struct folder *f, const struct prof_frame *frame)
{
	_cleanup_(buf__done) struct buf name = {0};
	uint32_t *text = &f->frame_texts[frame->number];

	if (!*text) {
		prof_frame__text(frame, f->prof, f->opts->lines, &name);
		*text = frame->kind != PROF_ARTIFICIAL && is_artificial(name.data) ?
				own_number(f, name.data, suffix_of(frame, name.data)) :
				text_number(f, name.data, suffix_of(frame, name.data));
	}
	return *text;
}

static void add_part(struct folder *f, uint32_t part)
{
	GROW(f->parts, f->n_parts, f->cap_parts);
	f->parts[f->n_parts++] = part;
}

/* The stack root first: user frames, then the kernel's above them; cut at the root's end. */
static void add_frames(struct folder *f, uint32_t stack)
{
	size_t n;

	prof_frames__expand(&f->frames, f->prof, stack, f->opts->inlined);
	n = f->frames.n;
	if (f->opts->max_depth && n > f->opts->max_depth)
		n = f->opts->max_depth;
	while (n > 0)
		add_part(f, frame_text(f, &f->frames.list[--n]));
}

static void add_address(struct folder *f, uint32_t labels)
{
	const struct prof_label *addr = prof__label(f->prof, labels, "data_addr");
	_cleanup_(buf__done) struct buf text = {0};

	if (!addr)
		return;
	buf__printf(&text, "[%s]", prof__text(f->prof, addr->text));
	add_part(f, text_number(f, text.data, ""));
}

/* "thread redis-server/4711" */
static void add_thread(struct folder *f, uint32_t labels)
{
	const struct prof_label *comm = prof__label(f->prof, labels, "comm");
	const struct prof_label *tid = prof__label(f->prof, labels, "tid");
	_cleanup_(buf__done) struct buf text = {0};

	buf__printf(&text, "thread %s/%" PRId64, comm ? prof__text(f->prof, comm->text) : "",
		    tid ? tid->number : 0);
	add_part(f, text_number(f, text.data, ""));
}

/* "web-1", "cpu 3"; what has no such label says so, in brackets. */
static void add_label(struct folder *f, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(f->prof, labels, key);
	_cleanup_(buf__done) struct buf text = {0};

	buf__printf(&text, "[no %s]", key);
	if (label && label->text && strcmp(prof__text(f->prof, label->text), text.data) == 0) {
		/* the value of a program, not what stands where there is none */
		add_part(f, own_number(f, text.data, ""));
		return;
	}
	if (label)
		buf__clear(&text);
	if (label && label->text)
		buf__puts(&text, prof__text(f->prof, label->text));
	else if (label)
		buf__printf(&text, "%s %" PRId64, key, label->number);
	add_part(f, text_number(f, text.data, ""));
}

static void add_number(struct folder *f, size_t head, int64_t number)
{
	uint32_t line = intern__add(&f->lines, f->parts, f->n_parts * sizeof(*f->parts));

	if (line > f->n_numbers) {
		GROW(f->heads, f->n_numbers, f->cap_heads);
		f->heads[f->n_numbers] = (uint8_t)head;
		GROW(f->numbers, f->n_numbers, f->cap_numbers);
		f->numbers[f->n_numbers++] = 0;
	}
	f->numbers[line - 1] += number;
}

static void add_sample(struct folder *f, size_t i, const struct prof_event *events, size_t n)
{
	const struct prof_sample *sample = &f->prof->samples[i];
	const struct prof_label *comm = prof__label(f->prof, sample->labels, "comm");
	const int64_t *values = prof__values(f->prof, i);
	size_t head;

	f->n_parts = 0;
	add_part(f, 0);
	for (const char *const *by = f->opts->by; by && *by; by++) {
		if (strcmp(*by, "thread") == 0)
			add_thread(f, sample->labels);
		else
			add_label(f, sample->labels, *by);
	}
	if (comm)
		add_part(f, text_number(f, prof__text(f->prof, comm->text), ""));
	head = f->n_parts;
	add_frames(f, sample->stack);
	add_address(f, sample->labels);
	if (f->n_parts == 1) /* neither a comm nor a stack: the line would be a number only */
		add_part(f, text_number(f, "[unknown]", ""));
	for (uint32_t e = 0; e < n; e++) {
		int64_t number = values[prof_event__type(&events[e], f->opts->unit)];

		f->parts[0] = e;
		if (number)
			add_number(f, head, number);
	}
}

/* Two numbers at the end of a line are a difference: a leaf "Thread 7" is no "Thread" of which 7
 * are gone. */
static void put_leaf(struct buf *text, const char *name)
{
	static const char digits[] = "0123456789";
	const char *blank = strrchr(name, ' '), *end = blank ? blank + 1 : name;
	size_t n = blank ? strspn(end, digits) : 0;

	end += n;
	if (n && *end == '.')
		end += 1 + strspn(end + 1, digits);
	if (n && !*end)
		buf__printf(text, "%.*s\\x20%s", (int)(blank - name), name, blank + 1);
	else
		buf__puts(text, name);
}

static char *line_text(const struct folder *f, uint32_t line, const struct prof_event *events,
		       size_t n)
{
	size_t size, ignored;
	const uint32_t *parts = intern__get(&f->lines, line, &size);
	const char *leaf;
	struct buf text = {0};

	if (n > 1) {
		escape_name(&text, events[parts[0]].name);
		buf__putc(&text, ';');
	}
	size /= sizeof(*parts);
	for (size_t i = 1; i < size - 1; i++) {
		buf__puts(&text, intern__get(&f->texts, parts[i], &ignored));
		buf__putc(&text, ';');
	}
	leaf = intern__get(&f->texts, parts[size - 1], &ignored);
	put_leaf(&text, leaf);
	buf__printf(&text, " %" PRId64 "\n", f->numbers[line - 1]);
	return buf__take(&text);
}

static uint64_t bytes_of(const struct folder *f, const uint32_t *parts, size_t n)
{
	uint64_t bytes = 16; /* the number, more or less */
	size_t text_size;

	for (size_t i = 1; i < n; i++) {
		intern__get(&f->texts, parts[i], &text_size);
		bytes += text_size;
	}
	return bytes;
}

static size_t line_parts(const struct folder *f, size_t line, const uint32_t **ret)
{
	size_t size;

	*ret = intern__get(&f->lines, (uint32_t)line + 1, &size);
	return size / sizeof(**ret);
}

static bool is_other(const struct folder *f, size_t line, uint32_t other)
{
	const uint32_t *parts;
	size_t n = line_parts(f, line, &parts);

	return n == f->heads[line] + 1u && parts[n - 1] == other;
}

/* Whether there is room for a line [other] of each of those that begin alike. */
static bool heads_fit(const struct folder *f, uint32_t other)
{
	struct intern heads = {0};
	uint64_t bytes = 0;
	uint32_t known = 0;

	for (size_t i = 0; i < f->n_lines; i++) {
		const uint32_t *parts;
		size_t n = f->heads[i];

		if (!f->give_up[i] && !is_other(f, i, other))
			continue;
		line_parts(f, i, &parts);
		if (intern__add(&heads, parts, n * sizeof(*parts)) <= known)
			continue;
		known++;
		bytes += bytes_of(f, parts, n) + sizeof("[other]");
	}
	intern__done(&heads);
	return bytes <= f->opts->max_bytes / ROOM_OTHERS_PART + ROOM_OTHER_BYTES;
}

/* What was given up is added to one line of those that begin alike, or where these are too many,
 * to [other];[other]. */
static void fold_into_other(struct folder *f, uint32_t other)
{
	bool with_heads = heads_fit(f, other);

	for (size_t i = 0; i < f->n_lines; i++) {
		const uint32_t *parts;
		size_t n = line_parts(f, i, &parts), head = with_heads ? f->heads[i] : 2;
		bool in_other = !with_heads && is_other(f, i, other) &&
				!(n == 3 && parts[1] == other);

		if (!f->give_up[i] && !in_other)
			continue;
		f->give_up[i] = true;
		f->n_parts = 0;
		for (size_t k = 0; k < head; k++)
			add_part(f, with_heads || k == 0 ? parts[k] : other);
		add_part(f, other);
		add_number(f, head, f->numbers[i]);
	}
}

static void make_room(struct folder *f)
{
	_cleanup_free_ struct room_item *items = xcalloc(f->n_numbers, sizeof(*items));
	uint32_t other = text_number(f, artificial_names[ARTIFICIAL_OTHER], "");
	uint64_t room = f->opts->max_bytes - f->opts->max_bytes / ROOM_OTHERS_PART;

	f->n_lines = f->n_numbers;
	f->give_up = xcalloc(f->n_lines, sizeof(*f->give_up));
	for (size_t i = 0; i < f->n_lines; i++) {
		const uint32_t *parts;
		size_t n = line_parts(f, i, &parts);

		/* one that is [other] already stays */
		items[i] = (struct room_item){is_other(f, i, other) ? 0 : bytes_of(f, parts, n),
					      f->numbers[i]};
	}
	if (room__share(items, f->n_lines, room, f->give_up, f->opts->cut))
		fold_into_other(f, other);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int write_lines(const struct folder *f, FILE *file, const struct prof_event *events,
		       size_t n_events)
{
	_cleanup_free_ char **texts = xcalloc(f->n_numbers, sizeof(*texts));
	size_t n = 0;
	int r = 0;

	/* a line of 0 would hide its neighbour's boxes in flamegraph.pl's picture */
	for (size_t i = 0; i < f->n_numbers; i++) {
		if (f->numbers[i] && (i >= f->n_lines || !f->give_up[i]))
			texts[n++] = line_text(f, (uint32_t)i + 1, events, n_events);
	}
	if (n)
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

int folded__write(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	struct folder f = {.prof = prof, .opts = opts};
	struct prof_event *events;
	size_t n = prof__counted_events(prof, &events);
	int r;

	f.frame_texts = xcalloc(prof->n_lines + prof->n_locations, sizeof(*f.frame_texts));
	for (size_t i = 0; i < prof->n_samples; i++)
		add_sample(&f, i, events, n);
	make_room(&f);
	r = write_lines(&f, file, events, n);
	prof_events__free(events, n);
	prof_frames__done(&f.frames);
	intern__done(&f.texts);
	intern__done(&f.lines);
	free(f.frame_texts);
	free(f.parts);
	free(f.numbers);
	free(f.heads);
	free(f.give_up);
	return r;
}
