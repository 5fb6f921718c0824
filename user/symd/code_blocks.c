// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that bytes may be anything: jumps lead amid instructions, or there are a
 * million of them. So a function is gone through three times, whatever it has, and what doesn't
 * begin where going through it came to is no place.
 */
#include "symd/code_blocks.h"

#include <stdbool.h>
#include <string.h>

#include "symd/insn_class.h"

static bool has(const uint8_t *bits, size_t at)
{
	return bits[at / 8] & 1U << at % 8;
}

static void mark(uint8_t *bits, size_t at)
{
	bits[at / 8] |= (uint8_t)(1U << at % 8);
}

/* Where to go on behind what is no instruction. */
static size_t smallest(enum insn_set set)
{
	return set == INSN_ARM64 ? 4 : set == INSN_RISCV64 ? 2 : 1;
}

static void mark_target(struct code_blocks *b, size_t from, const struct insn_data *o)
{
	int64_t to = (int64_t)from + o->target;

	if (o->has_target && o->flow != INSN_CALLS && to >= 0 && (uint64_t)to < b->len)
		mark(b->blocks, (size_t)to);
}

static void find_ends(struct code_blocks *b)
{
	struct insn_data o;
	bool ended = true;

	for (size_t at = 0; at < b->len;) {
		insn_data__read_flow(b->set, b->bytes + at, b->len - at, &o);
		if (ended)
			mark(b->blocks, at);
		ended = !o.len || (o.flow != INSN_GOES_ON && o.flow != INSN_CALLS);
		if (o.len) {
			mark(b->insns, at);
			mark_target(b, at, &o);
		}
		at += o.len ? o.len : smallest(b->set);
	}
}

static void cut_long_ones(struct code_blocks *b)
{
	size_t n = 0;

	for (size_t at = 0; at < b->len; at++) {
		if (!has(b->insns, at))
			continue;
		if (has(b->blocks, at))
			n = 0;
		else if (n == CODE_BLOCK_INSNS) {
			mark(b->blocks, at);
			n = 0;
		}
		n++;
	}
}

void code_blocks__find(struct code_blocks *b, enum insn_set set, const uint8_t *bytes, size_t len)
{
	b->set = set;
	b->bytes = bytes;
	b->len = len < CODE_BLOCKS_BYTES ? len : CODE_BLOCKS_BYTES;
	memset(b->insns, 0, (b->len + 7) / 8);
	memset(b->blocks, 0, (b->len + 7) / 8);
	find_ends(b);
	cut_long_ones(b);
}

static const unsigned least[PMB_N_BLOCK_CLASSES] = {
#define X(class, word, least) [PMB_BLOCK_##class] = least,
	PMB_BLOCK_MARKS(X) PMB_BLOCK_MIXES(X)
#undef X
};

static bool is_part(unsigned part, unsigned n, enum pmb_block_class class)
{
	return part && part * 100 >= n * least[class];
}

/* What is read and written, and jumps. */
static enum pmb_block_class mix_of(const unsigned *count, unsigned n)
{
	unsigned both = count[PMB_BLOCK_LOAD_STORE];
	unsigned loads = count[PMB_BLOCK_LOAD] + both, stores = count[PMB_BLOCK_STORE] + both;
	unsigned memory = loads + stores - both, jumps = count[PMB_BLOCK_BRANCH];

	if (memory * 4 >= n && memory >= jumps)
		return loads * 3 >= memory && stores * 3 >= memory ? PMB_BLOCK_LOAD_STORE :
		       loads > stores                              ? PMB_BLOCK_LOAD :
								     PMB_BLOCK_STORE;
	return is_part(jumps, n, PMB_BLOCK_BRANCH) ? PMB_BLOCK_BRANCH : PMB_BLOCK_INTEGER;
}

static enum pmb_block_class class_of(const unsigned *count, unsigned n)
{
	unsigned wide = 0;

	for (enum pmb_block_class c = PMB_BLOCK_NONE + 1; c < PMB_BLOCK_LOAD_STORE; c++) {
		bool is_wide = c >= PMB_BLOCK_WIDEST && c <= PMB_BLOCK_NARROWEST;

		wide += is_wide ? count[c] : 0;
		if (is_part(is_wide ? wide : count[c], n, c))
			return c;
	}
	return mix_of(count, n);
}

enum pmb_block_class code_blocks__class(const struct code_blocks *b, size_t at)
{
	unsigned count[PMB_N_BLOCK_CLASSES] = {0}, n = 0;
	struct insn_data o;

	if (at >= b->len || !has(b->insns, at))
		return PMB_BLOCK_NONE;
	while (!has(b->blocks, at) || !has(b->insns, at))
		at--;
	do {
		count[insn_class__read(b->set, b->bytes + at, b->len - at, &o)]++;
		n++;
		at += o.len;
	} while (at < b->len && has(b->insns, at) && !has(b->blocks, at));
	return class_of(count, n);
}

enum pmb_block_class code_blocks__insn(const struct code_blocks *b, size_t at)
{
	struct insn_data o;

	if (at >= b->len || !has(b->insns, at))
		return PMB_BLOCK_NONE;
	return insn_class__read(b->set, b->bytes + at, b->len - at, &o);
}
