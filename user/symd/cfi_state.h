/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What call frame information says of one instruction, as far as a walk of stacks needs it, and the
 * rule of the table that it becomes.
 */
#ifndef PMUBPF_SYMD_CFI_STATE_H
#define PMUBPF_SYMD_CFI_STATE_H

#include "base/cursor.h"
#include "symd/cfi.h"

/* Where the caller's value of a register is. */
enum cfi_how {
	CFI_UNSAID,
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_AT_CFA, /* in memory, at CFA + off */
	CFI_IS_CFA, /* CFA + off itself */
	CFI_IN_REG,
	CFI_AT_REG, /* in memory, at reg + off */
	CFI_OTHER,
};

struct cfi_reg_rule {
	enum cfi_how how;
	uint32_t reg; /* DWARF's number */
	int64_t off;
};

enum cfi_cfa_how {
	CFI_CFA_UNSET,
	CFI_CFA_REG,   /* reg + off */
	CFI_CFA_DEREF, /* *(reg + off) + add */
	CFI_CFA_PLT,   /* PMB_CFA_PLT, from byte off of 16 on */
	CFI_CFA_OTHER,
};

struct cfi_cfa {
	enum cfi_cfa_how how;
	uint32_t reg;
	int64_t off, add;
};

struct cfi_state {
	struct cfi_cfa cfa;
	struct cfi_reg_rule fp, sp, ra;
	struct cfi_reg_rule saved[PMB_SAVED_REGS]; /* of cfi_registers */
	uint32_t ra_column;                        /* the register that `ra` is about */
};

/* DWARF's numbers of the registers that matter. */
struct cfi_registers {
	uint32_t fp, sp, ra;
	uint32_t n_saved, saved[PMB_SAVED_REGS]; /* that functions leave as they were */
};
extern const struct cfi_registers cfi_registers[];

/* The expression (all of c) that computes the CFA, or where a register is saved, if it is one of
 * those that compilers and linkers write; else CFI_CFA_OTHER, CFI_OTHER. */
struct cfi_cfa cfi_cfa__of_expression(struct cursor c);
struct cfi_reg_rule cfi_reg_rule__of_expression(struct cursor c);

/* PMB_CFA_UNSUPPORTED if the table can't say it. */
struct pmb_unwind_rule cfi_state__rule(const struct cfi_state *s, enum cfi_machine machine);

#endif
