// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A byte for the version, two each for how many methods and places there are and for the offset of
 * code, then methods, places and scopes. What comes out is of what went in, and ends. */
#include <stdlib.h>
#include <string.h>

#include "symd/hotspot_scopes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 7, PC_BYTES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hotspot_scope scopes[HOTSPOT_SCOPES_DEPTH];
	struct hotspot_scopes *s;
	uint16_t head[3];
	size_t n;

	if (size < HEAD)
		return 0;
	memcpy(head, data + 1, sizeof(head));
	data += HEAD;
	size -= HEAD;
	if (head[0] * sizeof(uint64_t) + (size_t)head[1] * PC_BYTES > size)
		return 0;
	s = calloc(1, sizeof(*s) + size);
	if (!s)
		abort();
	memcpy(s->bytes, data, size);
	s->size = size;
	s->without_zero = data[-HEAD] & 1;
	s->n_methods = head[0];
	s->n_pcs = head[1];
	s->pcs_at = s->n_methods * sizeof(uint64_t);
	s->data_at = s->pcs_at + s->n_pcs * PC_BYTES;
	s->n_data = size - s->data_at;
	n = hotspot_scopes__at(s, head[2], scopes);
	if (n > HOTSPOT_SCOPES_DEPTH)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (!memmem(s->bytes, s->pcs_at, &scopes[i].method, sizeof(scopes[i].method)))
			abort();
	}
	free(s);
	return 0;
}
