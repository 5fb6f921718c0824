/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ring-buffer bytes to records: pure, bounds-checked. What makes no sense is rejected with a
 * reason. */
#ifndef PMUBPF_COLLECT_DECODE_H
#define PMUBPF_COLLECT_DECODE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ledger.h"
#include "pmubpf/off_cpu.h"
#include "pmubpf/record.h"
#include "pmubpf/thread_context.h"

struct decoded {
	enum pmb_rec_type type;
	const struct pmb_sample *sample;         /* PMB_REC_SAMPLE */
	const struct pmb_stack *stack;           /* PMB_REC_STACK, and chains */
	const struct pmb_stack_dump *dump;       /* PMB_REC_STACK_DUMP */
	const struct pmb_object *object;         /* PMB_REC_OBJECT */
	const struct pmb_window_end *window_end; /* PMB_REC_WINDOW */
	const struct pmb_block *block;           /* PMB_REC_BLOCK, PMB_REC_MAPPED, PMB_REC_BREAK */
	const struct pmb_context *context;
	const struct pmb_freed *freed;          /* PMB_REC_FREED, PMB_REC_UNMAPPED */
	const struct pmb_part_window *window;   /* NULL: none was asked for */
	const struct pmb_part_off *off;         /* NULL: it isn't of time without a CPU */
	const struct pmb_part_sibling *sibling; /* NULL: not asked for */
	bool has_addr;
	uint64_t addr;
	const struct pmb_part_data *data;         /* NULL: not asked for */
	const struct pmb_reading *reads;          /* of other events, taken with the sample */
	size_t n_reads;                           /* <= PMB_MAX_READS */
	const struct pmb_part_branches *branches; /* NULL: there are none */
};

/* Fills *ret with pointers into data and returns -1, or returns the reason as an enum reject. */
int record_decode(const void *data, size_t size, size_t n_events, struct decoded *ret);

#endif
