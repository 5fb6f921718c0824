// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "symd/hotspot_stub.h"

static const uint64_t at = 0x7f0000001000;

/* What Runtime1's slow_subtype_check does: it has no frame pointer, and pushes what it changes. */
static const uint8_t pushes[] = {
	0x57,                         /* push %rdi */
	0x56,                         /* push %rsi */
	0x48, 0x8b, 0x74, 0x24, 0x20, /* mov 0x20(%rsp), %rsi */
	0x75, 0x03,                   /* jne 12 */
	0x5e,                         /* pop %rsi */
	0x5f,                         /* pop %rdi */
	0xc3,                         /* ret */
	0x5e, 0x5f, 0xc3,             /* 12: the same */
};

/* What the barrier at a method's entry does: a word lies between frame pointer and return
 * address. */
static const uint8_t barrier[] = {
	0x6a, 0xff,             /* push $-1 */
	0x55,                   /* push %rbp */
	0x48, 0x8b, 0xec,       /* mov %rsp, %rbp */
	0x50,                   /* push %rax */
	0xff, 0xd0,             /* call *%rax */
	0x58,                   /* pop %rax */
	0xc9,                   /* leave */
	0x48, 0x83, 0xc4, 0x08, /* add $8, %rsp */
	0xc3,                   /* ret */
};

static const struct pmb_unwind_rule frame = {.cfa = PMB_CFA_FRAME};

static const struct pmb_unwind_rule *rule_at(const struct hotspot_stub *s, uint64_t addr)
{
	const struct pmb_unwind_rule *found = NULL;

	for (size_t i = 0; i < s->n && s->rows[i].at <= addr; i++)
		found = &s->rows[i].rule;
	return found;
}

static void expect_cfa(const struct hotspot_stub *s, uint64_t off, int cfa, int cfa_off)
{
	const struct pmb_unwind_rule *rule = rule_at(s, at + off);

	cr_assert_not_null(rule);
	cr_expect_eq(rule->cfa, cfa, "%d at %lu", rule->cfa, (unsigned long)off);
	cr_expect_eq(rule->cfa_off, cfa_off, "%d at %lu", rule->cfa_off, (unsigned long)off);
}

Test(hotspot_stub, what_is_pushed_counts)
{
	struct hotspot_stub *s = hotspot_stub__new(pushes, sizeof(pushes), at, &frame);

	cr_assert_eq(s->rows[0].at, at);
	expect_cfa(s, 0, PMB_CFA_SP, 8);
	expect_cfa(s, 1, PMB_CFA_SP, 16);
	expect_cfa(s, 7, PMB_CFA_SP, 24);
	expect_cfa(s, 10, PMB_CFA_SP, 16);
	expect_cfa(s, 11, PMB_CFA_SP, 8);
	expect_cfa(s, 12, PMB_CFA_SP, 24);
	expect_cfa(s, 14, PMB_CFA_SP, 8);
	hotspot_stub__free(s);
}

Test(hotspot_stub, a_word_above_the_frame_pointer)
{
	struct hotspot_stub *s = hotspot_stub__new(barrier, sizeof(barrier), at, &frame);

	expect_cfa(s, 9, PMB_CFA_SP, 32); /* where its call returns to */
	cr_expect_eq(rule_at(s, at + 9)->fp_off, -24);
	expect_cfa(s, 11, PMB_CFA_SP, 16);
	expect_cfa(s, 15, PMB_CFA_SP, 8);
	hotspot_stub__free(s);
}

/* What isn't an instruction is said nothing of. */
Test(hotspot_stub, what_cannot_be_read)
{
	static const uint8_t bad[] = {0x06, 0x06, 0x06};
	struct hotspot_stub *s = hotspot_stub__new(bad, sizeof(bad), at, &frame);

	cr_expect_eq(rule_at(s, at + 1)->cfa, PMB_CFA_FRAME);
	hotspot_stub__free(s);
}
