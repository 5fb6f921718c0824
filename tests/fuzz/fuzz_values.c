// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a function, with pointers in some registers, at some places, and in some members:
 * what registers are found to be comes to an end, and is of what was said.
 */
#include <stdlib.h>

#include "symd/code_values.h"

enum { SIZE = 24, TYPES = 4, FAR = 1 << 30 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool put(uint64_t what, struct pointee *ret)
{
	*ret = (struct pointee){.type = what % TYPES, .size = SIZE, .aggregate = true};
	return what % 3 == 0;
}

static bool held(void *ctx, size_t off, unsigned reg, struct pointee *ret)
{
	(void)ctx;
	if (!put(off / 16 + reg, ret))
		return false;
	/* as DWARF may say it */
	if (off / 16 % 5 == 4)
		ret->at = (int64_t)((off + 1) * 0x7ffffffffffffff9);
	return true;
}

static bool ends(void *ctx, size_t off, size_t next)
{
	(void)ctx;
	return off / 16 != next / 16;
}

static bool in_object(void *ctx, const struct pointee *where, struct pointee *ret)
{
	(void)ctx;
	if (where->type >= TYPES || where->size != SIZE)
		abort();
	return put((uint64_t)where->at + where->type, ret);
}

static bool in_frame(void *ctx, size_t off, const struct frame_place *place, struct pointee *ret)
{
	(void)ctx;
	return put(off / 16 + (uint64_t)place->at, ret);
}

static bool any_variable(void *ctx, size_t off, const struct frame_place *place)
{
	(void)ctx;
	(void)off;
	return place->at % 3 == 0;
}

static bool at_address(void *ctx, int64_t off, struct pointee *ret)
{
	(void)ctx;
	return put((uint64_t)off, ret);
}

static void call(void *ctx, size_t next, int64_t called, struct call_facts *ret)
{
	(void)ctx;
	*ret = (struct call_facts){.never = next % 7 == 0, .fresh = called % 2};
	ret->returns = put((uint64_t)called, &ret->returned);
	ret->takes = put(next, &ret->taken);
}

static bool holds(void *ctx, const struct pointee *outer, const struct pointee *inner)
{
	(void)ctx;
	if (outer->type >= TYPES || inner->type >= TYPES)
		abort();
	return outer->type >= inner->type && outer->at == inner->at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct code_values_fns fns = {
		.held = held,
		.ends = ends,
		.in_object = in_object,
		.in_frame = in_frame,
		.any_variable = any_variable,
		.at_address = at_address,
		.call = call,
		.holds = holds,
		.entry = size % 11 != 0,
		.set = (enum insn_set)(size / 2 % 3),
		.go = size % 2,
		.returns = size % 3 == 0,
		.returned = {.type = 1, .size = SIZE, .aggregate = true},
	};
	struct code_values *values = code_values__new(data, size, &fns);
	struct code_value v;

	for (size_t off = 0; values && off < size && off < 256; off++) {
		for (unsigned reg = 0; reg < INSN_REGS; reg++) {
			code_values__at(values, off, reg, &v);
			if (v.kind == CODE_VALUE_NONE || v.kind == CODE_VALUE_FRESH ||
			    v.kind > CODE_VALUE_ANY ||
			    (v.kind == CODE_VALUE_POINTER &&
			     (v.to.type >= TYPES || v.to.size != SIZE || v.to.at > FAR ||
			      v.to.at < -FAR)))
				abort();
		}
	}
	code_values__free(values);
	return 0;
}
