// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: going backwards. Instructions are decoded from the function's beginning, where
 * they are in step; the last few before the place are kept. Looking back over one undoes what it
 * did to registers, if it only added a number, and loses those that it overwrote. Nothing is taken
 * for certain across what something may have come in by.
 */
#include "symd/code_place.h"

#include <string.h>

#include "base/mem.h"
#include "symd/code_search.h"
#include "symd/code_undo.h"
#include "symd/insn_data.h"

enum {
	BACK_MAX = 12, /* instructions */
	ALL_WRITTEN = 0xffff,
};

#define NOWHERE INT64_MAX

struct insn {
	size_t off;
	struct insn_data o;
	bool known, target;
};

struct back {
	struct insn list[BACK_MAX + 1]; /* as a ring: insn i at i % (BACK_MAX + 1) */
	size_t n;                       /* before the place */
	struct code_undo undo;
};

static struct insn *back__at(struct back *b, size_t i)
{
	return &b->list[i % ARRAY_SIZE(b->list)];
}

static bool decode(const struct code_bytes *code, size_t off, struct insn *ret, int64_t *target)
{
	ret->off = off;
	ret->target = false;
	ret->known = insn_data__read(code->set, code->bytes + off, code->len - off, &ret->o);
	*target = ret->o.has_target ? (int64_t)off + ret->o.target : NOWHERE;
	return ret->o.len;
}

static bool leaps(const struct insn *insn)
{
	return insn->o.flow == INSN_BRANCHES || insn->o.flow == INSN_JUMPS;
}

/* Decodes up to the place. False: the code isn't in step with it. */
static bool back__read(struct back *b, const struct code_bytes *code)
{
	int64_t target;

	for (size_t off = 0; off < code->at;) {
		struct insn *insn = back__at(b, b->n);

		if (!decode(code, off, insn, &target))
			return false;
		off += insn->o.len;
		b->n++;
		if (off > code->at)
			return false;
	}
	return true;
}

/* Marks those that a jump of the function leads to; *at: the place itself is one. False: there are
 * jumps of which nobody knows where to. */
static bool back__mark_targets(struct back *b, const struct code_bytes *code, bool *at)
{
	size_t first = b->n > BACK_MAX ? b->n - BACK_MAX : 0;
	struct insn insn;
	int64_t target;

	for (size_t off = 0; off < code->len; off += insn.o.len) {
		if (!decode(code, off, &insn, &target))
			break;
		if (!leaps(&insn))
			continue;
		if (target == NOWHERE && !(insn.o.n && insn.o.mem[0].base == INSN_IP))
			return false;
		*at |= target == (int64_t)code->at;
		for (size_t i = first; i < b->n; i++)
			back__at(b, i)->target |= target == (int64_t)back__at(b, i)->off;
	}
	return true;
}

static void put_operands(const struct back *b, const struct code_bytes *code,
			 const struct insn *insn, struct pmb_place *ret)
{
	for (int i = 0; i < insn->o.n; i++)
		ret->operands[ret->n++] =
			code_undo__operand(&b->undo, &insn->o, i, insn->off, code->at);
	ret->finding = ret->n ? PMB_PLACE_FOUND : PMB_PLACE_NO_OPERAND;
}

static bool blocks(const struct insn *insn)
{
	return insn->o.flow == INSN_CALLS || insn->o.flow == INSN_JUMPS ||
	       insn->o.flow == INSN_ENDS || insn->o.written == ALL_WRITTEN;
}

static enum pmb_finding look_back(struct back *b, const struct code_bytes *code, size_t limit,
				  bool at_target, struct pmb_place *ret)
{
	for (size_t i = 0; i < limit; i++) {
		const struct insn *insn;

		if (at_target)
			return PMB_PLACE_TARGET;
		if (i == b->n)
			return PMB_PLACE_BLOCKED;
		insn = back__at(b, b->n - 1 - i);
		if (blocks(insn))
			return PMB_PLACE_BLOCKED;
		if (!insn->known)
			return PMB_PLACE_UNKNOWN;
		code_undo__step(&b->undo, &insn->o);
		put_operands(b, code, insn, ret);
		if (ret->n)
			return PMB_PLACE_FOUND;
		at_target = insn->target;
	}
	return limit == 1 ? PMB_PLACE_NO_OPERAND : PMB_PLACE_FAR;
}

/* A string instruction that repeats stands at its own place until it is through. */
static void put_repeated(const struct back *b, const struct code_bytes *code,
			 const struct insn *insn, struct pmb_place *ret)
{
	struct back after = *b;

	code_undo__repeated(&after.undo, &insn->o);
	put_operands(&after, code, insn, ret);
}

void code_place__find(const struct code_bytes *code, enum pmb_skid skid, struct pmb_place *ret)
{
	struct back b = {.n = 0};
	bool at_target = false;
	struct insn here;
	int64_t target;

	*ret = (struct pmb_place){.finding = PMB_PLACE_UNKNOWN};
	if (code->at >= code->len || !decode(code, code->at, &here, &target))
		return;
	ret->len = (uint8_t)here.o.len;
	if (skid == PMB_SKID_EXACT || skid == PMB_SKID_BEFORE) {
		if (here.known)
			put_operands(&b, code, &here, ret);
		return;
	}
	if (skid == PMB_SKID_NEAR) {
		code_search__find(code, ret);
		return;
	}
	if (!back__read(&b, code))
		return;
	if (skid == PMB_SKID_SOME && !back__mark_targets(&b, code, &at_target))
		return;
	ret->finding =
		(uint8_t)look_back(&b, code, skid == PMB_SKID_AFTER ? 1 : BACK_MAX, at_target, ret);
	if (here.known && here.o.repeats && skid == PMB_SKID_AFTER) {
		memset(&b, 0, sizeof(b));
		put_repeated(&b, code, &here, ret);
	}
}
