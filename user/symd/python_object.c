// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/python_object.h"

#include <linux/types.h>

#include "base/cursor.h"
#include "pmubpf/python.h"
#include "symd/python_lines.h"

struct text {
	uint32_t state, n_bytes;
	uint64_t length;
};

static struct text text_of(struct cursor *c)
{
	struct text t = {.state = cursor__u32(c)};

	t.n_bytes = cursor__u32(c);
	t.length = cursor__u64(c);
	return t;
}

/* What is no character, or would end the text, becomes one that is there for that. */
static void put_char(struct buf *to, uint32_t c)
{
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		buf__putc(to, (char)c);
	} else if (c < 0x800) {
		buf__putc(to, (char)(0xc0 | c >> 6));
		buf__putc(to, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf__putc(to, (char)(0xe0 | c >> 12));
		buf__putc(to, (char)(0x80 | (c >> 6 & 0x3f)));
		buf__putc(to, (char)(0x80 | (c & 0x3f)));
	} else {
		buf__putc(to, (char)(0xf0 | c >> 18));
		buf__putc(to, (char)(0x80 | (c >> 12 & 0x3f)));
		buf__putc(to, (char)(0x80 | (c >> 6 & 0x3f)));
		buf__putc(to, (char)(0x80 | (c & 0x3f)));
	}
}

static void read_text(struct cursor *c, const struct text *t, struct buf *to)
{
	uint32_t kind = PMB_PY_TEXT_KIND(t->state);
	struct cursor chars = {0};
	const void *bytes = cursor__bytes(c, t->n_bytes);
	size_t n;

	if (!bytes || (kind != 1 && kind != 2 && kind != 4))
		return;
	n = t->n_bytes / kind;
	if (n > t->length)
		n = (size_t)t->length;
	chars = cursor__over(bytes, t->n_bytes);
	for (size_t i = 0; i < n; i++)
		put_char(to, kind == 1 ? cursor__u8(&chars) :
			     kind == 2 ? cursor__u16(&chars) :
					 cursor__u32(&chars));
	if (n && n < t->length)
		buf__puts(to, "...");
}

/* Behind texts of so many bytes. */
static uint32_t line_at(struct cursor *c, size_t n_bytes, uint32_t first, uint32_t position)
{
	struct python_lines l = {.first = first};
	uint64_t length;

	cursor__skip(c, -n_bytes % 8);
	l.kind = cursor__u32(c);
	l.n = cursor__u32(c);
	length = cursor__u64(c);
	l.cut = length > l.n;
	l.table = cursor__bytes(c, l.n);
	if (cursor__ok(c) && l.kind == PMB_PY_LINES_ONE)
		return length <= INT32_MAX ? (uint32_t)length : 0;
	return cursor__ok(c) && position ?
		       python_lines__find(&l, PMB_PY_UNIT_OF(position) * PMB_PY_UNIT) :
		       0;
}

bool python_function__read(struct python_function *f, const void *object, size_t len,
			   uint32_t position)
{
	struct cursor c = cursor__over(object, len);
	struct text name, file;

	*f = (struct python_function){.first = cursor__u32(&c)};
	name = text_of(&c);
	file = text_of(&c);
	if (!cursor__ok(&c))
		return false;
	read_text(&c, &name, &f->name);
	read_text(&c, &file, &f->file);
	if (!f->name.len && name.state & PMB_TEXT_MAY_BE_EMPTY && !name.length)
		buf__puts(&f->name, "(anonymous)");
	f->line = cursor__left(&c) ? line_at(&c, name.n_bytes + file.n_bytes, f->first, position) :
				     f->first;
	return f->name.len > 0;
}

void python_function__done(struct python_function *f)
{
	buf__done(&f->name);
	buf__done(&f->file);
}
