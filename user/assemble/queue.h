/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merges the two streams (samples and what else comes by rings, and life records, each from several
 * CPUs) by time. Records wait here until every ring has been drained past their time.
 */
#ifndef PMUBPF_ASSEMBLE_QUEUE_H
#define PMUBPF_ASSEMBLE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "collect/decode.h"
#include "proc/life.h"

enum queued_kind { QUEUED_LIFE, QUEUED_SAMPLE, QUEUED_WINDOW, QUEUED_BLOCK, QUEUED_FREED };

struct queue {
	struct queued {
		uint64_t time;
		uint64_t order; /* of arrival: keeps records of one time in their ring's order */
		size_t at;      /* in bytes */
		enum queued_kind kind;
	} * items;
	size_t n, cap;
	uint8_t *bytes; /* copies of the records, 8-byte aligned */
	size_t n_bytes, cap_bytes;
	uint64_t arrivals;
	/* blocks of the round before, for the next one: what a round needs the next one does, too,
	 * and memory that is asked of the system each time costs more than the records */
	struct queued *spare_items;
	uint8_t *spare_bytes;
	size_t cap_spare, cap_spare_bytes;
};

/* Bytes that it takes while it waits. */
size_t queue_life_bytes(const struct life *life);
void queue__life(struct queue *q, const struct life *life);
/* A whole record that record_decode has understood; it is decoded again as it is handed out. */
void queue__sample(struct queue *q, const struct pmb_sample *sample);
void queue__window(struct queue *q, const struct pmb_window_end *end);
void queue__block(struct queue *q, const struct pmb_block *block);
void queue__freed(struct queue *q, const struct pmb_freed *freed);

struct queue_fns {
	void (*life)(void *ctx, const struct life *life);
	void (*sample)(void *ctx, const struct decoded *rec); /* borrowed, during the call */
	void (*window)(void *ctx, const struct pmb_window_end *end);
	void (*block)(void *ctx, const struct pmb_block *block);
	void (*freed)(void *ctx, const struct pmb_freed *freed);
	void *ctx;
};
/* Hands out, oldest first, what happened at or before `horizon`. What is added meanwhile waits for
 * the next time. */
void queue__release(struct queue *q, uint64_t horizon, const struct queue_fns *fns);
/* The samples that wait, in no order. */
void queue__each_sample(const struct queue *q, void (*fn)(void *ctx, const struct decoded *rec),
			void *ctx);
void queue__done(struct queue *q);

#endif
