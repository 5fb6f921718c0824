// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing: a helper that was taken over says what it likes, for ever: so rows have to get
 * on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sym/listing.h"
#include "sym/texts.h"
#include "symd/protocol.h"

void listing__done(struct listing *l)
{
	free(l->rows);
	free(l->frames);
	*l = (struct listing){0};
}

/* NULL: none. */
static const char *take_text(struct cursor *c, size_t max, struct texts *texts, bool *ok)
{
	size_t len = cursor__u16(c);
	const char *text = cursor__bytes(c, len);

	if (!cursor__ok(c) || len > max || (len && memchr(text, '\0', len)))
		*ok = false;
	return *ok && len ? texts__add(texts, text, len) : NULL;
}

static bool parse_frames(struct cursor *c, size_t n, struct texts *texts, struct listing *l)
{
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++) {
		struct listing_frame *f;

		GROW(l->frames, l->n_frames, l->cap_frames);
		f = &l->frames[l->n_frames++];
		f->function = take_text(c, SYMD_NAME_MAX, texts, &ok);
		f->file = take_text(c, SYMD_FILE_MAX, texts, &ok);
		f->line = cursor__u32(c);
		ok = ok && cursor__ok(c) && !f->file == !f->line;
	}
	return ok;
}

static bool parse_row(struct cursor *c, struct texts *texts, struct listing *l)
{
	const struct listing_row *before = l->n ? &l->rows[l->n - 1] : NULL;
	struct listing_row row = {.at = cursor__u32(c)};
	bool ok = true;
	size_t k;

	row.len = cursor__u8(c);
	row.flow = cursor__u8(c);
	row.target = cursor__u64(c);
	row.text = take_text(c, TEXT_MAX, texts, &ok);
	k = cursor__u8(c);
	if (!ok || !cursor__ok(c) || !row.len || row.flow >= N_LISTING_FLOWS || row.at >= l->size ||
	    k > SYMD_INLINED_MAX + 1 || (before ? row.at < before->at + before->len : !k))
		return false;
	row.first_frame = k || !before ? (uint32_t)l->n_frames : before->first_frame;
	row.n_frames = k || !before ? (uint16_t)k : before->n_frames;
	if (!parse_frames(c, k, texts, l))
		return false;
	GROW(l->rows, l->n, l->cap);
	l->rows[l->n++] = row;
	return true;
}

/* The same function as before. */
static bool parse_head(struct cursor *c, struct listing *l)
{
	struct listing head = {.has_text = cursor__u8(c)};

	head.vaddr = cursor__u64(c);
	head.file_off = cursor__u64(c);
	head.size = cursor__u64(c);
	if (!cursor__ok(c) || !head.size || head.size > UINT32_MAX ||
	    head.vaddr > UINT64_MAX - head.size || head.file_off > UINT64_MAX - head.size)
		return false;
	if (l->n)
		return head.vaddr == l->vaddr && head.file_off == l->file_off &&
		       head.size == l->size && head.has_text == l->has_text;
	l->vaddr = head.vaddr;
	l->file_off = head.file_off;
	l->size = head.size;
	l->has_text = head.has_text;
	return true;
}

int reply__listing(struct cursor *c, struct texts *texts, struct listing *l, uint32_t *ret_next)
{
	uint8_t status = cursor__u8(c);
	uint32_t n;

	*ret_next = 0;
	if (status == SYMD_LISTING_OTHER_MACHINE && cursor__done(c))
		return -EOPNOTSUPP;
	if (status == SYMD_LISTING_NO_FUNCTION && cursor__done(c))
		return 1;
	if (status != SYMD_LISTED || !parse_head(c, l))
		return -EPROTO;
	*ret_next = cursor__u32(c);
	n = cursor__u32(c);
	for (uint32_t i = 0; i < n; i++) {
		if (l->n == LISTING_ROWS_MAX || !parse_row(c, texts, l))
			return -EPROTO;
	}
	if (!cursor__done(c) || (*ret_next && (!n || *ret_next <= l->rows[l->n - 1].at)))
		return -EPROTO;
	return 0;
}
