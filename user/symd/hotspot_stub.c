// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_stub.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symd/code_frames.h"

static void add(void *ctx, uint64_t at, const struct pmb_unwind_rule *rule)
{
	struct hotspot_stub *s = ctx;

	if (s->n == HOTSPOT_STUB_ROWS_MAX)
		return;
	GROW(s->rows, s->n, s->cap);
	s->rows[s->n++] = (struct hotspot_stub_row){at, *rule};
}

struct hotspot_stub *hotspot_stub__new(const uint8_t *code, size_t n, uint64_t addr,
				       const struct pmb_unwind_rule *gap)
{
	const struct cfi_code where = {.file_off = addr, .vaddr = addr, .size = n};
	struct hotspot_stub *s = xcalloc(1, sizeof(*s));
	struct code_frames *frames = code_frames__new();

	code_frames__add(frames, code, NULL, &where);
	code_frames__start(frames, addr);
	code_frames__sweep(frames);
	code_frames__emit(frames, addr, addr + n, gap, add, s);
	code_frames__free(frames);
	return s;
}

struct hotspot_stub *hotspot_stub__free(struct hotspot_stub *s)
{
	if (s)
		free(s->rows);
	free(s);
	return NULL;
}
