// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is claimed of a sample, from its place in the code and its registers. */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "sym/places.h"

enum { BX = 3, LOAD = PMB_OPERAND_LOAD, STORE = PMB_OPERAND_STORE };

/* mov rax,[rbx+8], of 4 bytes, with rbx 0x1000 and at 0x400000. */
static struct pmb_place place_with(uint8_t flags)
{
	return (struct pmb_place){
		.finding = PMB_PLACE_FOUND,
		.n = 1,
		.len = 4,
		.operands = {{.base = BX,
			      .index = PMB_REG_NONE,
			      .scale = 1,
			      .segment = PMB_REG_NONE,
			      .flags = flags,
			      .size = 8,
			      .disp = 8}},
	};
}

static struct profile_access access_to(uint64_t addr)
{
	struct profile_access access = {.addr = addr, .n_regs = PMB_DATA_REGS};

	access.regs[BX] = 0x1000;
	access.regs[PMB_DATA_IP] = 0x400000;
	return access;
}

Test(places, what_is_claimed)
{
	static const struct {
		const char *what;
		uint64_t addr;
		enum pmb_skid skid;
		uint8_t flags;
		enum data_class class;
		uint8_t access;
	} cases[] = {
		{"where it begins", 0x1008, PMB_SKID_EXACT, LOAD, DATA_VALIDATED, LOAD},
		{"its last byte", 0x100f, PMB_SKID_EXACT, STORE, DATA_VALIDATED, STORE},
		{"behind it", 0x1010, PMB_SKID_EXACT, LOAD, DATA_CONTRADICTED, 0},
		{"before it", 0x1007, PMB_SKID_EXACT, LOAD, DATA_CONTRADICTED, 0},
		{"in the watched word", 0x1004, PMB_SKID_AFTER, LOAD, DATA_VALIDATED, LOAD},
		{"the same, before the access", 0x1004, PMB_SKID_BEFORE, LOAD, DATA_VALIDATED,
		 LOAD},
		{"in none", 0x1000, PMB_SKID_AFTER, LOAD, DATA_CONTRADICTED, 0},
		{"with skid it may be another's", 0x2000, PMB_SKID_SOME, LOAD, DATA_ADDRESS_ONLY,
		 0},
		{"no address", 0, PMB_SKID_SOME, LOAD, DATA_CANDIDATE, LOAD},
#ifndef __aarch64__ /* whose addresses may have tags there */
		{"nobody's", 0x0300000000001008, PMB_SKID_EXACT, LOAD, DATA_INVALID_ADDRESS, 0},
#endif
		{"a register is overwritten", 0, PMB_SKID_SOME, LOAD | PMB_OPERAND_LOST,
		 DATA_REGISTER_LOST, LOAD},
		{"though it fits", 0x1008, PMB_SKID_AFTER, LOAD | PMB_OPERAND_LOST,
		 DATA_REGISTER_LOST, 0},
		{"loose, and it fits", 0x1008, PMB_SKID_EXACT, LOAD | PMB_OPERAND_LOOSE,
		 DATA_VALIDATED, LOAD},
		{"loose, and it doesn't", 0x2000, PMB_SKID_EXACT, LOAD | PMB_OPERAND_LOOSE,
		 DATA_REGISTER_LOST, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pmb_place place = place_with(cases[i].flags);
		const struct profile_access access = access_to(cases[i].addr);
		struct data_finding f = data_finding(&place, cases[i].skid, &access);

		cr_expect_eq(f.class, cases[i].class, "%s: %s", cases[i].what,
			     data_class_keys[f.class]);
		cr_expect_eq(f.access, cases[i].access, "%s: %d", cases[i].what, f.access);
	}
}

/* Of two nobody knows which; nothing that came with an address is a candidate. */
Test(places, candidates)
{
	struct pmb_place place = place_with(LOAD);
	struct profile_access access = access_to(0);

	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).candidate, &place.operands[0]);
	cr_expect_null(data_finding(&place, PMB_SKID_SOME, &access).operand);
	place = place_with(LOAD | PMB_OPERAND_LOST);
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).candidate, &place.operands[0]);
	place = place_with(LOAD | PMB_OPERAND_LOOSE);
	cr_expect_null(data_finding(&place, PMB_SKID_SOME, &access).candidate);
	/* one that would have been addressed by nothing that points anywhere was not it */
	place = place_with(LOAD);
	access.regs[BX] = 0;
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).class, DATA_INVALID_ADDRESS);
	cr_expect_null(data_finding(&place, PMB_SKID_SOME, &access).candidate);
	access.regs[BX] = 0xffff880000000000;
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).class, DATA_INVALID_ADDRESS);
	access.regs[BX] = 0x7fff00000000;
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).class, DATA_CANDIDATE);
	access = access_to(0);
	place = place_with(LOAD);
	place.operands[1] = place.operands[0];
	place.n = 2;
	cr_expect_null(data_finding(&place, PMB_SKID_SOME, &access).candidate);
	place.n = 1;
	for (uint64_t addr = 0x1004; addr <= 0x1014; addr += 8) {
		access = access_to(addr);
		for (enum pmb_skid skid = PMB_SKID_EXACT; skid < PMB_N_SKIDS; skid++)
			cr_expect_null(data_finding(&place, skid, &access).candidate);
	}
}

