// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: to read over what doesn't matter without losing the thread. An operand of the
 * wrong size derails all that follows, so an instruction that isn't known makes the whole FDE bad.
 */
#include "symd/cfi_program.h"

#include <dwarf.h>
#include <string.h>

#include "base/mem.h"

enum {
	REMEMBERED_MAX = 64,
	ROWS_MAX = 1 << 18, /* of one function */
	LOW_BITS = 0x3f,
	/* not in every dwarf.h */
	CFA_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_NEGATE_RA_STATE = 0x2d, /* of SPARC: DW_CFA_GNU_window_save */
	CFA_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct run {
	enum cfi_machine machine;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	struct cursor c;
	uint64_t vaddr, end;
	struct cfi_state s;
	struct cfi_state remembered[REMEMBERED_MAX];
	unsigned depth;
	struct cfi_rows *rows; /* NULL: a CIE's program, which has no places */
};

static void run__fail(struct run *r)
{
	r->c.bad = true;
}

static bool same_rule(const struct pmb_unwind_rule *a, const struct pmb_unwind_rule *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* What the state is now holds from r->vaddr on. */
static void run__put_row(struct run *r)
{
	struct cfi_rows *rows = r->rows;
	struct cfi_row row = {.vaddr = r->vaddr};

	if (rows->n && rows->rows[rows->n - 1].vaddr == r->vaddr)
		rows->n--;
	row.rule = r->cie->is_signal ? (struct pmb_unwind_rule){.cfa = PMB_CFA_SIGNAL} :
				       cfi_state__rule(&r->s, r->machine);
	if (rows->n && same_rule(&rows->rows[rows->n - 1].rule, &row.rule))
		return;
	if (rows->n >= ROWS_MAX) {
		run__fail(r);
		return;
	}
	GROW(rows->rows, rows->n, rows->cap);
	rows->rows[rows->n++] = row;
}

/* Beyond the function's end nothing is of interest. */
static void run__go_to(struct run *r, uint64_t vaddr)
{
	if (!r->rows || vaddr < r->vaddr) {
		run__fail(r);
		return;
	}
	if (vaddr == r->vaddr)
		return;
	run__put_row(r);
	r->vaddr = vaddr;
	if (vaddr >= r->end)
		r->c.pos = r->c.end;
}

static void run__advance(struct run *r, uint64_t delta)
{
	uint64_t vaddr;

	if (__builtin_mul_overflow(delta, r->cie->code_factor, &delta) ||
	    __builtin_add_overflow(r->vaddr, delta, &vaddr))
		run__fail(r);
	else
		run__go_to(r, vaddr);
}

static int64_t run__unsigned(struct run *r)
{
	uint64_t value = cursor__uleb(&r->c);

	if (value <= INT64_MAX)
		return (int64_t)value;
	run__fail(r);
	return 0;
}

static int64_t run__factored(struct run *r, int64_t value)
{
	if (__builtin_mul_overflow(value, r->cie->data_factor, &value))
		run__fail(r);
	return value;
}

static uint32_t run__register(struct run *r)
{
	uint64_t reg = cursor__uleb(&r->c);

	if (reg > UINT32_MAX)
		run__fail(r);
	return (uint32_t)reg;
}

static struct cursor run__block(struct run *r)
{
	uint64_t len = cursor__uleb(&r->c);
	const void *bytes = cursor__bytes(&r->c, len);

	return cursor__over(bytes, bytes ? len : 0);
}

/* NULL: a register that no walk needs. */
static struct cfi_reg_rule *rule_of(enum cfi_machine machine, struct cfi_state *s, uint32_t reg)
{
	const struct cfi_registers *regs = &cfi_registers[machine];

	if (reg == s->ra_column)
		return &s->ra;
	if (reg == regs->fp)
		return &s->fp;
	for (uint32_t i = 0; i < regs->n_saved; i++) {
		if (reg == regs->saved[i])
			return &s->saved[i];
	}
	return reg == regs->sp ? &s->sp : NULL;
}

static void run__reg_rule(struct run *r, uint32_t reg, struct cfi_reg_rule rule)
{
	struct cfi_reg_rule *p = rule_of(r->machine, &r->s, reg);

	if (p)
		*p = rule;
}

static void run__restore(struct run *r, uint32_t reg)
{
	struct cfi_state initial = r->cie->initial;
	struct cfi_reg_rule *p = rule_of(r->machine, &initial, reg);

	if (p)
		run__reg_rule(r, reg, *p);
}

static void run__remember(struct run *r)
{
	if (r->depth >= REMEMBERED_MAX)
		run__fail(r);
	else
		r->remembered[r->depth++] = r->s;
}

static void run__recall(struct run *r)
{
	if (!r->depth)
		run__fail(r);
	else
		r->s = r->remembered[--r->depth];
}

static void run__cfa(struct run *r, uint32_t reg, int64_t off)
{
	r->s.cfa = (struct cfi_cfa){.how = CFI_CFA_REG, .reg = reg, .off = off};
}

/* Half of a CFA is changed: there must be one. */
static struct cfi_cfa *run__cfa_in_place(struct run *r)
{
	if (r->s.cfa.how != CFI_CFA_REG)
		run__fail(r);
	return &r->s.cfa;
}

/* False: not one of these. The operands' order of evaluation is the order in the program. */
static bool run__cfa_instruction(struct run *r, uint8_t op)
{
	uint32_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = run__register(r);
		run__cfa(r, reg, run__unsigned(r));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = run__register(r);
		run__cfa(r, reg, run__factored(r, cursor__sleb(&r->c)));
		return true;
	case DW_CFA_def_cfa_register:
		run__cfa_in_place(r)->reg = run__register(r);
		return true;
	case DW_CFA_def_cfa_offset:
		run__cfa_in_place(r)->off = run__unsigned(r);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		run__cfa_in_place(r)->off = run__factored(r, cursor__sleb(&r->c));
		return true;
	case DW_CFA_def_cfa_expression:
		r->s.cfa = cfi_cfa__of_expression(run__block(r));
		return true;
	default:
		return false;
	}
}

static void run__saved(struct run *r, enum cfi_how how, uint32_t reg, int64_t off)
{
	run__reg_rule(r, reg, (struct cfi_reg_rule){.how = how, .off = run__factored(r, off)});
}

/* Those that begin with a register. */
static bool run__register_instruction(struct run *r, uint8_t op)
{
	uint32_t reg = run__register(r);
	struct cfi_reg_rule p = {.how = CFI_OTHER};

	switch (op) {
	case DW_CFA_offset_extended:
		run__saved(r, CFI_AT_CFA, reg, run__unsigned(r));
		return true;
	case DW_CFA_offset_extended_sf:
		run__saved(r, CFI_AT_CFA, reg, cursor__sleb(&r->c));
		return true;
	case CFA_NEGATIVE_OFFSET_EXTENDED:
		run__saved(r, CFI_AT_CFA, reg, -run__unsigned(r));
		return true;
	case DW_CFA_val_offset:
		run__saved(r, CFI_IS_CFA, reg, run__unsigned(r));
		return true;
	case DW_CFA_val_offset_sf:
		run__saved(r, CFI_IS_CFA, reg, cursor__sleb(&r->c));
		return true;
	case DW_CFA_restore_extended:
		run__restore(r, reg);
		return true;
	case DW_CFA_undefined:
		p.how = CFI_UNDEFINED;
		break;
	case DW_CFA_same_value:
		p.how = CFI_SAME;
		break;
	case DW_CFA_register:
		p.how = CFI_IN_REG;
		p.reg = run__register(r);
		break;
	case DW_CFA_expression:
		p = cfi_reg_rule__of_expression(run__block(r));
		break;
	case DW_CFA_val_expression:
		run__block(r);
		break;
	default:
		return false;
	}
	run__reg_rule(r, reg, p);
	return true;
}

static bool run__other_instruction(struct run *r, uint8_t op)
{
	uint64_t vaddr = 0;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		if (!cfi_pointer__read(r->section, &r->c, r->cie->encoding, &vaddr))
			return false;
		run__go_to(r, vaddr);
		return true;
	case DW_CFA_advance_loc1:
		run__advance(r, cursor__u8(&r->c));
		return true;
	case DW_CFA_advance_loc2:
		run__advance(r, cursor__u16(&r->c));
		return true;
	case DW_CFA_advance_loc4:
		run__advance(r, cursor__u32(&r->c));
		return true;
	case DW_CFA_MIPS_advance_loc8:
		run__advance(r, cursor__u64(&r->c));
		return true;
	case DW_CFA_remember_state:
		run__remember(r);
		return true;
	case DW_CFA_restore_state:
		run__recall(r);
		return true;
	case DW_CFA_GNU_args_size:
		cursor__uleb(&r->c);
		return true;
	case CFA_NEGATE_RA_STATE:
	case CFA_NEGATE_RA_STATE_WITH_PC:
		/* Signed or not: who reads a return address takes the signature off. */
		return r->machine == CFI_ARM64;
	default:
		return false;
	}
}

