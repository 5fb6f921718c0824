// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/cfi_state.h"

#include <dwarf.h>
#include <string.h>

#include "base/mem.h"

const struct cfi_registers cfi_registers[] = {
	[CFI_X86_64] = {.fp = 6, .sp = 7, .ra = 16, .n_saved = 5, .saved = {3, 12, 13, 14, 15}},
	[CFI_ARM64] = {.fp = 29, .sp = 31, .ra = 30},
};

/* [breg N off] */
static bool read_base(struct cursor *c, uint32_t *ret_reg, int64_t *ret_off)
{
	uint8_t op = cursor__u8(c);
	uint64_t reg;

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		reg = op - DW_OP_breg0;
	else if (op == DW_OP_bregx)
		reg = cursor__uleb(c);
	else
		return false;
	*ret_off = cursor__sleb(c);
	*ret_reg = (uint32_t)reg;
	return cursor__ok(c) && reg <= UINT32_MAX;
}

/* rsp + 8 + (((rip & 15) >= lit) << 3), as linkers describe the stubs of a .plt */
static bool is_plt(const struct cursor *c, int64_t *ret_from)
{
	enum { LIT_AT = 6 };
	static const uint8_t pattern[] = {
		DW_OP_breg7, 8,        DW_OP_breg16, 0,         DW_OP_lit15, DW_OP_and,
		0,           DW_OP_ge, DW_OP_lit3,   DW_OP_shl, DW_OP_plus,
	};
	const uint8_t *bytes = c->pos;

	if (cursor__left(c) != sizeof(pattern) || memcmp(bytes, pattern, LIT_AT) ||
	    memcmp(bytes + LIT_AT + 1, pattern + LIT_AT + 1, sizeof(pattern) - LIT_AT - 1) ||
	    bytes[LIT_AT] < DW_OP_lit0 || bytes[LIT_AT] > DW_OP_lit15)
		return false;
	*ret_from = bytes[LIT_AT] - DW_OP_lit0;
	return true;
}

struct cfi_cfa cfi_cfa__of_expression(struct cursor c)
{
	struct cfi_cfa other = {.how = CFI_CFA_OTHER}, cfa = {.how = CFI_CFA_REG};
	uint64_t add;

	if (is_plt(&c, &cfa.off)) {
		cfa.how = CFI_CFA_PLT;
		return cfa;
	}
	if (!read_base(&c, &cfa.reg, &cfa.off))
		return other;
	if (cursor__done(&c))
		return cfa;
	cfa.how = CFI_CFA_DEREF;
	if (cursor__u8(&c) != DW_OP_deref)
		return other;
	if (cursor__done(&c))
		return cfa;
	if (cursor__u8(&c) != DW_OP_plus_uconst)
		return other;
	add = cursor__uleb(&c);
	cfa.add = (int64_t)add;
	return cursor__done(&c) && add <= INT64_MAX ? cfa : other;
}

struct cfi_reg_rule cfi_reg_rule__of_expression(struct cursor c)
{
	struct cfi_reg_rule at = {.how = CFI_AT_REG}, other = {.how = CFI_OTHER};

	return read_base(&c, &at.reg, &at.off) && cursor__done(&c) ? at : other;
}

/* The word of struct arch_regs. */
static bool word_of(enum cfi_machine machine, uint32_t reg, uint8_t *ret)
{
	/* rax rdx rcx rbx rsi rdi rbp rsp r8…r15, among
	 * r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss */
	static const uint8_t x86[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0};
	enum { ARM64_REGS = 32 }; /* x0…x30, sp */

	if (machine == CFI_X86_64 && reg < ARRAY_SIZE(x86))
		*ret = x86[reg];
	else if (machine == CFI_ARM64 && reg < ARM64_REGS)
		*ret = (uint8_t)reg;
	else
		return false;
	return true;
}

