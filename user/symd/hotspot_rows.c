// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_rows.h"

#include <stdbool.h>
#include <string.h>

enum {
	PUSH_FP = 0x55,
	POP_FP = 0x5d,
	LEAVE = 0xc9,
	RET = 0xc3,
	/* Between the frame's end and the return is the poll of a safepoint: "cmp 0x448(%r15),
	 * %rsp; ja", "test %eax, …(%rip)". */
	POLL_MAX = 24,
	ENTRY_MAX = 96, /* from an entry to where the frame is built */
};

struct rows {
	struct hotspot_row *to;
	size_t n;
};

static void add(struct rows *r, size_t off, enum hotspot_rule rule)
{
	if (r->n == HOTSPOT_ROWS_MAX || (r->n && r->to[r->n - 1].off > off))
		return;
	if (r->n && r->to[r->n - 1].off == off)
		r->n--;
	r->to[r->n++] = (struct hotspot_row){(uint32_t)off & 0xfffffff, (uint32_t)rule & 0xf};
}

/* Is that "sub $value, %rsp" (0xec) or "add" (0xc4)? Its length, or 0. */
static size_t moves_stack(const struct hotspot_code *c, size_t at, uint8_t which, uint32_t value)
{
	const uint8_t *b = c->bytes + at;
	uint32_t operand;

	if (c->n - at < 4 || b[0] != 0x48 || b[2] != which)
		return 0;
	if (b[1] == 0x83)
		return b[3] == value && value < 0x80 ? 4 : 0;
	if (c->n - at < 7)
		return 0;
	memcpy(&operand, b + 3, sizeof(operand));
	return b[1] == 0x81 && operand == value ? 7 : 0;
}

/* Is that "mov %rbp, …(%rsp)"? Its length, or 0. */
static size_t stores_fp(const struct hotspot_code *c, size_t at)
{
	const uint8_t *b = c->bytes + at;

	if (c->n - at < 5 || b[0] != 0x48 || b[1] != 0x89 || b[3] != 0x24)
		return 0;
	return b[2] == 0x6c ? 5 : b[2] == 0xac ? 8 : 0;
}

/* "mov %rsp, %rbp", in either form. */
static size_t sets_fp(const struct hotspot_code *c, size_t at)
{
	const uint8_t *b = c->bytes + at;

	return c->n - at >= 3 && b[0] == 0x48 &&
			       ((b[1] == 0x8b && b[2] == 0xec) || (b[1] == 0x89 && b[2] == 0xe5)) ?
		       3 :
		       0;
}

/* How long the prologue that stands there is; 0: there is none. */
static size_t prologue(const struct hotspot_code *c, size_t at, struct rows *rows)
{
	size_t len, more;

	if (c->bytes[at] == PUSH_FP) {
		len = 1 + (at + 1 < c->n ? sets_fp(c, at + 1) : 0);
		more = at + len < c->n ? moves_stack(c, at + len, 0xec, c->frame_size - 16) : 0;
		if (!more && c->frame_size != 16)
			return 0;
		add(rows, at + 1, HOTSPOT_PUSHED);
		add(rows, at + len + more, HOTSPOT_FULL);
		return len + more;
	}
	len = moves_stack(c, at, 0xec, c->frame_size - 8);
	more = len && at + len < c->n ? stores_fp(c, at + len) : 0;
	if (!more)
		return 0;
	add(rows, at + len, HOTSPOT_UNSAVED);
	add(rows, at + len + more, HOTSPOT_FULL);
	return len + more;
}

/* Of an epilogue whose frame is gone at `at`: where it returns, or 0. */
static size_t returns_at(const struct hotspot_code *c, size_t at)
{
	size_t end = at + POLL_MAX < c->n ? at + POLL_MAX : c->n;

	for (size_t i = at; i < end; i++) {
		if (c->bytes[i] == RET)
			return i;
	}
	return 0;
}

static size_t epilogue(const struct hotspot_code *c, size_t at, struct rows *rows)
{
	size_t len = c->frame_size > 16 ? moves_stack(c, at, 0xc4, c->frame_size - 16) : 0, ret;

	if (len && at + len < c->n && c->bytes[at + len] == POP_FP) {
		ret = returns_at(c, at + len + 1);
		if (!ret)
			return 0;
		add(rows, at + len, HOTSPOT_PUSHED);
		add(rows, at + len + 1, HOTSPOT_ENTRY);
		add(rows, ret + 1, HOTSPOT_FULL);
		return ret + 1 - at;
	}
	if (at + 1 < c->n && c->bytes[at] == LEAVE && c->bytes[at + 1] == RET) {
		add(rows, at + 1, HOTSPOT_ENTRY);
		add(rows, at + 2, HOTSPOT_FULL);
		return 2;
	}
	return 0;
}

static bool may_enter(const struct hotspot_code *c, size_t at)
{
	return at < c->complete || (c->osr && at >= c->osr && at - c->osr < ENTRY_MAX);
}

size_t hotspot_rows__of(const struct hotspot_code *c, struct hotspot_row *ret)
{
	struct rows rows = {.to = ret};
	bool built = false;
	size_t len;

	add(&rows, 0, c->complete ? HOTSPOT_ENTRY : HOTSPOT_FULL);
	for (size_t at = 0; at < c->n; at += len ? len : 1) {
		if (at >= c->complete && !built) {
			built = true;
			add(&rows, at, HOTSPOT_FULL);
		}
		if (c->osr && at == c->osr)
			add(&rows, at, HOTSPOT_ENTRY);
		len = may_enter(c, at) ? prologue(c, at, &rows) : epilogue(c, at, &rows);
	}
	return rows.n;
}

struct pmb_unwind_rule hotspot_rule(enum hotspot_rule rule, uint32_t frame_size)
{
	struct pmb_unwind_rule r = {
		.cfa = PMB_CFA_SP,
		.ra = PMB_RA_CFA,
		.ra_off = -8,
		.saved = PMB_SAVED_UNKNOWN,
	};

	switch (rule) {
	case HOTSPOT_ENTRY:
		r.cfa_off = 8;
		return r;
	case HOTSPOT_PUSHED:
	case HOTSPOT_FULL:
		r.cfa_off = rule == HOTSPOT_PUSHED ? 16 : (__s32)frame_size;
		r.fp = PMB_FP_CFA;
		r.fp_off = -16;
		return r;
	case HOTSPOT_UNSAVED:
		r.cfa_off = (__s32)frame_size;
		return r;
	case HOTSPOT_INTERPRETED:
	case HOTSPOT_INTERPRETED_8:
		/* the next bytecode is behind one word less, the class */
		r.reg = rule == HOTSPOT_INTERPRETED ? 8 : 7;
		/* fp: caller's frame pointer, return address; below: caller's stack pointer */
		r.cfa = PMB_CFA_FP_DEREF;
		r.cfa_off = -8;
		r.ra = PMB_RA_FP;
		r.ra_off = 8;
		r.fp = PMB_FP_FP;
		return r;
	case HOTSPOT_FRAME:
		return (struct pmb_unwind_rule){.cfa = PMB_CFA_FRAME};
	case HOTSPOT_NONE:
		break;
	}
	return (struct pmb_unwind_rule){.cfa = PMB_CFA_NONE};
}
