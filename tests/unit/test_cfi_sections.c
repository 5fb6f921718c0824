// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sections of call frame information made by hand: several functions and gaps between them, lengths
 * and terminators, .debug_frame, two at once, and what is damaged.
 */
#include <stdio.h>

#include "cfi_expect.h"

static void put_functions(struct buf *b, const unsigned (*ranges)[2], size_t n)
{
	struct cie_form form = X86_CIE;
	size_t cie = put_cie(b, &form);

	for (size_t i = 0; i < n; i++)
		put_fde(b, cie, CODE_VADDR + ranges[i][0], ranges[i][1], "\x50\x0e\x10", 3);
}

#define FUNCTIONS(text, n_bad, ...)                                \
	do {                                                       \
		static const unsigned ranges[][2] = {__VA_ARGS__}; \
		struct buf b = {0};                                \
                                                                   \
		put_functions(&b, ranges, ARRAY_SIZE(ranges));     \
		expect(&b, text, n_bad);                           \
		buf__done(&b);                                     \
	} while (0)

Test(cfi_sections, functions_in_any_order)
{
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 40 sp+8 ra-8; 50 sp+16 ra-8; 80 none", 0,
		  {0x40, 0x40}, {0, 0x40});
}

/* Padding goes on with what stands before it; more than that is a gap. */
Test(cfi_sections, gaps)
{
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 70 sp+8 ra-8; 80 sp+16 ra-8; 90 none", 0, {0, 0x31},
		  {0x70, 0x20});
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 30 none; 70 sp+8 ra-8; 80 sp+16 ra-8; 90 none", 0,
		  {0, 0x30}, {0x70, 0x20});
	FUNCTIONS("0 none; 8 sp+8 ra-8; 18 sp+16 ra-8; 60 none", 0, {8, 0x58});
	FUNCTIONS("0 none", 0, {0, 0});
}

static void count_runtimes(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	unsigned *n = ctx;

	if (rule->cfa != PMB_CFA_FRAME)
		return;
	cr_expect_eq(rule->cfa_off, PMB_WITHOUT_RULE);
	cr_expect_eq(file_off - CODE_OFF, 0x1040);
	(*n)++;
}

/* A runtime's code has no entries, and much of it: by the frame pointer. Less, or before the first
 * entry: nothing. */
Test(cfi_sections, a_gap_as_large_as_a_runtime)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	static const unsigned ranges[][2] = {{0x1000, 0x40}, {0x2040, 0x40}, {0x307f, 0x41}};
	static const struct cfi_code large = {.file_off = CODE_OFF,
					      .vaddr = CODE_VADDR,
					      .size = 0x3100};
	struct cfi *cfi = cfi__new(CFI_X86_64, &large, 1);
	struct cfi_section section;
	struct buf b = {0};
	unsigned n = 0;

	put_functions(&b, ranges, ARRAY_SIZE(ranges));
	section = section_of(&b);
	cr_assert_eq(cfi__add_section(cfi, &section), 0);
	cr_expect_eq(cfi__emit(cfi, &gap, count_runtimes, &n), 0);
	cr_expect_eq(n, 1);
	cfi__free(cfi);
	buf__done(&b);
}

/* ld.so's first function looks like padding: 61 bytes without an FDE. Where programs begin is
 * none. */
