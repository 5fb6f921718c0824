// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/mem.h"
#include "symd/code_place.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI };

#define CODE(text) (const uint8_t *)(text), sizeof(text) - 1

struct expected {
	uint8_t finding, base, flags;
	int64_t disp;
};

static const struct {
	const char *what;
	const uint8_t *code;
	size_t len, at;
	enum pmb_skid skid;
	struct expected want;
} cases[] = {
	{"the place itself",
	 CODE("\x48\x8b\x43\x08\xc3"),
	 0,
	 PMB_SKID_EXACT,
	 {PMB_PLACE_FOUND, BX, PMB_OPERAND_LOAD, 8}},
	{"no operand",
	 CODE("\x48\x89\xd8\xc3"),
	 0,
	 PMB_SKID_EXACT,
	 {.finding = PMB_PLACE_NO_OPERAND}},
	{"the one before",
	 CODE("\x48\x89\x03\xff\xc0\xc3"),
	 3,
	 PMB_SKID_AFTER,
	 {PMB_PLACE_FOUND, BX, PMB_OPERAND_STORE, 0}},
	{"only that one",
	 CODE("\x48\x89\x03\xff\xc0\xc3"),
	 5,
	 PMB_SKID_AFTER,
	 {.finding = PMB_PLACE_NO_OPERAND}},
	{"it overwrites what it was addressed by",
	 CODE("\x48\x8b\x00\xc3"),
	 3,
	 PMB_SKID_AFTER,
	 {PMB_PLACE_FOUND, AX, PMB_OPERAND_LOAD | PMB_OPERAND_LOST, 0}},
	{"the stack pointer as it was before a push",
	 CODE("\x50\xc3"),
	 1,
	 PMB_SKID_AFTER,
	 {PMB_PLACE_FOUND, SP, PMB_OPERAND_STORE, 0}},
	{"relative to the place, not to the instruction",
	 CODE("\x8b\x05\x10\0\0\0\x90\xc3"),
	 7,
	 PMB_SKID_SOME,
	 {PMB_PLACE_FOUND, PMB_REG_IP, PMB_OPERAND_LOAD, 15}},
	{"additions since are undone",
	 CODE("\x48\x89\x03\x48\x83\xc3\x08\xc3"),
	 7,
	 PMB_SKID_SOME,
	 {PMB_PLACE_FOUND, BX, PMB_OPERAND_STORE, -8}},
	{"a call is before",
	 CODE("\x48\x89\x03\xe8\0\0\0\0\xc3"),
	 8,
	 PMB_SKID_SOME,
	 {.finding = PMB_PLACE_BLOCKED}},
	{"the function's beginning",
	 CODE("\x90\x90\xc3"),
	 2,
	 PMB_SKID_SOME,
	 {.finding = PMB_PLACE_BLOCKED}},
	{"a jump leads to the store itself",
	 CODE("\x48\x89\x03\x90\x90\xeb\xf9"),
	 4,
	 PMB_SKID_SOME,
	 {PMB_PLACE_FOUND, BX, PMB_OPERAND_STORE, 0}},
	{"a jump leads to what is after the store",
	 CODE("\x48\x89\x03\x90\x90\xeb\xfd"),
	 5,
	 PMB_SKID_SOME,
	 {.finding = PMB_PLACE_TARGET}},
	{"a jump from below leads to the place",
	 CODE("\x48\x89\x03\x90\x74\xfd\xc3"),
	 3,
	 PMB_SKID_SOME,
	 {.finding = PMB_PLACE_TARGET}},
	{"nobody knows where jumps lead",
	 CODE("\x48\x89\x03\x90\xff\xe0"),
	 3,
	 PMB_SKID_SOME,
	 {.finding = PMB_PLACE_UNKNOWN}},
	{"out of step",
	 CODE("\x48\x89\x03\xc3"),
	 1,
	 PMB_SKID_AFTER,
	 {.finding = PMB_PLACE_UNKNOWN}},
	{"a repeated store is in the middle of it",
	 CODE("\x90\xf3\x48\xab\xc3"),
	 1,
	 PMB_SKID_AFTER,
	 {PMB_PLACE_FOUND, DI, PMB_OPERAND_STORE | PMB_OPERAND_LOOSE, -8}},
	{"beyond the end", CODE("\x90"), 1, PMB_SKID_SOME, {.finding = PMB_PLACE_UNKNOWN}},
};