static void run__instruction(struct run *r)
{
	uint8_t op = cursor__u8(&r->c), low = op & LOW_BITS;

	switch (op & ~LOW_BITS) {
	case DW_CFA_advance_loc:
		run__advance(r, low);
		return;
	case DW_CFA_offset:
		run__saved(r, CFI_AT_CFA, low, run__unsigned(r));
		return;
	case DW_CFA_restore:
		run__restore(r, low);
		return;
	default:
		if (!run__cfa_instruction(r, op) && !run__other_instruction(r, op) &&
		    !run__register_instruction(r, op))
			run__fail(r);
	}
}

bool cfi_program__initial(enum cfi_machine machine, const struct cfi_section *s,
			  struct cfi_cie *cie)
{
	struct run r = {.machine = machine, .section = s, .cie = cie, .c = cie->program};

	cie->initial = (struct cfi_state){.ra_column = cie->ra_column};
	r.s = cie->initial;
	while (cursor__left(&r.c))
		run__instruction(&r);
	cie->initial = r.s;
	return cursor__ok(&r.c);
}

bool cfi_program__run(enum cfi_machine machine, const struct cfi_section *s,
		      const struct cfi_cie *cie, const struct cfi_fde *fde, struct cfi_rows *rows)
{
	struct run r;

	/* Not all of it: `remembered` is large, and there are many functions. */
	r.machine = machine;
	r.section = s;
	r.cie = cie;
	r.c = fde->program;
	r.vaddr = fde->start;
	r.end = fde->end;
	r.s = cie->initial;
	r.depth = 0;
	r.rows = rows;
	rows->n = 0;
	while (cursor__left(&r.c))
		run__instruction(&r);
	if (r.vaddr < r.end)
		run__put_row(&r);
	return cursor__ok(&r.c);
}
