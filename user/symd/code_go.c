// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/code_go.h"

#include "symd/probed_insn.h"

enum {
	LOOK_INSNS = 8,   /* from the beginning to the last jump of the look */
	AGAIN_INSNS = 40, /* where that leads: arguments are put away and taken back */
};

struct reader {
	enum insn_set set;
	const uint8_t *code;
	size_t len;
	size_t at;
	struct probed_before before;
};

static bool next(struct reader *r, struct probed_insn *ret)
{
	if (r->at > r->len ||
	    !probed_insn__read(r->set, r->code + r->at, r->len - r->at, r->at + 1, &r->before, ret))
		return false;
	r->at += ret->len;
	return true;
}

/* Places are counted from 1 on, for 0 is nowhere. */
static bool begins_again(const struct reader *from, uint64_t target)
{
	struct reader r = {.set = from->set,
			   .code = from->code,
			   .len = from->len,
			   .at = (size_t)target - 1};
	struct probed_insn insn;

	for (int i = 0; i < AGAIN_INSNS && next(&r, &insn); i++) {
		if (insn.kind == PROBED_LEADS)
			return !insn.when && insn.target == 1;
		if (insn.kind != PROBED_GOES_ON)
			return false;
	}
	return false;
}

bool code_go__find(enum insn_set set, const uint8_t *code, size_t len, struct code_go *ret)
{
	struct reader r = {.set = set, .code = code, .len = len};
	struct probed_insn insn;
	uint64_t target = 0;

	for (int i = 0; i < LOOK_INSNS && next(&r, &insn); i++) {
		if (insn.kind == PROBED_GOES_ON)
			continue;
		if (insn.kind != PROBED_LEADS || !insn.when || insn.when == PROBED_SOMETIMES ||
		    insn.target > len || (target && insn.target != target))
			break;
		target = insn.target;
		*ret = (struct code_go){.at = r.at - insn.len, .when = insn.when};
	}
	return target && begins_again(&r, target);
}
