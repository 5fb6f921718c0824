// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What lies in frames of functions in machine code, and how much of these is gone through. */
#include <criterion/criterion.h>

#include "code_values_by_hand.h"

enum { LARGE = 64 * 1024 };

static struct code_values *values_of(const uint8_t *code)
{
	static struct code_values_fns fns;

	fns = fns_of(INSN_X86_64, false);
	gone_over = 0;
	return code_values__new(code, LARGE, &fns);
}

/* mov rax,rdi, and then nothing but cld: who asks for a place doesn't go through all of it. */
Test(code_values, straight_code_without_end)
{
	uint8_t *code = xcalloc(1, LARGE);
	struct code_values *values;
	struct code_value v;

	memset(code, 0xfc, LARGE);
	code[0] = 0x48, code[1] = 0x89, code[2] = 0xf8;
	values = values_of(code);
	cr_assert_not_null(values);
	gone_over = 0;
	for (size_t off = LARGE - 1000; off < LARGE; off++) {
		code_values__at(values, off, AX, &v);
		cr_expect(v.kind == CODE_VALUE_POINTER && v.to.type == NODE);
	}
	cr_expect(gone_over <= 1000 * 256, "%zu instructions for 1000 places", gone_over);
	code_values__free(values);
	free(code);
}

/* Loops that lead to each other from the last to the first, of which only the last one changes a
 * register: it takes as many rounds until that is known everywhere. */
static struct code_values *values_of_loops(size_t loops, size_t bytes)
{
	uint8_t *code = xcalloc(1, LARGE);
	struct code_values *values;

	memset(code, 0xfc, LARGE);
	for (size_t i = 1; i <= loops; i++) {
		const int32_t back = -(int32_t)((i > 1 ? 2 * bytes : bytes) + 6);

		code[i * bytes] = 0x0f, code[i * bytes + 1] = 0x85; /* jne */
		memcpy(code + i * bytes + 2, &back, sizeof(back));
	}
	/* mov rax,rdi before them, mov rax,rsi in the last one */
	code[0] = 0x48, code[1] = 0x89, code[2] = 0xf8;
	memcpy(code + loops * bytes - 3, "\x48\x89\xf0", 3);
	gone_over = 0;
	values = values_of(code);
	free(code);
	return values;
}

Test(code_values, rounds_come_to_an_end)
{
	cr_expect_null(values_of_loops(200, 300));
	cr_expect(gone_over <= 512 * 1024, "%zu instructions", gone_over);
}

/* What didn't change isn't gone through again. */
Test(code_values, rounds_are_short)
{
	struct code_values *values = values_of_loops(22, 2900);

	cr_expect_not_null(values);
	cr_expect(gone_over <= 256 * 1024, "%zu instructions", gone_over);
	code_values__free(values);
}

/* What is put into the frame, where no variable lies: mov [rsp+8],rdi; …; mov rcx,[rsp+8]. */
static const struct {
	const char *what;
	const uint8_t *code;
	size_t len, at;
	enum code_value_kind kind;
	uint64_t every;
} spills[] = {
	{"it comes back", CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x48\x8b\x4c\x24\x08\xc3"), 14,
	 CODE_VALUE_POINTER, 0},
	{"from behind a call, too",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\xe8\x00\x00\x00\x00\x48\x8b\x4c\x24\x08\xc3"),
	 19, CODE_VALUE_POINTER, 0},
	{"half of it is stored over",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x89\x74\x24\x0c\x48\x8b\x4c\x24\x08\xc3"), 18,
	 CODE_VALUE_ANY, 1},
	{"beside it is stored",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x89\x74\x24\x10\x48\x8b\x4c\x24\x08\xc3"), 18,
	 CODE_VALUE_POINTER, 0},
	{"stored by an index",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x89\x34\xb4\x48\x8b\x4c\x24\x08\xc3"), 17,
	 CODE_VALUE_ANY, 1},
	{"other bytes of it", CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x48\x8b\x4c\x24\x0c\xc3"),
	 14, CODE_VALUE_ANY, 1},
	{"a call is told of where it lies",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x48\x8d\x54"
	      "\x24\x08\xe8\x00\x00\x00\x00\x48\x8b\x4c\x24\x08\xc3"),
	 24, CODE_VALUE_ANY, 1},
	{"a call is told of what lies behind",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x48\x8d\x54"
	      "\x24\x10\xe8\x00\x00\x00\x00\x48\x8b\x4c\x24\x08\xc3"),
	 24, CODE_VALUE_POINTER, 0},
	{"below the stack pointer a call stores",
	 CODE("\x48\x89\x7c\x24\xd0\xe8\x00\x00\x00\x00\x48\x8b\x4c\x24\xd0\xc3"), 15,
	 CODE_VALUE_ANY, 1},
	{"a variable lies there that others may store to",
	 CODE("\x48\x89\x7c\x24\xd8\x48\x8b\x4c\x24\xd8\xc3"), 10, CODE_VALUE_ANY, 1},
	{"on one way only",
	 CODE("\x48\x83\xec\x48\x74\x05\x48\x89\x7c\x24\x08\x48\x8b\x4c\x24\x08\xc3"), 16,
	 CODE_VALUE_ANY, 1},
	{"on both ways",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x74\x01\x90\x48\x8b\x4c\x24\x08\xc3"), 17,
	 CODE_VALUE_POINTER, 0},
	{"on both ways, of another register on one",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x74\x05"
	      "\x48\x89\x74\x24\x08\x48\x8b\x4c\x24\x08\xc3"),
	 21, CODE_VALUE_ANY, 1},
	{"jumps back to the beginning leave the stack pointer",
	 CODE("\x48\x83\xec\x48\x48\x89\x7c\x24\x08\x48\x8b\x4c\x24\x08"
	      "\x74\x05\x48\x83\xc4\x48\xc3\xe8\x00\x00\x00\x00\xeb\xe4"),
	 14, CODE_VALUE_POINTER, 0},
};