static bool fits_s32(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

static bool fits_s16(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

static bool put_cfa(const struct cfi_cfa *cfa, enum cfi_machine machine,
		    struct pmb_unwind_rule *ret)
{
	const struct cfi_registers *regs = &cfi_registers[machine];
	bool deref = cfa->how == CFI_CFA_DEREF;

	if (!fits_s32(cfa->off) || !fits_s16(cfa->add))
		return false;
	ret->cfa_off = (int32_t)cfa->off;
	ret->cfa_add = (int16_t)cfa->add;
	if (cfa->how == CFI_CFA_PLT) {
		ret->cfa = PMB_CFA_PLT;
		return machine == CFI_X86_64;
	}
	if (cfa->how != CFI_CFA_REG && !deref)
		return false;
	if (cfa->reg == regs->sp) {
		ret->cfa = deref ? PMB_CFA_SP_DEREF : PMB_CFA_SP;
		return true;
	}
	if (cfa->reg == regs->fp) {
		ret->cfa = deref ? PMB_CFA_FP_DEREF : PMB_CFA_FP;
		return true;
	}
	ret->cfa = deref ? PMB_CFA_REG_DEREF : PMB_CFA_REG;
	return word_of(machine, cfa->reg, &ret->reg);
}

/* A place relative to the stack pointer is one relative to the CFA, where that is, too. */
static struct cfi_reg_rule from_cfa(const struct cfi_state *s, enum cfi_machine machine,
				    struct cfi_reg_rule p)
{
	uint32_t sp = cfi_registers[machine].sp;

	if (p.how == CFI_AT_REG && p.reg == sp && s->cfa.how == CFI_CFA_REG && s->cfa.reg == sp) {
		p.how = CFI_AT_CFA;
		if (__builtin_sub_overflow(p.off, s->cfa.off, &p.off))
			p.how = CFI_OTHER;
	}
	return p;
}

static bool put_ra(const struct cfi_state *s, enum cfi_machine machine, struct pmb_unwind_rule *ret)
{
	struct cfi_reg_rule ra = from_cfa(s, machine, s->ra);
	uint8_t word;

	/* Some functions are called with their return address in a register of their choice. */
	if ((ra.how == CFI_UNSAID || ra.how == CFI_SAME) &&
	    s->ra_column != cfi_registers[machine].ra)
		ra = (struct cfi_reg_rule){.how = CFI_IN_REG, .reg = s->ra_column};
	switch (ra.how) {
	case CFI_AT_CFA:
		ret->ra = PMB_RA_CFA;
		ret->ra_off = (int16_t)ra.off;
		return fits_s16(ra.off);
	case CFI_UNSAID:
	case CFI_SAME:
		ret->ra = PMB_RA_LR;
		return machine == CFI_ARM64;
	case CFI_IN_REG:
		/* There's room for one register. */
		if (!word_of(machine, ra.reg, &word) ||
		    ((ret->cfa == PMB_CFA_REG || ret->cfa == PMB_CFA_REG_DEREF) &&
		     ret->reg != word))
			return false;
		ret->ra = PMB_RA_REG;
		ret->reg = word;
		return true;
	default:
		return false;
	}
}

static bool put_fp(const struct cfi_state *s, enum cfi_machine machine, struct pmb_unwind_rule *ret)
{
	struct cfi_reg_rule fp = from_cfa(s, machine, s->fp);
	uint32_t own = cfi_registers[machine].fp;

	if (fp.how == CFI_UNSAID || fp.how == CFI_SAME || fp.how == CFI_UNDEFINED ||
	    (fp.how == CFI_IN_REG && fp.reg == own)) {
		ret->fp = PMB_FP_SAME;
		return true;
	}
	ret->fp = fp.how == CFI_AT_CFA ? PMB_FP_CFA : PMB_FP_FP;
	ret->fp_off = (int16_t)fp.off;
	return (fp.how == CFI_AT_CFA || (fp.how == CFI_AT_REG && fp.reg == own)) &&
	       fits_s16(fp.off);
}

static unsigned saved_at(const struct cfi_state *s, enum cfi_machine machine, struct cfi_reg_rule p)
{
	p = from_cfa(s, machine, p);
	if (p.how == CFI_UNSAID || p.how == CFI_SAME)
		return 0;
	for (unsigned at = 1; at < PMB_SAVED_ELSEWHERE && p.how == CFI_AT_CFA; at++) {
		if (p.off == -8 - 8 * (int64_t)at)
			return at;
	}
	return PMB_SAVED_ELSEWHERE;
}

/* What isn't said of them is no reason to have no rule: few frames ask for them. */
static void put_saved(const struct cfi_state *s, enum cfi_machine machine,
		      struct pmb_unwind_rule *ret)
{
	unsigned saved = cfi_registers[machine].n_saved ? 0 : PMB_SAVED_UNKNOWN;

	for (uint32_t i = 0; i < cfi_registers[machine].n_saved; i++)
		saved |= saved_at(s, machine, s->saved[i]) << i * PMB_SAVED_BITS;
	ret->saved = (uint16_t)saved;
}

/* The caller's stack pointer is the CFA, unless someone (longjmp) says otherwise. */
static bool sp_is_cfa(const struct cfi_reg_rule *sp)
{
	return sp->how == CFI_UNSAID || sp->how == CFI_SAME || sp->how == CFI_UNDEFINED ||
	       (sp->how == CFI_IS_CFA && !sp->off);
}

struct pmb_unwind_rule cfi_state__rule(const struct cfi_state *s, enum cfi_machine machine)
{
	struct pmb_unwind_rule rule = {0};

	if (s->ra.how == CFI_UNDEFINED)
		return (struct pmb_unwind_rule){.cfa = PMB_CFA_END};
	if (sp_is_cfa(&s->sp) && put_cfa(&s->cfa, machine, &rule) && put_ra(s, machine, &rule) &&
	    put_fp(s, machine, &rule)) {
		put_saved(s, machine, &rule);
		return rule;
	}
	return (struct pmb_unwind_rule){.cfa = PMB_CFA_UNSUPPORTED};
}
