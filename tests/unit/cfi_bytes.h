/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call frame information by hand: entries put together in a buffer, and rules written as text. */
#ifndef TESTS_CFI_BYTES_H
#define TESTS_CFI_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "symd/cfi.h"

enum {
	SECTION_VADDR = 0x8000,
	CODE_VADDR = 0x401000,
	CODE_OFF = 0x1000,
	CODE_SIZE = 0x30000,
	FUNCTION_SIZE = 0x100,
	PCREL_SDATA4 = 0x1b,
};

static inline void put_u8(struct buf *b, unsigned value)
{
	buf__putc(b, (char)value);
}

static inline void put_u32(struct buf *b, uint32_t value)
{
	buf__add(b, &value, sizeof(value));
}

static inline void put_u64(struct buf *b, uint64_t value)
{
	buf__add(b, &value, sizeof(value));
}

/* Fills in the length of the entry that began at `at` (where put_u32(0) stands). */
static inline void end_entry(struct buf *b, size_t at)
{
	uint32_t len;

	while ((b->len - at) % 8 != 4)
		put_u8(b, 0);
	len = (uint32_t)(b->len - at - 4);
	memcpy(b->data + at, &len, sizeof(len));
}

struct cie_form {
	uint8_t version, code_factor, data_factor, ra, encoding;
	const char *letters; /* "zR" or what a case is about */
	const char *data;    /* NULL: the encoding alone */
	size_t data_len;
	const char *program;
	size_t program_len;
};

/* As compilers write it for x86-64. */
#define X86_CIE                                                                               \
	{                                                                                     \
		.version = 1, .code_factor = 1, .data_factor = 0x78, .ra = 16,                \
		.encoding = PCREL_SDATA4, .letters = "zR", .program = "\x0c\x07\x08\x90\x01", \
		.program_len = 5                                                              \
	}
/* For arm64: CFA = sp, nothing saved. */
#define ARM64_CIE                                                                     \
	{                                                                             \
		.version = 1, .code_factor = 4, .data_factor = 0x78, .ra = 30,        \
		.encoding = PCREL_SDATA4, .letters = "zR", .program = "\x0c\x1f\x00", \
		.program_len = 3                                                      \
	}

/* Returns its offset in the section. */
static inline size_t put_cie(struct buf *b, const struct cie_form *f)
{
	size_t at = b->len;

	put_u32(b, 0);
	put_u32(b, 0);
	put_u8(b, f->version);
	buf__add(b, f->letters, strlen(f->letters) + 1);
	put_u8(b, f->code_factor);
	put_u8(b, f->data_factor);
	put_u8(b, f->ra);
	if (f->data || *f->letters == 'z') {
		put_u8(b, f->data ? (unsigned)f->data_len : 1);
		if (f->data)
			buf__add(b, f->data, f->data_len);
		else
			put_u8(b, f->encoding);
	}
	buf__add(b, f->program, f->program_len);
	end_entry(b, at);
	return at;
}

/* With the encoding of X86_CIE. */
static inline void put_fde(struct buf *b, size_t cie, uint64_t vaddr, uint32_t size,
			   const void *program, size_t program_len)
{
	size_t at = b->len;

	put_u32(b, 0);
	put_u32(b, (uint32_t)(b->len - cie));
	put_u32(b, (uint32_t)(vaddr - SECTION_VADDR - b->len));
	put_u32(b, size);
	put_u8(b, 0);
	buf__add(b, program, program_len);
	end_entry(b, at);
}

static inline void print_offset(struct buf *b, long long off)
{
	buf__printf(b, "%+lld", off);
}

/* sp+8 ra-8, *(fp-8)+0 fp=*(fp+0) ra-8, plt11 ra-8, end, none… */
static inline void print_rule(struct buf *b, const struct pmb_unwind_rule *r)
{
	static const char *const words[PMB_N_CFA] = {"none", "end",    "sp",    "fp",
						     "reg",  "*(sp",   "*(fp",  "*(reg",
						     "plt",  "signal", "frame", "unsupported"};
	bool is_reg = r->cfa == PMB_CFA_REG || r->cfa == PMB_CFA_REG_DEREF;

	buf__puts(b, words[r->cfa]);
	if (r->cfa < PMB_CFA_SP || r->cfa > PMB_CFA_PLT)
		return;
	if (is_reg)
		buf__printf(b, "%u", r->reg);
	if (r->cfa == PMB_CFA_PLT)
		buf__printf(b, "%d", r->cfa_off);
	else
		print_offset(b, r->cfa_off);
	if (r->cfa >= PMB_CFA_SP_DEREF && r->cfa <= PMB_CFA_REG_DEREF) {
		buf__putc(b, ')');
		print_offset(b, r->cfa_add);
	}
	if (r->fp == PMB_FP_CFA)
		buf__printf(b, " fp%+d", r->fp_off);
	if (r->fp == PMB_FP_FP)
		buf__printf(b, " fp=*(fp%+d)", r->fp_off);
	if (r->ra == PMB_RA_CFA)
		buf__printf(b, " ra%+d", r->ra_off);
	if (r->ra == PMB_RA_LR)
		buf__puts(b, " ra=lr");
	if (r->ra == PMB_RA_REG)
		buf__printf(b, " ra=reg%u", r->reg);
}

#endif
