/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a saved profile says of itself, in its comments, each "key: value":
 *
 *	pmubpf: 0.1.0
 *	command: pmubpf record -e cycles,insts -o p.pb.gz -- ./pages
 *	machine: AMD EPYC 7R13, microcode 0xa0011d5, 2 CPUs online at 2650.000 MHz
 *	kernel: Linux 6.12.9 x86_64
 *	kernel build-id: 4a5a9b0affb66c437abcd455d2738af879985fa9	(if it says so)
 *	processor: 2.4 % of the CPUs' time taken by the hypervisor, slowed down 0 times by heat
 *	event cycles: counts=cycles period=2000003 overflows=1500 emitted=1400 filtered=100 lost=0
 *		weight=2800004200 counter=3001000000 ratio=0.9991 estimated=no pc=near
 *		(on one line)
 *	topdown Fetch_Latency: 2 FRONTEND_RETIRED.LATENCY_GE_16 (100 * ((4 * …) / …))
 *		(pmu/topdown_table.h: level, where it is lost ("-": the tables don't
 *		say), formula)
 *	role cycles: cycles cache=65535 set=0 all=yes	what it is to ratios: model/derive.h
 *	time cycles: 2.6500 GHz, measured
 *	ledger: balanced			or what doesn't add up
 *	warning: overflows cover only 22.5 % of instructions	 (none, or several)
 *	user stacks: 1990 complete, 10 truncated	(and kernel stacks)
 *
 *	timeline: steps of 10 ms		(if samples have their moment)
 *	hint: div: ARITH:DIVIDER_ACTIVE counts …	(cmd/block_hints.h)
 *	branches: any,u				(if branches were recorded: which)
 *
 * and what cmd/held_up.h says.
 *
 * pc: the instruction that a sample names is exactly that of its event, or one near it (later).
 * ratio is that of the weights to the counter; nan where they can't be compared.
 */
#ifndef PMUBPF_CMD_REMARKS_H
#define PMUBPF_CMD_REMARKS_H

#include "prof/prof.h"
#include "render/summary.h"

/* With period and its type, which are those of the first event. */
void add_remarks(struct prof *prof, const struct summary *summary);
/* The two halves of it: who recorded where, words are those behind the subcommand… */
void add_remarks_of_host(struct prof *prof, const char *subcommand, char *const *words,
			 const struct processor_loss *loss);
/* …and what the books say; of the summary: ledger, events, rates. part: of a recording that goes
 * on, whose counters and weights need not agree to the last period. */
void add_remarks_of_books(struct prof *prof, const struct summary *summary, bool part);

/* Lines as they stand above; NULL: none. */
void add_remark_lines(struct prof *prof, const char *lines);
/* What the summary's notes say of breakpoints that come and go, or of how they were chosen. */
void add_remarks_of_breakpoints(struct prof *prof, const char *notes);
/* Of a profile whose samples have their moment (prof/moments.h). */
void add_remark_of_timeline(struct prof *prof, uint64_t grid_ns);
/* Of one that has branches (prof/branch_records.h): which were asked for. */
void add_remark_of_branches(struct prof *prof, uint64_t filter);

#endif
