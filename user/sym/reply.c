// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing: a helper that was taken over says what it likes. */
#include "sym/reply.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/type_layout.h"
#include "pmubpf/block_class.h"
#include "pmubpf/object_place.h"
#include "sym/texts.h"

void sym_name__done(struct sym_name *name)
{
	free(name->inlined);
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

/* False: there is none, or it isn't one (*ok). */
static bool take_text(struct cursor *c, size_t max, const char **ret, size_t *ret_len, bool *ok)
{
	*ret_len = cursor__u16(c);
	*ret = cursor__bytes(c, *ret_len);
	*ok = *ok && cursor__ok(c) && *ret_len <= max && !memchr(*ret, '\0', *ret_len);
	return *ok && *ret_len;
}

/* Without a set the text is checked, and goes. */
static const char *text_of(struct cursor *c, size_t max, struct texts *texts, bool *ok)
{
	const char *text;
	size_t len;

	if (!take_text(c, max, &text, &len, ok))
		return NULL;
	return texts ? texts__add(texts, text, len) : "";
}

/* What begins as [unknown], [other], [not named: no room] do is the tool's own: a function that a
 * program calls so is in quotes. */
static const char *name_of(struct cursor *c, struct texts *texts, bool *ok)
{
	_cleanup_free_ char *quoted = NULL;
	const char *text;
	size_t len;

	if (!take_text(c, SYMD_NAME_MAX, &text, &len, ok))
		return NULL;
	if (!texts)
		return "";
	if (*text != '[')
		return texts__add(texts, text, len);
	quoted = xasprintf("'%.*s'", (int)len, text);
	return texts__add(texts, quoted, strlen(quoted));
}

/* Its name may be missing; then everything is. False: it isn't a frame. */
static bool parse_frame(struct cursor *c, struct texts *texts, struct sym_frame *ret)
{
	bool ok = true;

	ret->name = name_of(c, texts, &ok);
	ret->system = text_of(c, SYMD_NAME_MAX, texts, &ok);
	ret->file = text_of(c, SYMD_FILE_MAX, texts, &ok);
	ret->line = cursor__u32(c);
	ret->start_line = cursor__u32(c);
	return ok && cursor__ok(c) && (ret->file || !(ret->line || ret->start_line)) &&
	       (ret->name || !(ret->system || ret->file));
}

static bool parse_inlined(struct cursor *c, struct texts *texts, struct sym_name *ret)
{
	size_t n = cursor__u8(c);

	if (!cursor__ok(c) || n > SYMD_INLINED_MAX)
		return false;
	if (n) {
		ret->inlined = xcalloc(n, sizeof(*ret->inlined));
		if (texts)
			texts__charge(texts, n * sizeof(*ret->inlined));
	}
	while (ret->n_inlined < n) {
		struct sym_frame *frame = &ret->inlined[ret->n_inlined];

		if (!parse_frame(c, texts, frame) || !frame->name)
			return false;
		ret->n_inlined++;
	}
	return true;
}

static bool parse_answer(struct cursor *c, struct texts *texts, struct sym_name *ret)
{
	uint8_t reason = cursor__u8(c);
	uint64_t vaddr = cursor__u64(c);
	uint8_t block = cursor__u8(c), insn = cursor__u8(c);

	*ret = (struct sym_name){.vaddr = vaddr, .reason = reason, .block = block, .insn = insn};
	if (cursor__ok(c) && block < PMB_N_BLOCK_CLASSES && insn < PMB_N_BLOCK_CLASSES &&
	    (reason == SYM_NAMED || reason == SYM_NO_SYMBOL) &&
	    parse_frame(c, texts, &ret->frame) &&
	    (reason == SYM_NAMED) == (ret->frame.name != NULL) && parse_inlined(c, texts, ret) &&
	    (ret->frame.name || !ret->n_inlined))
		return true;
	sym_name__done(ret);
	return false;
}

/* What there is no room for is checked all the same. */
static bool pass_over(struct cursor *c, struct sym_name *ret)
{
	bool ok = parse_answer(c, NULL, ret);
	struct sym_name without = {
		.vaddr = ret->vaddr,
		.reason = ret->reason,
		.block = ret->block,
		.insn = ret->insn,
	};

	sym_name__done(ret);
	if (without.reason == SYM_NAMED)
		without.reason = SYM_ROOM;
	*ret = without;
	return ok;
}

ssize_t reply__names(struct cursor *c, size_t n, struct texts *texts, const char **ret)
{
	size_t m = cursor__u32(c);
	bool ok = cursor__ok(c) && m > 0 && m <= n;

	for (size_t i = 0; ok && i < m; i++) {
		ret[i] = text_of(c, SYMD_NAME_MAX, texts__has_room(texts) ? texts : NULL, &ok);
		if (ret[i] && !*ret[i]) /* there was no room */
			ret[i] = NULL;
	}
	if (ok && cursor__done(c))
		return (ssize_t)m;
	memset(ret, 0, n * sizeof(*ret));
	return -EPROTO;
}

static bool is_register(uint8_t reg)
{
	return reg <= PMB_REG_IP || reg == PMB_REG_NONE;
}

static bool parse_operand(struct cursor *c, struct pmb_operand *o)
{
	o->base = cursor__u8(c);
	o->index = cursor__u8(c);
	o->scale = cursor__u8(c);
	o->segment = cursor__u8(c);
	o->flags = cursor__u8(c);
	o->size = cursor__u16(c);
	o->insn = (int32_t)cursor__u32(c);
	o->disp = (int64_t)cursor__u64(c);
	o->object = cursor__u8(c);
	o->type = cursor__u32(c);
	o->every = cursor__u32(c);
	o->at = cursor__u32(c);
	o->start = (int64_t)cursor__u64(c);
	return cursor__ok(c) && is_register(o->base) && is_register(o->index) && o->scale <= 16 &&
	       (o->segment == PMB_REG_FS || o->segment == PMB_REG_NONE) && is_register(o->object) &&
	       o->at <= OBJECT_PLACE_OFF_MAX;
}

static bool parse_place(struct cursor *c, struct pmb_place *p)
{
	*p = (struct pmb_place){.finding = cursor__u8(c)};
	p->len = cursor__u8(c);
	p->described = cursor__u8(c);
	p->n = cursor__u8(c);
	if (!cursor__ok(c) || p->finding >= PMB_N_FINDINGS || p->n > PMB_PLACE_OPERANDS ||
	    p->described >= PMB_N_DESCRIBED || (p->finding == PMB_PLACE_FOUND) != (p->n > 0))
		return false;
	for (int i = 0; i < p->n; i++) {
		if (!parse_operand(c, &p->operands[i]))
			return false;
	}
	return true;
}

ssize_t reply__places(struct cursor *c, size_t n, struct pmb_place *ret)
{
	size_t m = cursor__u32(c);

	if (!cursor__ok(c) || m == 0 || m > n)
		return -EPROTO;
	for (size_t i = 0; i < m; i++) {
		if (!parse_place(c, &ret[i]))
			return -EPROTO;
	}
	return cursor__done(c) ? (ssize_t)m : -EPROTO;
}

ssize_t reply__answers(struct cursor *c, size_t n, struct texts *texts, struct sym_name *ret)
{
	size_t m = cursor__u32(c), i;

	if (!cursor__ok(c) || m == 0 || m > n)
		return -EPROTO;
	for (i = 0; i < m; i++) {
		if (!(texts__has_room(texts) ? parse_answer(c, texts, &ret[i]) :
					       pass_over(c, &ret[i])))
			break;
	}
	if (i == m && cursor__done(c))
		return (ssize_t)m;
	while (i-- > 0)
		sym_name__done(&ret[i]);
	return -EPROTO;
}

int reply__layout(struct cursor *c, struct texts *texts, const char **ret)
{
	struct type_layout layout;
	const char *text;
	bool ok = true;
	size_t len;

	*ret = NULL;
	if (!take_text(c, UINT16_MAX, &text, &len, &ok))
		return ok && cursor__done(c) ? 0 : -EPROTO;
	if (!cursor__done(c) || !type_layout__parse(&layout, text, len))
		return -EPROTO;
	type_layout__done(&layout);
	*ret = texts__add_whole(texts, text, len);
	return 0;
}
