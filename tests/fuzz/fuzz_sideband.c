// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a ring of perf's side-band records. What is decoded lies in its record: paths end in
 * it, and mappings don't wrap. The first two bytes say where in the ring the oldest record begins.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "collect/sideband.h"
#include "fuzz.h"
#include "sys/perf.h"

static void see(void *ctx, const struct perf_event_header *record)
{
	/* a copy, of its own size: the ring goes on behind it */
	_cleanup_free_ struct perf_event_header *copy = xmemdup(record, record->size);
	struct life life;
	size_t *n = ctx;

	if (sideband_decode(copy, &life) <= 0)
		return;
	*n += life.kind == LIFE_MMAP ? strlen(life.path) : 1;
	if (life.kind == LIFE_MMAP && life.end < life.start)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct perf_event_mmap_page control = {0};
	_cleanup_free_ uint8_t *bytes = NULL, *record = xcalloc(1, UINT16_MAX + 1);
	struct perf_ring ring = {.control = &control, .data_size = 8, .record = record};
	size_t n = 0;

	if (len < 2)
		return 0;
	control.data_tail = (data[0] | (uint64_t)data[1] << 8) & ~7ULL;
	data += 2;
	len = (len - 2) & ~7UL;
	while (ring.data_size < len)
		ring.data_size *= 2;
	ring.data = bytes = xcalloc(1, ring.data_size);
	for (size_t i = 0; i < len; i++)
		bytes[(control.data_tail + i) % ring.data_size] = data[i];
	control.data_head = control.data_tail + len;
	perf_ring__drain(&ring, see, &n);
	if (control.data_tail != control.data_head)
		abort();
	return 0;
}
