// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing: a helper that was taken over says what it likes. */
#include "sym/reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sym_frame__done(struct sym_frame *frame)
{
	free(frame->name);
	free(frame->system);
	free(frame->file);
	*frame = (struct sym_frame){0};
}

void sym_name__done(struct sym_name *name)
{
	for (size_t i = 0; i < name->n_inlined; i++)
		sym_frame__done(&name->inlined[i]);
	free(name->inlined);
	sym_frame__done(&name->frame);
	*name = (struct sym_name){0};
}

int reply__reason(struct cursor *c, enum sym_reason refusal, enum sym_reason *ret)
{
	uint8_t reason = cursor__u8(c);

	if (!cursor__ok(c) || (reason != SYM_NAMED && reason != refusal))
		return -EPROTO;
	*ret = reason;
	return 0;
}

int reply__flag(struct cursor *c)
{
	uint8_t flag = cursor__u8(c);

	return cursor__done(c) && flag <= 1 ? flag : -EPROTO;
}

int reply__identity(struct cursor *c, struct reply_identity *ret)
{
	uint8_t has_symtab = cursor__u8(c), has_debug_info = cursor__u8(c);
	size_t build_id_len = cursor__u8(c), link_len;
	const void *build_id = cursor__bytes(c, build_id_len);
	const void *link;

	link_len = cursor__u16(c);
	link = cursor__bytes(c, link_len);
	cursor__u32(c); /* the CRC: the helper compares it itself */
	if (!cursor__done(c) || has_symtab > 1 || has_debug_info > 1 ||
	    build_id_len > sizeof(ret->build_id) || link_len >= sizeof(ret->link) ||
	    memchr(link, '\0', link_len))
		return -EPROTO;
	*ret = (struct reply_identity){
		.has_symtab = has_symtab,
		.has_debug_info = has_debug_info,
		.build_id_len = build_id_len,
	};
	memcpy(ret->build_id, build_id, build_id_len);
	memcpy(ret->link, link, link_len);
	return 0;
}

static char *text_of(struct cursor *c, size_t max, bool *ok)
{
	size_t len = cursor__u16(c);
	const char *text = cursor__bytes(c, len);

	*ok = *ok && cursor__ok(c) && len <= max && !memchr(text, '\0', len);
	return *ok && len ? xstrndup(text, len) : NULL;
}

/* Its name may be missing; then everything is. False: it isn't a frame. */
static bool parse_frame(struct cursor *c, struct sym_frame *ret)
{
	bool ok = true;

	ret->name = text_of(c, SYMD_NAME_MAX, &ok);
	ret->system = text_of(c, SYMD_NAME_MAX, &ok);
	ret->file = text_of(c, SYMD_FILE_MAX, &ok);
	ret->line = cursor__u32(c);
	if (ok && cursor__ok(c) && !ret->line == !ret->file &&
	    (ret->name || !(ret->system || ret->line)))
		return true;
	sym_frame__done(ret);
	return false;
}

static bool parse_inlined(struct cursor *c, struct sym_name *ret)
{
	size_t n = cursor__u8(c);

	if (!cursor__ok(c) || n > SYMD_INLINED_MAX)
		return false;
	if (n)
		ret->inlined = xcalloc(n, sizeof(*ret->inlined));
	while (ret->n_inlined < n) {
		struct sym_frame *frame = &ret->inlined[ret->n_inlined];

		if (!parse_frame(c, frame) || !frame->name)
			return false;
		ret->n_inlined++;
	}
	return true;
}

static bool parse_answer(struct cursor *c, struct sym_name *ret)
{
	uint8_t reason = cursor__u8(c);
	uint64_t vaddr = cursor__u64(c);

	*ret = (struct sym_name){.vaddr = vaddr, .reason = reason};
	if (cursor__ok(c) && (reason == SYM_NAMED || reason == SYM_NO_SYMBOL) &&
	    parse_frame(c, &ret->frame) && (reason == SYM_NAMED) == (ret->frame.name != NULL) &&
	    parse_inlined(c, ret) && (ret->frame.name || !ret->n_inlined))
		return true;
	sym_name__done(ret);
	return false;
}

ssize_t reply__answers(struct cursor *c, size_t n, struct sym_name *ret)
{
	size_t m = cursor__u32(c), i;

	if (!cursor__ok(c) || m == 0 || m > n)
		return -EPROTO;
	for (i = 0; i < m && parse_answer(c, &ret[i]); i++)
		;
	if (i == m && cursor__done(c))
		return (ssize_t)m;
	while (i-- > 0)
		sym_name__done(&ret[i]);
	return -EPROTO;
}
