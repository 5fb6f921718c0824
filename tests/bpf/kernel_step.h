/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cases of tests/unit/test_unwind_step*.c in the kernel: their calls of the step and of the
 * search are answered by tests/bpf/step.bpf.c, and have to be what the host says. Included by
 * unwind_cases.h instead of Criterion's runner, after the host's step.
 */
#ifndef TESTS_BPF_KERNEL_STEP_H
#define TESTS_BPF_KERNEL_STEP_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "step.skel.h"

static struct step_bpf *kernel;

static void kernel_run(const struct bpf_program *program)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	cr_assert_eq(bpf_prog_test_run_opts(bpf_program__fd(program), &opts), 0);
}

static __u8 kernel_unwind_step(const struct pmb_unwind_rule *rule, struct pmb_frame *f,
			       struct unwind_memory *memory)
{
	struct step_case *c = &kernel->bss->step;
	struct pmb_frame host = *f;
	__u8 end;

	*c = (struct step_case){.mem = *memory, .rule = *rule, .frame = *f};
	kernel_run(kernel->progs.pmb_step);
	end = unwind_step(rule, &host, memory);
	cr_expect_eq(c->end, end, "(status %u, the host's %u)", c->end, end);
	cr_expect_eq(memcmp(&c->frame, &host, sizeof(host)), 0, "(not the host's frame)");
	cr_expect_eq(c->mem.n_reads, memory->n_reads, "(not the host's reads)");
	*f = c->frame;
	return (__u8)c->end;
}

static __attribute__((unused)) __u32 kernel_unwind_find(const __u32 *rows, __u64 first, __u32 mask,
							__u64 n, __u64 low)
{
	struct find_case *c = &kernel->bss->find;
	__u32 row = unwind_find(rows, first, mask, n, low);

	if (rows != kernel->bss->rows)
		memcpy(kernel->bss->rows, rows, (mask + 1) * sizeof(*rows));
	*c = (struct find_case){.first = first, .n = n, .low = low, .mask = mask};
	kernel_run(kernel->progs.pmb_find);
	cr_expect_eq(c->row, row, "(row %x, the host's %x)", c->row, row);
	return c->row;
}

static __attribute__((unused)) __u32 *kernel_rows(void)
{
	return kernel->bss->rows;
}

/* With an argument: a step and a search that are wrong, which has to show. */
int main(int argc, char **argv)
{
	int r;

	(void)argv;
	kernel = step_bpf__open();
	if (kernel)
		kernel->rodata->wrong = argc > 1;
	if (!kernel || step_bpf__load(kernel) < 0) {
		perror("the program can't be loaded");
		return 2;
	}
	r = run_all_tests();
	step_bpf__destroy(kernel);
	return r;
}

#define unwind_step kernel_unwind_step
#define unwind_find kernel_unwind_find
#define many_rows kernel_rows

#endif