Test(code_values, what_was_spilled)
{
	const struct code_values_fns fns = fns_of(INSN_X86_64, false);

	for (size_t i = 0; i < ARRAY_SIZE(spills); i++) {
		struct code_values *values = code_values__new(spills[i].code, spills[i].len, &fns);
		struct code_value v;

		cr_assert_not_null(values, "%s", spills[i].what);
		code_values__at(values, spills[i].at, CX, &v);
		cr_expect(v.kind == spills[i].kind && v.to.every == spills[i].every,
			  "%s: kind %d, every %llu", spills[i].what, (int)v.kind,
			  (unsigned long long)v.to.every);
		code_values__free(values);
	}
}

static void expect_any(const uint8_t *code, size_t len, const struct code_values_fns *fns,
		       size_t off, unsigned reg)
{
	struct code_values *values = code_values__new(code, len, fns);
	struct code_value v;

	cr_assert_not_null(values);
	code_values__at(values, off, reg, &v);
	cr_expect_eq(v.kind, CODE_VALUE_ANY, "register %u: kind %d", reg, (int)v.kind);
	code_values__free(values);
}

/* What a compiler put elsewhere of a function begins with the frame that the function has there. */
Test(code_values, of_a_part_of_a_function)
{
	static const uint8_t code[] = "\x48\x83\xec\x10\x48\x8b\x0c\x24\xc3";
	struct code_values_fns fns = fns_of(INSN_X86_64, false);
	struct code_values *values = code_values__new(code, sizeof(code) - 1, &fns);
	struct code_value v;

	/* sub rsp,16; mov rcx,[rsp] */
	cr_assert_not_null(values);
	code_values__at(values, 8, CX, &v);
	cr_expect_eq(v.kind, CODE_VALUE_POINTER, "kind %d", (int)v.kind);
	code_values__at(values, 4, SP, &v);
	cr_expect(v.kind == CODE_VALUE_FRAME && v.to.at == -24);
	code_values__free(values);
	fns.entry = false;
	expect_any(code, sizeof(code) - 1, &fns, 4, SP);
	expect_any(code, sizeof(code) - 1, &fns, 8, CX);
}

static bool held_far(void *ctx, size_t off, unsigned reg, struct pointee *ret)
{
	const bool is_held = held(ctx, off, reg, ret);

	if (is_held)
		ret->at = INT64_MAX - 15;
	return is_held;
}

/* As DWARF may say it: di is a node's address and what doesn't fit, mov rax,[rdi+0x7f]. */
Test(code_values, what_is_too_far_away)
{
	static const uint8_t code[] = "\x48\x8b\x47\x7f\xc3";
	struct code_values_fns fns = fns_of(INSN_X86_64, false);

	fns.held = held_far;
	expect_any(code, sizeof(code) - 1, &fns, 0, DI);
	expect_any(code, sizeof(code) - 1, &fns, 4, AX);
}

static size_t n_recast;

static bool any_word_in_frame(void *ctx, size_t off, const struct frame_place *place,
			      struct pointee *ret)
{
	(void)ctx;
	(void)off;
	(void)place;
	*ret = (struct pointee){.type = WORD, .size = 8};
	return true;
}

static bool holds_none(void *ctx, const struct pointee *outer, const struct pointee *inner)
{
	(void)ctx;
	n_recast += outer->type != inner->type;
	return false;
}

/* lea rax,[rdi+16], and then into all of the frame what none of it is declared to point to. */
Test(code_values, all_of_a_frame_is_recast)
{
	enum { STORE = 8 };
	struct code_values_fns fns = fns_of(INSN_X86_64, false);
	uint8_t *code = xcalloc(1, LARGE);
	struct code_values *values;

	memcpy(code, "\x48\x8d\x47\x10\x90\x90\x90\x90", STORE);
	for (int32_t i = 1; i < LARGE / STORE; i++) {
		const int32_t at = i * 8;

		memcpy(code + (size_t)i * STORE, "\x48\x89\x84\x24", 4); /* mov [rsp+at],rax */
		memcpy(code + (size_t)i * STORE + 4, &at, sizeof(at));
	}
	fns.in_frame = any_word_in_frame;
	fns.holds = holds_none;
	n_recast = 0;
	values = code_values__new(code, LARGE, &fns);
	cr_expect_null(values, "nothing is known");
	cr_expect(n_recast > 0 && n_recast <= 128, "%zu places", n_recast);
	code_values__free(values);
	free(code);
}
