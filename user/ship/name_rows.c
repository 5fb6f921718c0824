// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/name_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "ship/binary.h"
#include "ship/frame_text.h"

void name_rows__put(const struct name_book *b, size_t i, uint16_t day, struct buf *out)
{
	const struct prof *p = name_book__prof(b);
	_cleanup_(buf__done) struct buf name = {0}, rest = {0}, frames = {0};
	struct name_place place;
	uint32_t n;

	name_book__get(b, i, &place);
	n = p->locations[place.location].n_lines;
	binary__string(out, place.build_id);
	binary__u64(out, place.offset);
	binary__u16(out, day);
	binary__length(out, n);
	binary__length(&frames, n);
	for (uint32_t k = 0; k < n; k++) {
		frame_text__of(p, place.location, k, &name, &rest);
		binary__bytes(out, name.data, name.len);
		binary__bytes(&frames, rest.data, rest.len);
	}
	buf__add(out, frames.data, frames.len);
}

static int bad(struct err *err, const char *what)
{
	return err__set(err, -EBADMSG, "the server's reply doesn't fit together: %s", what);
}

/* A copy with its NUL, and none before; the caller frees. NULL: it is none. */
static char *take_text(struct cursor *c)
{
	size_t len;
	const char *text = binary__take(c, &len);

	return text && !memchr(text, '\0', len) ? xstrndup(text, len) : NULL;
}

/* ---------------------------------------------------------------- names */

/* Lines of one place, innermost first; texts are its own. */
struct taken {
	struct name_line lines[NAME_LINES_MAX];
	char *names[NAME_LINES_MAX];
	struct frame_text frames[NAME_LINES_MAX];
	size_t n_names, n;
};

static void taken__done(struct taken *t)
{
	for (size_t i = 0; i < t->n_names; i++)
		free(t->names[i]);
	for (size_t i = 0; i < t->n; i++)
		frame_text__done(&t->frames[i]);
}

static bool take_names(struct cursor *c, struct taken *t)
{
	uint64_t n = cursor__uleb(c);

	if (!cursor__ok(c) || !n || n > NAME_LINES_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		char *name = take_text(c);

		if (!name)
			return false;
		t->names[t->n_names++] = name;
	}
	return true;
}

static bool take_frames(struct cursor *c, struct taken *t)
{
	if (cursor__uleb(c) != t->n_names)
		return false;
	for (size_t i = 0; i < t->n_names; i++) {
		struct frame_text *f = &t->frames[i];
		size_t len;
		const char *text = binary__take(c, &len);

		if (!text || !frame_text__parse(text, len, f))
			return false;
		t->n++;
		if (f->how != (i + 1 < t->n_names ? ',' : '.'))
			return false;
		t->lines[i] = (struct name_line){
			.name = t->names[i],
			.system = f->system,
			.file = f->file,
			.start_line = f->start_line,
			.line = f->line,
		};
	}
	return true;
}

int name_rows__take(struct name_book *b, const void *data, size_t len, struct err *err)
{
	struct cursor c = cursor__over(data, len);

	while (cursor__ok(&c) && !cursor__done(&c)) {
		_cleanup_(taken__done) struct taken t = {.n = 0};
		_cleanup_free_ char *build_id = take_text(&c);
		uint64_t offset = cursor__u64(&c);

		if (!build_id || !take_names(&c, &t) || !take_frames(&c, &t))
			return bad(err, "a row of names");
		name_book__put(b, build_id, offset, t.lines, t.n);
	}
	return cursor__done(&c) ? 0 : bad(err, "a row of names");
}

/* ---------------------------------------------------------------- places */

int name_rows__want(struct name_book *b, const void *data, size_t len, size_t *ret_n,
		    struct err *err)
{
	struct cursor c = cursor__over(data, len);

	*ret_n = 0;
	while (cursor__ok(&c) && !cursor__done(&c)) {
		_cleanup_(frame_text__done) struct frame_text t = {0};
		size_t text_len;
		const char *text = binary__take(&c, &text_len);

		if (!text || !frame_text__parse(text, text_len, &t))
			return bad(err, "a frame");
		++*ret_n;
		if (t.how == '?' && *t.module == '/' && *t.build_id)
			name_book__want(b, t.module, t.build_id, t.address - t.distance);
	}
	return cursor__done(&c) ? 0 : bad(err, "a frame");
}
