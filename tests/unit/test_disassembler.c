// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lengths and targets, with the library and without. */
#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "symd/disassembler.h"

struct example {
	unsigned machine;
	const char *bytes;
	size_t n;
	uint32_t len;
	enum insn_flow flow;
	uint64_t target;
	const char *text; /* as it begins */
};

static const struct example examples[] = {
	{EM_X86_64, "\x55", 1, 1, INSN_ON, 0, "push"},
	{EM_X86_64, "\x75\xf7\x90", 3, 2, INSN_JUMP, 0xff9, "jne 0xff9"},
	{EM_X86_64, "\xe8\x05\x00\x00\x00", 5, 5, INSN_CALL, 0x100a, "callq 0x100a"},
	{EM_X86_64, "\xc3", 1, 1, INSN_RETURN, 0, "ret"},
	{EM_AARCH64, "\x02\x00\x00\x14", 4, 4, INSN_JUMP, 0x1008, "b #0x1008"},
	{EM_AARCH64, "\xff\xff\xff\x97", 4, 4, INSN_CALL, 0xffc, "bl #0xffc"},
	{EM_AARCH64, "\xe1\xff\xff\x54", 4, 4, INSN_JUMP, 0xffc, "b.ne #0xffc"},
	{EM_AARCH64, "\x40\x00\x00\xb4", 4, 4, INSN_JUMP, 0x1008, "cbz x0"},
	{EM_AARCH64, "\x40\x00\x08\x37", 4, 4, INSN_JUMP, 0x1008, "tbnz w0"},
	{EM_AARCH64, "\xc0\x03\x5f\xd6", 4, 4, INSN_RETURN, 0, "ret"},
	{EM_AARCH64, "\x00", 1, 1, INSN_ON, 0, "(not known)"},
};

static void check_all(bool with_text)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];
		struct disassembler *d = disassembler__new(e->machine, true);
		struct insn insn;

		cr_assert_not_null(d);
		cr_expect_eq(disassembler__has_text(d), with_text);
		disassembler__read(d, (const uint8_t *)e->bytes, e->n, 0x1000, &insn);
		cr_expect_eq(insn.len, e->len, "%s: length %u", e->text, insn.len);
		cr_expect_eq(insn.flow, e->flow, "%s: flow %d", e->text, insn.flow);
		cr_expect_eq(insn.target, e->target, "%s: target %#lx", e->text,
			     (unsigned long)insn.target);
		if (with_text)
			cr_expect_eq(strncmp(insn.text, e->text, strlen(e->text)), 0, "'%s' for %s",
				     insn.text, e->text);
		else
			cr_expect_str_empty(insn.text);
		disassembler__free(d);
	}
}

Test(disassembler, without_the_library)
{
	check_all(false);
	cr_expect_null(disassembler__new(EM_RISCV, true));
}

Test(disassembler, with_it)
{
	if (disassembler_load())
		check_all(true);
}
