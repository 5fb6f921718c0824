/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of a profile, and a profile of what a server would answer. */
#ifndef TESTS_UNIT_SHIP_THERE_AND_BACK_H
#define TESTS_UNIT_SHIP_THERE_AND_BACK_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "prof_build.h"
#include "ship/answer.h"
#include "ship/binary.h"
#include "ship/fill.h"
#include "ship/frame_text.h"
#include "ship/name_rows.h"
#include "ship/rows.h"
#include "ship/schema.h"
#include "ship/state.h"
#include "ship/url.h"

static const struct rows_window window = {"h1", "00112233445566778899aabbccddeeff", 7};

/* What a server makes of rows: the reply to each question, from what was inserted. */

static inline const char *copy_string(struct cursor *c, struct buf *out)
{
	size_t len;
	const char *text = binary__take(c, &len);

	cr_assert(text);
	binary__bytes(out, text, len);
	return text;
}

static inline void copy_array(struct cursor *c, struct buf *out)
{
	uint64_t n = cursor__uleb(c);

	binary__length(out, n);
	for (uint64_t i = 0; i < n; i++)
		copy_string(c, out);
}

static inline void answer_samples(const struct rows *r, struct buf *out)
{
	_cleanup_(buf__done) struct buf rows = {0};
	struct cursor c;

	rows__put_samples(r, 0, rows__samples(r), 1, &rows);
	c = cursor__over(rows.data, rows.len);
	while (!cursor__done(&c)) {
		cursor__u32(&c);
		cr_assert_eq(cursor__u64(&c), rows_window__hash(&window));
		cr_assert_eq(cursor__u16(&c), 1);
		copy_string(&c, out); /* the host */
		for (const char *const *label = schema_labels; *label; label++)
			copy_string(&c, out);
		copy_array(&c, out);
		copy_string(&c, out);
		for (int i = 0; i < 4; i++)
			binary__u64(out, cursor__u64(&c));
		cr_assert(cursor__ok(&c));
	}
}

static inline void answer_stacks(const struct rows *r, struct buf *out)
{
	for (size_t i = 0; i < rows__stacks(r); i++) {
		_cleanup_(buf__done) struct buf row = {0};

		rows__put_stack(r, i, &row);
		buf__add(out, row.data, 8);
		buf__add(out, row.data + 10, row.len - 10); /* without the day */
	}
}

static inline void answer_windows(const struct rows *r, struct buf *out, struct buf *comments)
{
	_cleanup_(buf__done) struct buf row = {0};
	struct cursor c;
	uint64_t start, duration;

	rows__put_window(r, &row);
	c = cursor__over(row.data, row.len);
	copy_string(&c, comments); /* the host */
	cursor__skip(&c, 33 + 8 + 8 + 4);
	start = cursor__u64(&c);
	duration = cursor__u64(&c);
	copy_string(&c, out);
	copy_string(&c, out);
	copy_string(&c, out);
	binary__u64(out, cursor__u64(&c));
	copy_string(&c, out);
	copy_string(&c, out);
	binary__u64(out, start);
	binary__u64(out, start);
	binary__u64(out, start + duration);
	binary__u64(out, duration);
	binary__u64(out, 1);
	copy_array(&c, comments);
	cr_assert(cursor__ok(&c));
}

static struct err err;

static inline int fill(const struct rows *r, struct prof **ret, bool with_stacks)
{
	struct buf windows = {0}, comments = {0}, samples = {0}, stacks = {0};
	struct fill *f = fill__new(0);
	int e;

	err = (struct err){0};
	answer_windows(r, &windows, &comments);
	answer_samples(r, &samples);
	answer_stacks(r, &stacks);
	e = fill__windows(f, windows.data, windows.len, &err);
	if (e == 0)
		e = fill__comments(f, comments.data, comments.len, &err);
	if (e == 0)
		e = fill__samples(f, samples.data, samples.len, &err);
	if (e == 0 && with_stacks)
		e = fill__stacks(f, stacks.data, stacks.len, &err);
	if (e == 0)
		e = fill__end(f, ret, &err);
	if (e == 0)
		cr_assert_eq(fill__missing(f) > 0, !with_stacks);
	fill__free(f);
	buf__done(&windows);
	buf__done(&comments);
	buf__done(&samples);
	buf__done(&stacks);
	return e;
}

/* All of a profile, whatever its numbers are: a line for each sample. */
static inline int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline char *text_of_sample(const struct prof *p, size_t i, const char *skip)
{
	struct buf b = {0};
	const uint32_t *stack;
	const struct prof_label *labels;
	size_t n = prof__stack_locations(p, p->samples[i].stack, &stack);

	for (size_t k = 0; k < n; k++) {
		const struct prof_location *l = &p->locations[stack[k]];
		const struct prof_mapping *m = &p->mappings[l->mapping];

		buf__printf(&b, "%s %s %lx %lx:", prof__text(p, m->file),
			    prof__text(p, m->build_id), l->address, m->start - m->offset);
		for (uint32_t j = 0; j < l->n_lines; j++) {
			const struct prof_line *line = &p->lines[l->first_line + j];
			const struct prof_function *f = &p->functions[line->function];

			buf__printf(&b, " %s|%s|%s|%ld|%ld", prof__text(p, f->name),
				    prof__text(p, f->system_name), prof__text(p, f->file),
				    f->start_line, line->line);
		}
	}
	n = prof__label_set(p, p->samples[i].labels, &labels);
	for (size_t pass = 0; pass < 1; pass++) {
		char *texts[16];
		size_t kept = 0;

		for (size_t k = 0; k < n; k++) {
			const char *key = prof__text(p, labels[k].key);

			if (!strstr(skip, key))
				texts[kept++] =
					xasprintf("%s=%s%ld%s", key, prof__text(p, labels[k].text),
						  labels[k].number, prof__text(p, labels[k].unit));
		}
		qsort(texts, kept, sizeof(*texts), by_text);
		for (size_t k = 0; k < kept; k++) {
			buf__printf(&b, " %s", texts[k]);
			free(texts[k]);
		}
	}
	for (size_t t = 0; t < p->n_types; t++)
		buf__printf(&b, " %ld", prof__values(p, i)[t]);
	buf__putc(&b, '\n');
	return buf__take(&b);
}

static inline char *text_of(const struct prof *p, const char *skip)
{
	char **lines = xcalloc(p->n_samples, sizeof(*lines));
	struct buf b = {0};

	for (size_t i = 0; i < p->n_samples; i++)
		lines[i] = text_of_sample(p, i, skip);
	qsort(lines, p->n_samples, sizeof(*lines), by_text);
	for (size_t i = 0; i < p->n_samples; i++) {
		buf__puts(&b, lines[i]);
		free(lines[i]);
	}
	free(lines);
	return buf__take(&b);
}

static inline uint32_t mapped(struct prof *p, const char *file, const char *build_id)
{
	return prof__mapping(p, &(struct prof_mapping){
					.start = 0x402000,
					.limit = 0x402fff,
					.offset = 0x2000,
					.file = prof__string(p, file),
					.build_id = prof__string(p, build_id),
				});
}

#endif
