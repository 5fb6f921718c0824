// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The unwind step and the search for a row, on cases that user space writes into this object's
 * variables. Run by BPF_PROG_TEST_RUN as raw tracepoints, which 5.10 can do; programs of type
 * syscall came with 5.14.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "step.h"

#include "pmubpf/unwind_step.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* How a test shows that it can fail: a step that goes a word too far, a search in the wrong
 * half. */
const volatile __u32 wrong = 0;

struct step_case step = {};
struct find_case find = {};
__u32 rows[STEP_ROWS] = {};

SEC("raw_tp/pmb_step")
int pmb_step(void *ctx)
{
	(void)ctx;
	step.end = unwind_step(&step.rule, &step.frame, &step.mem);
	if (wrong)
		step.frame.sp += 8;
	return 0;
}

SEC("raw_tp/pmb_find")
int pmb_find(void *ctx)
{
	(void)ctx;
	find.row = unwind_find(rows, find.first, find.mask & (STEP_ROWS - 1), find.n,
			       wrong ? find.low ^ 0x8000 : find.low);
	return 0;
}