Test(code_place, found)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct code_bytes code = {cases[i].code, cases[i].len, cases[i].at,
						INSN_X86_64};
		const struct expected *want = &cases[i].want;
		struct pmb_place place;
		const struct pmb_operand *o = &place.operands[0];

		code_place__find(&code, cases[i].skid, &place);
		cr_assert_eq(place.finding, want->finding, "%s: %d", cases[i].what, place.finding);
		if (want->finding == PMB_PLACE_FOUND)
			cr_expect(o->base == want->base && o->flags == want->flags &&
					  o->disp == want->disp,
				  "%s: base %d flags %d disp %ld", cases[i].what, o->base, o->flags,
				  (long)o->disp);
	}
}

Test(code_place, not_beyond_a_dozen)
{
	uint8_t bytes[32] = {0x48, 0x89, 0x03};
	struct code_bytes code = {bytes, sizeof(bytes), 3 + 11, INSN_X86_64};
	struct pmb_place place;

	for (size_t i = 3; i < sizeof(bytes); i++)
		bytes[i] = 0x90;
	code_place__find(&code, PMB_SKID_SOME, &place);
	cr_expect_eq(place.finding, PMB_PLACE_FOUND);
	code.at++;
	code_place__find(&code, PMB_SKID_SOME, &place);
	cr_expect_eq(place.finding, PMB_PLACE_FAR);
}

/* mov [rbx],rax; loop: mov rcx,[rbx+8]; add rbx,16; dec rdx; jne loop; ret */
#define LOOP "\x48\x89\x03\x48\x8b\x4b\x08\x48\x83\xc3\x10\x48\xff\xca\x75\xf3\xc3"

static struct pmb_place near(const char *bytes, size_t len, size_t at)
{
	const struct code_bytes code = {(const uint8_t *)bytes, len, at, INSN_X86_64};
	struct pmb_place place;

	code_place__find(&code, PMB_SKID_NEAR, &place);
	return place;
}

static bool is_operand(const struct pmb_operand *o, int32_t insn, uint8_t flags, int64_t disp)
{
	return o->base == BX && o->insn == insn && o->flags == flags && o->disp == disp;
}

/* All that may have been before, the nearest first; of a loop, of the time before, too. */
Test(code_place, along_all_ways)
{
	struct pmb_place place = near(LOOP, sizeof(LOOP) - 1, 3);

	cr_assert_eq(place.finding, PMB_PLACE_FOUND);
	cr_assert_geq(place.n, 4, "%d", place.n);
	cr_expect(is_operand(&place.operands[0], -3, PMB_OPERAND_STORE, 0));
	cr_expect(is_operand(&place.operands[1], 0, PMB_OPERAND_LOAD, -8));
	cr_expect(is_operand(&place.operands[2], -3, PMB_OPERAND_STORE, -16));
	cr_expect(is_operand(&place.operands[3], 0, PMB_OPERAND_LOAD, -24));
	place = near(LOOP, sizeof(LOOP) - 1, 7);
	cr_expect(is_operand(&place.operands[0], -4, PMB_OPERAND_LOAD, 8));
	cr_expect(is_operand(&place.operands[1], -7, PMB_OPERAND_STORE, 0));
}

