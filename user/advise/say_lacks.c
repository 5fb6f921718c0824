// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What can't be said of an agent's windows, since they have been recorded with less. */
#include "advise/say.h"
#include "base/mem.h"

bool saying__lacks(const struct saying *s, enum rule_kind kind)
{
	for (size_t i = 0; i < N_RULES; i++) {
		const struct finding *f = &s->advice->findings[i];

		if (f->rule->kind == kind && f->verdict == RULE_NOT_ASKED)
			return true;
	}
	return false;
}

/* Rules by what they take, the kinds as bits. */
static const struct lack {
	unsigned kinds;
	const char *takes;
} lacks[] = {
	{1u << RULE_OF_CPU, "a clock, and context-switches"},
	{1u << RULE_OF_THREADS, "off-cpu, beside a clock"},
	{1u << RULE_MISSES | 1u << RULE_STALLS,
	 "cycles, instructions, and misses or stalls of a PMU"},
	{1u << RULE_OF_ACCESSES | 1u << RULE_OF_SOURCES, "`pmubpf record --data'"},
	{1u << RULE_QUOTA | 1u << RULE_PRESSURE,
	 "what the kernel says meanwhile: `pmubpf advise -a'"},
	{1u << RULE_STOLEN | 1u << RULE_HEAT | 1u << RULE_OF_STACKS,
	 "what windows say of their CPUs and stacks, as far as a machine knows it"},
};

static bool put_lack(const struct saying *s, const struct lack *lack, bool first, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < N_RULES; i++) {
		const struct finding *f = &s->advice->findings[i];

		if (f->verdict != RULE_NOT_ASKED || !(lack->kinds & 1u << f->rule->kind))
			continue;
		/* who tells of pressure would have told of quotas that held somebody back */
		if (f->rule->kind == RULE_QUOTA && prof__remark(s->advice->prof, "pressure"))
			continue;
		buf__puts(out, any ? ", " :
			       !first ?
				     "; " :
				     "Not looked for, since the windows haven't what it takes: ");
		buf__puts(out, f->rule->id);
		any = true;
	}
	if (any)
		buf__printf(out, " (%s)", lack->takes);
	return any;
}

void saying__put_lacks(const struct saying *s, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(lacks); i++)
		any |= put_lack(s, &lacks[i], !any, out);
	if (!any)
		return;
	buf__putc(out, '.');
	if (saying__lacks(s, RULE_OF_CPU) || saying__lacks(s, RULE_OF_THREADS))
		buf__puts(out, " `pmubpf agent -e cpu-clock,page-faults,context-switches,off-cpu' "
			       "writes windows with more.");
}