Test(cfi_sections, a_gap_where_programs_begin)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	static const unsigned ranges[][2] = {{0, 0x31}, {0x70, 0x20}};
	static const struct {
		uint64_t at;
		const char *text;
	} cases[] = {
		{0x32, "0 sp+8 ra-8; 10 sp+16 ra-8; 32 none; 70 sp+8 ra-8; 80 sp+16 ra-8; 90 none"},
		{0x30, "0 sp+8 ra-8; 10 sp+16 ra-8; 70 sp+8 ra-8; 80 sp+16 ra-8; 90 none"},
		{0x70, "0 sp+8 ra-8; 10 sp+16 ra-8; 70 sp+8 ra-8; 80 sp+16 ra-8; 90 none"},
		{UINT64_MAX - CODE_VADDR,
		 "0 sp+8 ra-8; 10 sp+16 ra-8; 70 sp+8 ra-8; 80 sp+16 ra-8; 90 none"},
	};
	struct cfi_section section;
	struct buf b = {0};

	put_functions(&b, ranges, ARRAY_SIZE(ranges));
	section = section_of(&b);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cfi *cfi = cfi__new(CFI_X86_64, &code, 1);
		struct seen seen = {0};

		cr_assert_eq(cfi__add_section(cfi, &section), 0);
		cfi__set_entry_point(cfi, CODE_VADDR + cases[i].at);
		cr_expect_eq(cfi__emit(cfi, &gap, see, &seen), 0);
		buf__puts(&seen.text, "");
		cr_expect_str_eq(seen.text.data, cases[i].text);
		buf__done(&seen.text);
		cfi__free(cfi);
	}
	buf__done(&b);
}

Test(cfi_sections, who_starts_first_has_it)
{
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 30 sp+16 ra-8; 60 none", 1, {0x20, 0x40}, {0, 0x30});
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 80 none", 2, {0, 0x80}, {0x20, 0x20}, {0x30, 0x40});
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 40 none", 1, {0, 0x40}, {0, 0x40});
	FUNCTIONS("0 sp+8 ra-8; 10 sp+16 ra-8; 28 sp+8 ra-8; 30 sp+16 ra-8; 60 none", 1, {0, 0x28},
		  {0x20, 0x40});
}

/* Not in executable code, or beyond its end, or dropped by the linker (at 0). */
Test(cfi_sections, functions_outside)
{
	struct cie_form form = X86_CIE;
	struct buf b = {0};
	size_t cie = put_cie(&b, &form);

	put_fde(&b, cie, CODE_VADDR - 0x100, 0x80, "", 0);
	put_fde(&b, cie, CODE_VADDR + CODE_SIZE, 0x80, "", 0);
	put_fde(&b, cie, SECTION_VADDR + b.len + 8, 0x80, "", 0); /* a zero */
	put_fde(&b, cie, CODE_VADDR + CODE_SIZE - 0x20, 0x7fffffff, "", 0);
	put_fde(&b, cie, CODE_VADDR, 0xffffffff, "", 0); /* negative: sdata4 */
	expect(&b, "0 none; 2ffe0 sp+8 ra-8", 3);
	buf__done(&b);
}

Test(cfi_sections, wide_lengths_and_terminators)
{
	struct cie_form form = X86_CIE;
	struct buf b = {0};
	size_t cie = put_cie(&b, &form);

	put_u32(&b, 0); /* crtend.o's, with more behind it */
	put_u32(&b, UINT32_MAX);
	put_u64(&b, 24);
	put_u64(&b, b.len - cie);
	put_u32(&b, (uint32_t)(CODE_VADDR - SECTION_VADDR - b.len));
	put_u32(&b, FUNCTION_SIZE);
	buf__add(&b, "\0\x41\x0e\x10\0\0\0\0", 8);
	put_u32(&b, 0);
	expect(&b, "0 sp+8 ra-8; 1 sp+16 ra-8; 100 none", 0);
	buf__done(&b);
}

Test(cfi_sections, an_open_section_ends_at_its_terminator)
{
	struct cie_form form = X86_CIE;
	struct cfi_section section;
	struct buf b = {0};
	size_t cie = put_cie(&b, &form);

	put_fde(&b, cie, CODE_VADDR, FUNCTION_SIZE, "", 0);
	put_u32(&b, 0);
	put_fde(&b, cie, CODE_VADDR + FUNCTION_SIZE, FUNCTION_SIZE, "", 0);
	section = section_of(&b);
	section.is_open = true;
	expect_section(CFI_X86_64, &section, "0 sp+8 ra-8; 100 none", 0);
	buf__done(&b);
}

