/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a section of call frame information becomes, as text.
 */
#ifndef TESTS_CFI_EXPECT_H
#define TESTS_CFI_EXPECT_H

#include <criterion/criterion.h>

#include "base/mem.h"
#include "cfi_bytes.h"

struct seen {
	struct buf text;
	uint64_t last;
};

/* "0 rule; 4 rule; …", offsets from the beginning of the code; the row at its end isn't shown. */
static inline void see(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	struct seen *seen = ctx;

	cr_assert_geq(file_off, seen->last, "rows descend");
	seen->last = file_off;
	if (file_off == CODE_OFF + CODE_SIZE) {
		cr_assert_eq(rule->cfa, PMB_CFA_NONE);
		return;
	}
	if (seen->text.len)
		buf__puts(&seen->text, "; ");
	buf__printf(&seen->text, "%llx ", (unsigned long long)file_off - CODE_OFF);
	print_rule(&seen->text, rule);
}

static const struct cfi_code code = {.file_off = CODE_OFF, .vaddr = CODE_VADDR, .size = CODE_SIZE};

static inline struct cfi_section section_of(const struct buf *b)
{
	return (struct cfi_section){.data = (const uint8_t *)b->data,
				    .len = b->len,
				    .vaddr = SECTION_VADDR};
}

static inline void expect_section(enum cfi_machine machine, const struct cfi_section *section,
				  const char *text, unsigned n_bad)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct cfi *cfi = cfi__new(machine, &code, 1);
	struct seen seen = {0};
	uint32_t bad;

	cr_assert_eq(cfi__add_section(cfi, section), 0);
	bad = cfi__emit(cfi, &gap, see, &seen);
	buf__puts(&seen.text, "");
	cr_expect_str_eq(seen.text.data, text);
	cr_expect_eq(bad, n_bad, "%s: %u are bad, not %u", text, bad, n_bad);
	buf__done(&seen.text);
	cfi__free(cfi);
}

static inline void expect(const struct buf *b, const char *text, unsigned n_bad)
{
	struct cfi_section section = section_of(b);

	expect_section(CFI_X86_64, &section, text, n_bad);
}

#endif
