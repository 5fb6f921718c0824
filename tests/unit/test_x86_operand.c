// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "symd/x86_operand.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI };

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

Test(x86_operand, memory)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		struct insn_memory m;
	} cases[] = {
		{"mov rax,[rax+rbx*8+0x10]",
		 BYTES("\x48\x8b\x44\xd8\x10"),
		 {.base = AX, .index = BX, .scale = 8, .access = INSN_LOAD, .size = 8, .disp = 16}},
		{"mov [rip-8],cl",
		 BYTES("\x88\x0d\xf8\xff\xff\xff"),
		 {.base = INSN_IP,
		  .index = INSN_NONE,
		  .scale = 1,
		  .access = INSN_STORE,
		  .size = 1,
		  .disp = -8}},
		{"sub rax,fs:0x28",
		 BYTES("\x64\x48\x2b\x04\x25\x28\0\0\0"),
		 {.base = INSN_NONE,
		  .index = INSN_NONE,
		  .scale = 1,
		  .segment = 0x64,
		  .access = INSN_LOAD,
		  .size = 8,
		  .disp = 40}},
		{"lock add dword [r12],1",
		 BYTES("\xf0\x41\x83\x04\x24\x01"),
		 {.base = 12,
		  .index = INSN_NONE,
		  .scale = 1,
		  .access = INSN_LOAD | INSN_STORE,
		  .size = 4}},
		{"cmp word [rsi],1",
		 BYTES("\x66\x83\x3e\x01"),
		 {.base = SI, .index = INSN_NONE, .scale = 1, .access = INSN_LOAD, .size = 2}},
		{"vmovdqu64 ymm1,[rax+0x20]",
		 BYTES("\x62\xf1\xfe\x28\x6f\x48\x01"),
		 {.base = AX,
		  .index = INSN_NONE,
		  .scale = 1,
		  .access = INSN_LOAD,
		  .size = 32,
		  .disp = 32}},
		{"vpmovusqw [rax+4],xmm1",
		 BYTES("\x62\xf2\x7e\x08\x14\x48\x01"),
		 {.base = AX,
		  .index = INSN_NONE,
		  .scale = 1,
		  .access = INSN_STORE,
		  .size = 4,
		  .disp = 4}},
		{"vpgatherdd: a vector of indices",
		 BYTES("\xc4\xe2\x75\x90\x04\x88"),
		 {.base = AX,
		  .index = CX,
		  .scale = 4,
		  .access = INSN_LOAD,
		  .size = 4,
		  .loose = true}},
		{"push rax",
		 BYTES("\x50"),
		 {.base = SP,
		  .index = INSN_NONE,
		  .scale = 1,
		  .access = INSN_STORE,
		  .size = 8,
		  .disp = -8}},
		{"stosq",
		 BYTES("\x48\xab"),
		 {.base = DI, .index = INSN_NONE, .scale = 1, .access = INSN_STORE, .size = 8}},
		{"ret",
		 BYTES("\xc3"),
		 {.base = SP, .index = INSN_NONE, .scale = 1, .access = INSN_LOAD, .size = 8}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn_data o;
		const struct insn_memory *m = &o.mem[0], *want = &cases[i].m;

		cr_assert(x86_operand__read(cases[i].code, cases[i].len, &o), "%s", cases[i].what);
		cr_expect_eq(o.len, cases[i].len, "%s", cases[i].what);
		cr_assert_geq(o.n, 1, "%s", cases[i].what);
		cr_expect(m->base == want->base && m->disp == want->disp && m->size == want->size &&
				  m->segment == want->segment && m->access == want->access &&
				  m->loose == want->loose,
			  "%s: base %d disp %d size %d access %d", cases[i].what, m->base, m->disp,
			  m->size, m->access);
		cr_expect(m->loose || (m->index == want->index && m->scale == want->scale), "%s",
			  cases[i].what);
	}
}

Test(x86_operand, registers_that_are_overwritten)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		unsigned written;
		struct insn_step step;
	} cases[] = {
		{"mov rax,[rax]", BYTES("\x48\x8b\x00"), 1 << AX, {INSN_NONE, 0}},
		{"cmp rax,rbx", BYTES("\x48\x39\xd8"), 0, {INSN_NONE, 0}},
		{"add rcx,-16", BYTES("\x48\x83\xc1\xf0"), 1 << CX, {CX, -16}},
		{"add ecx,-16: the upper half goes",
		 BYTES("\x83\xc1\xf0"),
		 1 << CX,
		 {INSN_NONE, 0}},
		{"sub rax,0x10000", BYTES("\x48\x2d\x00\x00\x01\x00"), 1 << AX, {AX, -0x10000}},
		{"sub eax,0x10000", BYTES("\x2d\x00\x00\x01\x00"), 1 << AX, {INSN_NONE, 0}},
		{"lea rdx,[rdx+8]", BYTES("\x48\x8d\x52\x08"), 1 << DX, {DX, 8}},
		{"lea rdx,[rax+8]", BYTES("\x48\x8d\x50\x08"), 1 << DX, {INSN_NONE, 0}},
		{"mov ah,1", BYTES("\xb4\x01"), 1 << AX, {INSN_NONE, 0}},
		{"mov spl,1", BYTES("\x40\xb4\x01"), 1 << SP, {INSN_NONE, 0}},
		{"pop rbx", BYTES("\x5b"), 1 << BX | 1 << SP, {SP, 8}},
		{"div rcx", BYTES("\x48\xf7\xf1"), 1 << AX | 1 << DX, {INSN_NONE, 0}},
		{"dec r11", BYTES("\x49\xff\xcb"), 1 << 11, {11, -1}},
		{"mulx rax,rcx,rdx",
		 BYTES("\xc4\xe2\xf3\xf6\xc2"),
		 1 << AX | 1 << CX,
		 {INSN_NONE, 0}},
		{"call", BYTES("\xe8\0\0\0\0"), 0xffff, {INSN_NONE, 0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn_data o;

		cr_assert(x86_operand__read(cases[i].code, cases[i].len, &o), "%s", cases[i].what);
		cr_expect_eq(o.written, cases[i].written, "%s: %x", cases[i].what, o.written);
		cr_expect(o.steps[0].reg == cases[i].step.reg &&
				  o.steps[0].added == cases[i].step.added,
			  "%s: %d%+d", cases[i].what, o.steps[0].reg, o.steps[0].added);
	}
}

Test(x86_operand, what_is_not_known)
{
	struct insn_data o;

	cr_expect(!x86_operand__read(BYTES("\x06"), &o));
	cr_expect_eq(o.len, 0);
	cr_expect(!x86_operand__read(BYTES("\x48\x8b"), &o), "it is cut");
	cr_expect_eq(o.len, 0);
	cr_expect(!x86_operand__read(BYTES("\xc8\x10\0\0"), &o) || o.written == 0xffff, "enter");
	cr_expect(!x86_operand__read(BYTES("\x0f\x01\x00"), &o), "sgdt");
	cr_expect_eq(o.len, 3);
}
