// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a record of the overflow program. Everything that a decoded one points at lies in
 * the record. The first byte is how many events there are.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "collect/decode.h"
#include "fuzz.h"

static uint64_t read_all(const void *from, const void *end, const void *data, size_t size)
{
	const uint8_t *p = from;
	uint64_t sum = 0;

	if (p < (const uint8_t *)data || (const uint8_t *)end > (const uint8_t *)data + size)
		abort();
	for (; p < (const uint8_t *)end; p++)
		sum += *p; /* ASan looks on */
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ void *record = NULL;
	struct decoded d;
	size_t size = len ? len - 1 : 0;

	if (!len)
		return 0;
	record = xmemdup(data + 1, size);   /* aligned as in the ring, and of its own size */
	if (size >= sizeof(struct pmb_rec)) /* so that most inputs get past the first check */
		((struct pmb_rec *)record)->size = (__typeof__(((struct pmb_rec *)0)->size))size;
	if (record_decode(record, size, data[0], &d) >= 0)
		return 0;
	if (d.type == PMB_REC_SAMPLE) {
		if (d.sample->event >= data[0] || d.sample->user_end >= PMB_N_UNWIND_STATUSES)
			abort();
		if (d.n_reads)
			read_all(d.reads, d.reads + d.n_reads, record, size);
	} else if (d.type == PMB_REC_STACK || d.type == PMB_REC_CHAIN ||
		   d.type == PMB_REC_PLACED_CHAIN || d.type == PMB_REC_FRAMES_CHAIN) {
		read_all(d.stack->frames, d.stack->frames + d.stack->n, record, size);
	} else if (d.type == PMB_REC_OBJECT) {
		read_all(d.object->bytes,
			 d.object->bytes + d.object->name.n_bytes + d.object->file.n_bytes, record,
			 size);
		if (d.object->rec.parts)
			read_all(PMB_PY_TABLE(d.object),
				 (const char *)(PMB_PY_TABLE(d.object) + 1) +
					 PMB_PY_TABLE(d.object)->n_bytes,
				 record, size);
	} else if (d.type == PMB_REC_WINDOW) {
		read_all(d.window_end, d.window_end + 1, record, size);
	} else if (d.type == PMB_REC_CONTEXT) {
		read_all(d.context->bytes, (const char *)d.context->bytes + d.context->n_bytes,
			 record, size);
	} else if (d.type == PMB_REC_STACK_DUMP) {
		read_all(d.dump->frames, (const char *)PMB_DUMP_COPY(d.dump) + d.dump->n_bytes,
			 record, size);
	}
	return 0;
}
