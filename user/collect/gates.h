/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that open and close windows (bpf/gate.bpf.c), by the text of --window. */
#ifndef PMUBPF_COLLECT_GATES_H
#define PMUBPF_COLLECT_GATES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "pmu/window_spec.h"
#include "pmubpf/record.h"

struct gates {
	const char *option; /* that asked for them; borrowed */
	uint32_t windows;   /* enum pmb_windows */
	uint64_t after_ns;
	const char *opens, *closes; /* tracepoints; borrowed; NULL: none */
	uint8_t calls[PMB_CALLS];   /* enum pmb_call */
	/* Whose: windows, after_ns and ring_wake are filled in from the others. */
	struct pmb_config whose;
};

/* What the windows take; fails with the sentence where that can't be had. */
int gates__settle(struct gates *ret, const struct window_spec *spec, uint64_t after_ns,
		  struct err *err);

struct bpf_link;
struct bpf_program;
/* Attaches a program to one of the tracepoints. -errno with the sentence. */
int gates__attach_to(const struct gates *gates, struct bpf_program *program, const char *tracepoint,
		     struct bpf_link **ret, struct err *err);

struct recording_bpf;

/* Before the load; gates NULL: none are wanted. first: of the object that has the maps. */
void gates__choose(const struct gates *gates, struct recording_bpf *skel, bool first);
/* After the load: what is not where it always is. -errno with the sentence. */
int gates__attach(const struct gates *gates, struct recording_bpf *skel, struct err *err);
/* Added up over the CPUs. */
int gates__stats(const struct recording_bpf *skel, int n_cpus, struct pmb_window_stats *ret);

#endif