/* 4: .debug_frame of DWARF 4 and 5. Its CIEs are numbered by their offset, and addresses are
 * plain. */
static void expect_debug_frame(uint8_t version, uint8_t address_size, bool wide, unsigned n_bad)
{
	struct cfi_section section;
	struct buf b = {0};

	put_u32(&b, 0xdead); /* not at the beginning */
	memset(b.data, 0, 4);
	put_u32(&b, 20);
	put_u32(&b, UINT32_MAX);
	put_u8(&b, version);
	put_u8(&b, 0);
	if (version >= 4) {
		put_u8(&b, address_size);
		put_u8(&b, 0);
	}
	buf__add(&b, "\x01\x78\x10\x0c\x07\x08\x90\x01", 8);
	while (b.len < 4 + 24)
		put_u8(&b, 0);
	if (wide)
		put_u32(&b, UINT32_MAX);
	if (wide)
		put_u64(&b, 28);
	else
		put_u32(&b, 24);
	if (wide)
		put_u64(&b, 4);
	else
		put_u32(&b, 4);
	put_u64(&b, CODE_VADDR);
	put_u64(&b, FUNCTION_SIZE);
	buf__add(&b, "\x41\x0e\x10\x00", 4);
	section = section_of(&b);
	section.is_debug = true;
	expect_section(CFI_X86_64, &section,
		       n_bad ? "0 none" : "0 sp+8 ra-8; 1 sp+16 ra-8; 100 none", n_bad);
	buf__done(&b);
}

Test(cfi_sections, debug_frame)
{
	expect_debug_frame(1, 0, false, 0);
	expect_debug_frame(3, 0, false, 0);
	expect_debug_frame(4, 8, false, 0);
	expect_debug_frame(4, 8, true, 0);
	expect_debug_frame(4, 4, false, 1);
	expect_debug_frame(5, 8, false, 1);
	expect_debug_frame(2, 8, false, 1);
}

/* What both say is said once; the first section is right where they differ. */
Test(cfi_sections, two_sections)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct cfi *cfi = cfi__new(CFI_X86_64, &code, 1);
	struct cie_form form = X86_CIE;
	struct cfi_section section;
	struct seen seen = {0};
	struct buf a = {0}, b = {0};
	size_t cie = put_cie(&a, &form);

	put_fde(&a, cie, CODE_VADDR, 0x40, "\x50\x0e\x10", 3);
	cie = put_cie(&b, &form);
	put_fde(&b, cie, CODE_VADDR, 0x40, "\x60\x0e\x18", 3);
	put_fde(&b, cie, CODE_VADDR + 0x40, 0x40, "\x60\x0e\x18", 3);
	section = section_of(&a);
	cr_assert_eq(cfi__add_section(cfi, &section), 0);
	section = section_of(&b);
	cr_assert_eq(cfi__add_section(cfi, &section), 0);
	cr_assert_eq(cfi__n_entries(cfi), 3);
	cr_expect_eq(cfi__emit(cfi, &gap, see, &seen), 0);
	cr_expect_str_eq(seen.text.data,
			 "0 sp+8 ra-8; 10 sp+16 ra-8; 40 sp+8 ra-8; 60 sp+24 ra-8; 80 none");
	buf__done(&seen.text);
	buf__done(&a);
	buf__done(&b);
	cfi__free(cfi);
}

