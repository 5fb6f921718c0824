// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/go_table.h"

#include <string.h>
#include <unistd.h>

#include "base/cursor.h"

enum {
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	HEAD_BYTES = 8 + 8 * 8,
	LIST_ENTRY = 8,
	WORD = 8,
	FUNC_NAME_AT = 4, /* offset of where the name is, among the names */
};

const uint8_t *go_table__bytes(struct go_table *t, struct go_window *w, uint64_t off, size_t n)
{
	ssize_t got;
	size_t len = sizeof(w->bytes);

	if (off > t->size || t->size - off < n)
		return NULL;
	if (off >= w->at && off - w->at <= w->len && w->len - (off - w->at) >= n)
		return w->bytes + (off - w->at);
	if (len > t->size - off)
		len = t->size - off;
	got = pread(t->fd, w->bytes, len, (off_t)(t->file_off + off));
	w->at = off;
	w->len = got > 0 ? (size_t)got : 0;
	return w->len >= n ? w->bytes : NULL;
}

/* After the magic number: two bytes that are free, the shortest instruction, a word. */
static const uint8_t for_x86_64[] = {0, 0, 1, WORD}, for_arm64[] = {0, 0, 4, WORD};

bool go_table_begins(const uint8_t bytes[8])
{
	uint32_t magic = go_table_u32(bytes);

	return (magic == MAGIC_1_18 || magic == MAGIC_1_20) &&
	       (memcmp(bytes + sizeof(magic), for_x86_64, sizeof(for_x86_64)) == 0 ||
		memcmp(bytes + sizeof(magic), for_arm64, sizeof(for_arm64)) == 0);
}

bool go_table__open(struct go_table *t)
{
	const uint8_t *bytes;
	struct cursor c;
	uint64_t n;

	t->list.len = t->func.len = t->value.len = 0;
	bytes = go_table__bytes(t, &t->list, 0, HEAD_BYTES);
	if (!bytes || !go_table_begins(bytes))
		return false;
	c = cursor__over(bytes, HEAD_BYTES);
	cursor__skip(&c, WORD);
	n = cursor__u64(&c);
	cursor__u64(&c); /* files */
	t->base = cursor__u64(&c);
	t->names = cursor__u64(&c);
	cursor__skip(&c, 2 * WORD); /* units, files */
	t->values = cursor__u64(&c);
	t->funcs = cursor__u64(&c);
	if (!cursor__ok(&c) || !n || n > GO_TABLE_FUNCS_MAX || t->values > t->size ||
	    t->funcs > t->size)
		return false;
	t->n_funcs = (uint32_t)n;
	t->is_arm64 = memcmp(bytes + sizeof(uint32_t), for_arm64, sizeof(for_arm64)) == 0;
	t->flags_at = go_table_u32(bytes) == MAGIC_1_18 ? 37 : 41;
	return true;
}

bool go_table__place(struct go_table *t, uint32_t i, uint64_t *ret_start, uint32_t *ret_more)
{
	const uint8_t *bytes = go_table__bytes(t, &t->list, t->funcs + (uint64_t)i * LIST_ENTRY,
					       i == t->n_funcs ? LIST_ENTRY / 2 : LIST_ENTRY);

	if (!bytes)
		return false;
	*ret_start = t->base + go_table_u32(bytes);
	*ret_more = i == t->n_funcs ? 0 : go_table_u32(bytes + LIST_ENTRY / 2);
	return true;
}

uint32_t go_table__find(struct go_table *t, uint64_t vaddr)
{
	uint32_t low = 0, high = t->n_funcs;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, more;
		uint64_t end;

		if (!go_table__place(t, middle + 1, &end, &more))
			return t->n_funcs;
		if (end > vaddr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* A text that the window has is not read again: names of neighbours stand side by side. */
static const char *text_at(struct go_table *t, uint64_t off, size_t *ret_len)
{
	struct go_window *w = &t->value;
	const uint8_t *bytes = go_table__bytes(t, w, off, 1);
	size_t here;

	if (!bytes)
		return NULL;
	here = w->len - (size_t)(off - w->at);
	*ret_len = strnlen((const char *)bytes, here);
	if (*ret_len < here || off == w->at)
		return (const char *)bytes;
	w->len = 0; /* it goes on behind */
	bytes = go_table__bytes(t, w, off, 1);
	*ret_len = bytes ? strnlen((const char *)bytes, w->len) : 0;
	return (const char *)bytes;
}

const char *go_table__name(struct go_table *t, uint32_t i, size_t *ret_len)
{
	const uint8_t *bytes;
	uint64_t start, off;
	const char *name;
	uint32_t more;

	if (i >= t->n_funcs || !go_table__place(t, i, &start, &more))
		return NULL;
	bytes = go_table__bytes(t, &t->func, t->funcs + more, FUNC_NAME_AT + sizeof(uint32_t));
	off = bytes ? t->names + go_table_u32(bytes + FUNC_NAME_AT) : t->size;
	if (off >= t->size || off < t->names)
		return NULL;
	*ret_len = 0;
	name = text_at(t, off, ret_len);
	return *ret_len ? name : NULL;
}
