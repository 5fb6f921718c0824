/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of the kernel that open and close windows. f:FUNC is entered and left through the
 * kernel's own calls of programs (fentry, fexit), k:FUNC through breakpoints (kprobes), which other
 * kernels have, and which cost several times as much.
 */
#ifndef PMUBPF_COLLECT_KERNEL_GATES_H
#define PMUBPF_COLLECT_KERNEL_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "collect/gates.h"
#include "pmu/window_spec.h"

/* Whether this kernel has probes at its functions. */
bool has_kprobes(void);
/* Whether there is one function of that name, and programs can be attached to it; -errno with the
 * sentence. */
int kernel_gate__check(const struct window_probe *p, const struct window_spec *spec,
		       struct err *err);
/* What a hit takes whoever calls the function, as a call of ours that does nothing has it; a line
 * for it in notes. 0 where there are none. -errno with the sentence. */
int kernel_gate__measure(const struct gates *gates, uint64_t *ret_ns, struct buf *notes,
			 struct err *err);
/* Before the load; probe->kernel NULL: none of them is wanted. at_exit: where the function
 * ends. */
void kernel_gate__choose(const struct gate_probe *probe, bool at_exit,
			 const struct kernel_programs *programs);
/* After the load; nothing where there is none. -errno with the sentence. */
int kernel_gate__attach(const struct gates *gates, const struct gate_probe *probe, bool at_exit,
			const struct kernel_programs *programs, struct probe_links *links,
			struct err *err);

#endif