Test(cfi_sections, two_segments)
{
	static const struct cfi_code two[] = {
		{.file_off = 0x1000, .vaddr = 0x900000, .size = 0x40},
		{.file_off = 0x2000, .vaddr = 0x402000, .size = 0x40},
	};
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct cfi *cfi = cfi__new(CFI_X86_64, two, 2);
	struct cie_form form = X86_CIE;
	struct cfi_section section;
	struct seen seen = {0};
	struct buf b = {0};
	size_t cie = put_cie(&b, &form);

	put_fde(&b, cie, 0x402000, 0x20, "", 0);
	put_fde(&b, cie, 0x900000, 0x100, "", 0);
	section = section_of(&b);
	cr_assert_eq(cfi__add_section(cfi, &section), 0);
	cr_expect_eq(cfi__emit(cfi, &gap, see, &seen), 0);
	cr_expect_str_eq(seen.text.data, "0 sp+8 ra-8; 40 none; 1000 sp+8 ra-8; 1040 none");
	buf__done(&seen.text);
	buf__done(&b);
	cfi__free(cfi);
}

/* All prefixes of a section, each in memory of its own size: a sanitizer sees the first byte too
 * far. */
Test(cfi_sections, truncated_anywhere)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct cie_form form = X86_CIE;
	struct buf b = {0};
	size_t cie;

	form.letters = "zPLR";
	form.data = "\x9b\1\2\3\4\x1b\x1b";
	form.data_len = 7;
	cie = put_cie(&b, &form);
	put_fde(&b, cie, CODE_VADDR, FUNCTION_SIZE, "\x41\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00",
		11);
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *bytes = xmemdup(b.data, len ? len : 1);
		struct cfi_section section = {.data = bytes, .len = len, .vaddr = SECTION_VADDR};
		struct cfi *cfi = cfi__new(CFI_X86_64, &code, 1);
		struct seen seen = {0};
		uint32_t n_bad;

		cr_assert_eq(cfi__add_section(cfi, &section), 0);
		n_bad = cfi__emit(cfi, &gap, see, &seen);
		cr_expect_str_eq(seen.text.data, "0 none");
		cr_expect_leq(n_bad, 1);
		buf__done(&seen.text);
		cfi__free(cfi);
		free(bytes);
	}
	buf__done(&b);
}

/* Each byte of it replaced by some others: nothing is promised but to come to an end. */
Test(cfi_sections, damaged_anywhere)
{
	static const uint8_t damage[] = {0, 1, 0x7f, 0x80, 0xff};
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct cie_form form = X86_CIE;
	struct buf b = {0};
	size_t cie = put_cie(&b, &form);

	put_fde(&b, cie, CODE_VADDR, FUNCTION_SIZE, "\x41\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00",
		11);
	put_fde(&b, cie, CODE_VADDR + FUNCTION_SIZE, FUNCTION_SIZE, "\x0a\x41\x0e\x10\x43\x0b", 6);
	for (size_t at = 0; at < b.len; at++) {
		for (size_t i = 0; i < ARRAY_SIZE(damage); i++) {
			uint8_t *bytes = xmemdup(b.data, b.len);
			struct cfi_section section = {.data = bytes,
						      .len = b.len,
						      .vaddr = SECTION_VADDR};
			struct cfi *cfi = cfi__new(CFI_X86_64, &code, 1);
			struct seen seen = {0};

			bytes[at] = damage[i];
			cr_assert_eq(cfi__add_section(cfi, &section), 0);
			cfi__emit(cfi, &gap, see, &seen);
			buf__done(&seen.text);
			cfi__free(cfi);
			free(bytes);
		}
	}
	buf__done(&b);
}

Test(cfi_sections, lengths_near_their_limits)
{
	static const uint32_t lengths[] = {1, 3, 0xffffff00, 0xfffffff0, 0xfffffffe, 0x7fffffff};
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		buf__clear(&b);
		put_u32(&b, lengths[i]);
		put_u64(&b, 0);
		expect(&b, "0 none", lengths[i] > 8);
	}
	for (int i = 0; i < 2; i++) {
		buf__clear(&b);
		put_u32(&b, UINT32_MAX);
		put_u64(&b, i ? UINT64_MAX : 1ULL << 32);
		put_u64(&b, 0);
		expect(&b, "0 none", 1);
	}
	buf__done(&b);
}
