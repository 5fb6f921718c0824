// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prologues and epilogues as HotSpot 17 and 25 make them, with a frame of 64 bytes. */
#include <criterion/criterion.h>

#include "symd/hotspot_rows.h"

struct expected {
	uint32_t off;
	enum hotspot_rule rule;
};

static void expect_rows(const struct hotspot_code *code, const struct expected *expected, size_t n)
{
	struct hotspot_row rows[HOTSPOT_ROWS_MAX];
	size_t got = hotspot_rows__of(code, rows);

	cr_assert_eq(got, n, "%zu rows", got);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(rows[i].off, expected[i].off, "%u of row %zu", rows[i].off, i);
		cr_expect_eq(rows[i].rule, expected[i].rule, "%u of row %zu", rows[i].rule, i);
	}
}

#define EXPECT(bytes_, size_, complete_, osr_, ...)                                          \
	do {                                                                                 \
		static const struct expected expected_[] = {__VA_ARGS__};                    \
		const struct hotspot_code code_ = {bytes_, sizeof(bytes_), size_, complete_, \
						   osr_};                                    \
                                                                                             \
		expect_rows(&code_, expected_, sizeof(expected_) / sizeof(*expected_));      \
	} while (0)

Test(hotspot_rows, bang_push_sub_poll)
{
	static const uint8_t code[] = {
		0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, /* mov %eax, -0x14000(%rsp) */
		0x55, 0x48, 0x83, 0xec, 0x30,             /* push %rbp; sub $48, %rsp */
		0x90, 0x48, 0x83, 0xc4, 0x30, 0x5d,       /* nop; add $48, %rsp; pop %rbp */
		0x49, 0x3b, 0x67, 0x28,                   /* cmp 0x28(%r15), %rsp */
		0x0f, 0x87, 0x10, 0x00, 0x00, 0x00,       /* ja */
		0xc3, 0x90,
	};

	EXPECT(code, 64, 12, 0, {0, HOTSPOT_ENTRY}, {8, HOTSPOT_PUSHED}, {12, HOTSPOT_FULL},
	       {17, HOTSPOT_PUSHED}, {18, HOTSPOT_ENTRY}, {29, HOTSPOT_FULL});
}

Test(hotspot_rows, sub_then_the_frame_pointer)
{
	static const uint8_t code[] = {
		0x48, 0x81, 0xec, 0x38, 0x00, 0x00, 0x00, /* sub $56, %rsp */
		0x48, 0x89, 0x6c, 0x24, 0x30,             /* mov %rbp, 48(%rsp) */
		0x90, 0x90,
	};

	EXPECT(code, 64, 12, 0, {0, HOTSPOT_ENTRY}, {7, HOTSPOT_UNSAVED}, {12, HOTSPOT_FULL});
}

/* Numbers that look like an epilogue's, but for the size in them. */
Test(hotspot_rows, sizes_must_fit)
{
	static const uint8_t code[] = {
		0x55, 0x48, 0x83, 0xec, 0x30, 0x48, 0x83, 0xc4, 0x28, 0x5d, 0xc3, 0x90,
	};

	EXPECT(code, 64, 5, 0, {0, HOTSPOT_ENTRY}, {1, HOTSPOT_PUSHED}, {5, HOTSPOT_FULL});
}

/* Code that is entered in the middle of a loop builds its frame there. */
Test(hotspot_rows, another_entry)
{
	static const uint8_t code[] = {
		0x55, 0x48, 0x83, 0xec, 0x30, 0x90, 0x90, 0x90, /* as ever */
		0x90, 0x55, 0x48, 0x83, 0xec, 0x30, 0x90,
	};

	EXPECT(code, 64, 5, 8, {0, HOTSPOT_ENTRY}, {1, HOTSPOT_PUSHED}, {5, HOTSPOT_FULL},
	       {8, HOTSPOT_ENTRY}, {10, HOTSPOT_PUSHED}, {14, HOTSPOT_FULL});
}

Test(hotspot_rows, a_wrapper_leaves)
{
	static const uint8_t code[] = {0x55, 0x48, 0x8b, 0xec, 0x48, 0x83,
				       0xec, 0x30, 0x90, 0xc9, 0xc3};

	EXPECT(code, 64, 8, 0, {0, HOTSPOT_ENTRY}, {1, HOTSPOT_PUSHED}, {8, HOTSPOT_FULL},
	       {10, HOTSPOT_ENTRY}, {11, HOTSPOT_FULL});
}

Test(hotspot_rows, code_that_ends_anywhere)
{
	static const uint8_t code[] = {0x48, 0x83, 0xc4, 0x30, 0x5d, 0x49, 0x3b, 0x67, 0xc3, 0x55};
	struct hotspot_row rows[HOTSPOT_ROWS_MAX];

	for (size_t n = 0; n <= sizeof(code); n++) {
		for (uint32_t complete = 0; complete < 16; complete++)
			hotspot_rows__of(&(struct hotspot_code){code, n, 64, complete, 0}, rows);
	}
}
