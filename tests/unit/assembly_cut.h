/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recording that is cut, for tests: it is the same recording. */
#ifndef TESTS_UNIT_ASSEMBLY_CUT_H
#define TESTS_UNIT_ASSEMBLY_CUT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly_by_hand.h"
#include "base/mem.h"

static bool table_will_never_be;

/* A walk that ends in the frame of the caller, once the table is there. */
static inline enum pmb_unwind_status walk(void *ctx, const struct mappings *maps,
					  const struct pmb_stack_dump *dump, uint64_t cgroup,
					  struct late_stack *ret)
{
	(void)ctx, (void)maps, (void)cgroup;
	ret->n = 1;
	ret->frames[0] = dump->frames[0];
	ret->missing = !table_is_there && !table_will_never_be;
	if (!table_is_there)
		return PMB_END_NO_TABLE;
	ret->frames[ret->n++] = 0x2000;
	return PMB_END_COMPLETE;
}

static inline bool still_awaits(void *ctx, uint32_t file)
{
	return awaits_table(ctx, file) && !table_will_never_be;
}

static const struct assembly_fns fns = {
	.now = now,
	.may_be_sampled = everybody,
	.is_idle = no_idle_loop,
};
static const struct assembly_tables tables = {.walk = walk, .awaits = still_awaits};

static inline void begin(void)
{
	files = files__new(NULL);
	assembly__init(&assembly, &(struct assembly_opts){
					  .fns = &fns,
					  .tables = &tables,
					  .n_events = 2,
					  .labels = LABEL_PID | LABEL_CPU | LABEL_UNWIND_STATUS,
					  .n_cpus = 64,
					  .files = files,
				  });
}

static inline void end(void)
{
	assembly__done(&assembly);
	files__free(files);
	table_is_there = table_will_never_be = false;
}

TestSuite(assembly, .init = begin, .fini = end);

/* All columns that the assembly fills in. */
static inline struct ledger_event columns_of(const struct ledger_event *e)
{
	return (struct ledger_event){
		.decoded = e->decoded,
		.weight_decoded = e->weight_decoded,
		.foreign = e->foreign,
		.weight_foreign = e->weight_foreign,
		.aggregated = e->aggregated,
		.weight = e->weight,
		.in_rows = e->in_rows,
		.weight_in_rows = e->weight_in_rows,
		.in = e->in,
		.out = e->out,
	};
}

/* What the kernel side would have counted, so that the law of all columns can be asked for. */
static inline void expect_to_balance(struct ledger *books)
{
	struct buf remarks = {0};

	for (size_t i = 0; i < books->n_events; i++) {
		struct ledger_event *e = &books->events[i];

		e->name = "event";
		e->kernel.seen = e->kernel.emitted = e->decoded;
		e->kernel.weight_seen = e->kernel.weight_emitted = e->weight_decoded;
		cr_expect(ledger_event__columns(e, &remarks), "%s", remarks.data);
	}
	buf__done(&remarks);
}

#endif
