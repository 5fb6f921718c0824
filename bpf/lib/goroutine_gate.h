/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Windows of goroutines (lib/goroutine.h): the one that a thread is in. */
#ifndef PMUBPF_BPF_GOROUTINE_GATE_H
#define PMUBPF_BPF_GOROUTINE_GATE_H

#include "lib/goroutine.h"
#include "lib/maps.h"

/* Its window; NULL: it has none. */
static __always_inline struct gate *goroutine_gate(const struct goroutine *who)
{
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &who->key);

	return gate && gate->g == who->g && gate->tgid == who->tgid ? gate : NULL;
}

static __always_inline bool goroutine_is_called(const struct goroutine *who,
						const struct gate *gate)
{
	return goroutine_is_in_call(who, gate->sp, gate->returns_to, gate->exec_id);
}

/* The window of the goroutine that m, the thread's, works for; NULL: none. */
static __always_inline struct gate *goroutine_gate_of(__u64 m, __u64 curg_at, struct goroutine *ret)
{
	goroutine_set(ret, word_at(m + curg_at));
	return ret->g ? goroutine_gate(ret) : NULL;
}

/* That of the current one, or of the one that the runtime works for. */
static __always_inline struct gate *goroutine_gate_near(const struct arch_regs *regs,
							struct goroutine *who)
{
	struct gate *gate;
	__u64 m, below;

	if (!goroutine_of_thread(who))
		return NULL;
	gate = goroutine_gate(who);
	if (gate) {
		/* elsewhere than on its stack: the runtime reads a clock */
		below = regs ? word_at(who->g + GO_STACK_HI) - ARCH_SP(regs) : 0;
		return !below || below > word_at(who->g + GO_STACK_HI) - word_at(who->g) ||
				       GO_TOP - below <= gate->sp ?
			       gate :
			       NULL;
	}
	m = word_at(who->g + GO_M);
	if (!m)
		return NULL;
	gate = goroutine_gate_of(m, GO_CURG, who);
	return gate ? gate : goroutine_gate_of(m, GO_CURG_LATER, who);
}

/* The window that a sample is in, with these registers; NULL: in none. */
static __always_inline struct gate *goroutine_around(const struct arch_regs *regs,
						     struct goroutine *who)
{
	struct gate *gate = goroutine_gate_near(regs, who);

	return gate && goroutine_is_called(who, gate) ? gate : NULL;
}

#endif