/* Before the place there are a load and a store; the address, or what the hardware says of it,
 * tells which it was. */
Test(places, one_of_several)
{
	static const struct {
		const char *what;
		uint64_t addr;
		int64_t second; /* where the store is, from bx */
		uint32_t kind;
		uint8_t flags, others; /* of the load, and of the store */
		enum data_class class;
		int operand;
	} cases[] = {
		{"the nearer one", 0x1008, 16, 0, 0, 0, DATA_VALIDATED, 0},
		{"the other one", 0x1017, 16, 0, 0, 0, DATA_VALIDATED, 1},
		{"none", 0x1018, 16, 0, 0, 0, DATA_ADDRESS_ONLY, -1},
		{"both", 0x1008, 8, 0, 0, 0, DATA_ADDRESS_ONLY, -1},
		{"both, of a load", 0x1008, 8, LOAD, 0, 0, DATA_VALIDATED, 0},
		{"both, of a store", 0x1008, 8, STORE, 0, 0, DATA_VALIDATED, 1},
		{"a load that only a store fits", 0x1010, 16, LOAD, 0, 0, DATA_ADDRESS_ONLY, -1},
		{"one that fits is lost", 0x1008, 16, 0, PMB_OPERAND_LOST, 0, DATA_ADDRESS_ONLY,
		 -1},
		{"all are", 0x1008, 8, 0, PMB_OPERAND_LOST, PMB_OPERAND_LOST, DATA_REGISTER_LOST,
		 -1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pmb_place place = place_with(LOAD | cases[i].flags);
		struct profile_access access = access_to(cases[i].addr);
		struct data_finding f;

		place.n = 2;
		place.operands[0].insn = -4;
		place.operands[1] = place.operands[0];
		place.operands[1].insn = -8;
		place.operands[1].disp = cases[i].second;
		place.operands[1].flags = STORE | cases[i].others;
		access.kind = cases[i].kind;
		f = data_finding(&place, PMB_SKID_NEAR, &access);
		cr_expect_eq(f.class, cases[i].class, "%s: %s", cases[i].what,
			     data_class_keys[f.class]);
		if (cases[i].class == DATA_REGISTER_LOST) {
			access.kind = STORE;
			place.operands[1].flags = LOAD | PMB_OPERAND_LOST;
			cr_expect_eq(data_finding(&place, PMB_SKID_NEAR, &access).class,
				     DATA_ADDRESS_ONLY, "none of that kind is there");
			access.kind = 0;
		}
		cr_expect_eq(f.operand,
			     cases[i].operand < 0 ? NULL : &place.operands[cases[i].operand], "%s",
			     cases[i].what);
	}
}

/* The same instruction, by two ways: then it was that one. */
Test(places, one_by_two_ways)
{
	struct pmb_place place = place_with(LOAD);
	struct profile_access access = access_to(0x1008);

	place.n = 2;
	place.operands[1] = place.operands[0];
	cr_expect_eq(data_finding(&place, PMB_SKID_NEAR, &access).class, DATA_VALIDATED);
}

Test(places, instructions_that_are_fetched)
{
	const struct pmb_place place = place_with(LOAD);
	struct profile_access access = access_to(0x400000);

	cr_expect(data_finding(&place, PMB_SKID_EXACT, &access).fetch);
	access.addr = 0x400003;
	cr_expect(data_finding(&place, PMB_SKID_EXACT, &access).fetch);
	access.addr = 0x400004;
	cr_expect_eq(data_finding(&place, PMB_SKID_EXACT, &access).class, DATA_CONTRADICTED);
}

Test(places, where_nothing_is_known)
{
	struct pmb_place place = {.finding = PMB_PLACE_UNKNOWN};
	struct profile_access access = {.addr = 0x1008};

	cr_expect_eq(data_finding(&place, PMB_SKID_EXACT, &access).class, DATA_ADDRESS_ONLY);
	access.addr = 0;
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).class, DATA_UNVERIFIABLE);
	place = place_with(LOAD);
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).class, DATA_UNVERIFIABLE,
		     "the registers are those of the kernel");
	access = access_to(0);
	place = (struct pmb_place){.finding = PMB_PLACE_TARGET};
	cr_expect_eq(data_finding(&place, PMB_SKID_SOME, &access).class, DATA_BRANCH_TARGET);
}