Test(code_place, where_ways_end)
{
	const char nops[] =
		"\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90";
	const char call[] = "\x48\x89\x03\xe8\x00\x00\x00\x00\x90\xc3";

	cr_expect_eq(near(nops, 18, 17).finding, PMB_PLACE_FAR);
	cr_expect_eq(near(nops, 18, 3).finding, PMB_PLACE_BLOCKED);
	cr_expect_eq(near(call, 10, 9).finding, PMB_PLACE_BLOCKED);
	cr_expect_eq(near(call, 10, 3).n, 1);
	cr_expect_eq(near(call, 10, 4).finding, PMB_PLACE_UNKNOWN, "between two instructions");
}

/* The same of other architectures: an operand that a step changed, and one that is lost. */
Test(code_place, of_other_architectures)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len, at;
		enum insn_set set;
		enum pmb_skid skid;
		struct expected want;
	} others[] = {
		{"arm64: where it interrupted",
		 CODE("\x20\x08\x40\xf9\xc0\x03\x5f\xd6"), /* ldr x0,[x1,#16]; ret */
		 0,
		 INSN_ARM64,
		 PMB_SKID_BEFORE,
		 {PMB_PLACE_FOUND, 1, PMB_OPERAND_LOAD, 16}},
		{"arm64: the base goes on behind the access",
		 CODE("\x20\x84\x40\xf8\xc0\x03\x5f\xd6"), /* ldr x0,[x1],#8; ret */
		 4,
		 INSN_ARM64,
		 PMB_SKID_AFTER,
		 {PMB_PLACE_FOUND, 1, PMB_OPERAND_LOAD, -8}},
		{"arm64: half of an index, to which something was added since",
		 /* ldr w6,[x7,w8,uxtw]; add x8,x8,#1; ret */
		 CODE("\xe6\x48\x68\xb8\x08\x05\x00\x91\xc0\x03\x5f\xd6"),
		 8,
		 INSN_ARM64,
		 PMB_SKID_SOME,
		 {PMB_PLACE_FOUND, 7, PMB_OPERAND_LOAD | PMB_OPERAND_LOST | PMB_OPERAND_UNSIGNED_32,
		  -1}},
		{"arm64: a call is before",
		 CODE("\x02\x00\x00\x94\xc0\x03\x5f\xd6"),
		 4,
		 INSN_ARM64,
		 PMB_SKID_SOME,
		 {.finding = PMB_PLACE_BLOCKED}},
		{"riscv64: additions since are undone",
		 CODE("\x88\x69\xa1\x05\x82\x80"), /* ld a0,16(a1); addi a1,a1,8; ret */
		 4,
		 INSN_RISCV64,
		 PMB_SKID_SOME,
		 {PMB_PLACE_FOUND, 11, PMB_OPERAND_LOAD, 8}},
		{"riscv64: it overwrites what it was addressed by",
		 CODE("\x8c\x65\x82\x80"), /* ld a1,8(a1); ret */
		 2,
		 INSN_RISCV64,
		 PMB_SKID_SOME,
		 {PMB_PLACE_FOUND, 11, PMB_OPERAND_LOAD | PMB_OPERAND_LOST, 8}},
		{"riscv64: a branch leads there, a nearer load is before it",
		 /* ld a0,0(a1); addi a1,a1,-8; bnez a1,.-2; ret */
		 CODE("\x88\x61\xe1\x15\xfd\xfd\x82\x80"),
		 2,
		 INSN_RISCV64,
		 PMB_SKID_SOME,
		 {.finding = PMB_PLACE_TARGET}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct code_bytes code = {others[i].code, others[i].len, others[i].at,
						others[i].set};
		const struct expected *want = &others[i].want;
		struct pmb_place place;
		const struct pmb_operand *o = &place.operands[0];

		code_place__find(&code, others[i].skid, &place);
		cr_assert_eq(place.finding, want->finding, "%s: %d", others[i].what, place.finding);
		if (want->finding == PMB_PLACE_FOUND)
			cr_expect(o->base == want->base && o->flags == want->flags &&
					  o->disp == want->disp,
				  "%s: base %d flags %d disp %ld", others[i].what, o->base,
				  o->flags, (long)o->disp);
	}
}
