/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What instructions do to data, said of each in a line: for the tests of two decoders. */
#ifndef PMUBPF_TESTS_INSN_CASES_H
#define PMUBPF_TESTS_INSN_CASES_H

#include <criterion/criterion.h>

#include "symd/insn_data.h"

struct insn_case {
	const char *what;
	uint32_t code; /* as a number, whatever its length */
	uint32_t len;
	uint32_t written;
	struct insn_memory mem; /* size 0: none */
	struct insn_step step;  /* 0 0: none */
	uint8_t flow;
	int64_t target; /* 0: none */
};

typedef bool insn_reader(const uint8_t *bytes, size_t len, struct insn_data *ret);

static void expect_memory(const struct insn_case *c, const struct insn_data *d)
{
	const struct insn_memory *m = &d->mem[0], *want = &c->mem;

	cr_assert_eq(d->n, want->size ? 1 : 0, "%s: %d operands", c->what, d->n);
	cr_expect(!d->n || (m->base == want->base && m->index == want->index &&
			    m->scale == want->scale && m->extend == want->extend &&
			    m->access == want->access && m->size == want->size &&
			    m->disp == want->disp && m->loose == want->loose),
		  "%s: base %d index %d scale %d extend %d access %d size %d disp %d", c->what,
		  m->base, m->index, m->scale, m->extend, m->access, m->size, m->disp);
}

static void expect_insn(insn_reader *read, const struct insn_case *c)
{
	const uint8_t bytes[4] = {(uint8_t)c->code, (uint8_t)(c->code >> 8),
				  (uint8_t)(c->code >> 16), (uint8_t)(c->code >> 24)};
	struct insn_data d;

	cr_assert(read(bytes, sizeof(bytes), &d), "%s", c->what);
	cr_expect_eq(d.len, c->len, "%s: %u bytes", c->what, d.len);
	expect_memory(c, &d);
	cr_expect_eq(d.written, c->written, "%s: %x written", c->what, d.written);
	if (c->step.added)
		cr_expect(d.steps[0].reg == c->step.reg && d.steps[0].added == c->step.added,
			  "%s: %d%+d", c->what, d.steps[0].reg, d.steps[0].added);
	else
		cr_expect_eq(d.steps[0].reg, INSN_NONE, "%s: a step", c->what);
	cr_expect_eq(d.flow, c->flow, "%s: flow %d", c->what, d.flow);
	cr_expect(d.has_target ? d.target == c->target : !c->target, "%s: leads to %ld", c->what,
		  (long)d.target);
	cr_expect(!read(bytes, c->len - 1, &d) && !d.len, "%s: it is cut", c->what);
}

#endif
