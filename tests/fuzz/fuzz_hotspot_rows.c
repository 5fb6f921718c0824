// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Code of HotSpot's: rows ascend, and there is one at its beginning. */
#include <stdlib.h>
#include <string.h>

#include "symd/hotspot_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hotspot_row rows[HOTSPOT_ROWS_MAX];
	struct hotspot_code code;
	uint8_t head[3];
	size_t n;

	if (size < sizeof(head))
		return 0;
	memcpy(head, data, sizeof(head));
	code = (struct hotspot_code){
		.bytes = data + sizeof(head),
		.n = size - sizeof(head),
		.frame_size = 16 + head[0] * 8U,
		.complete = head[1],
		.osr = head[2],
	};
	n = hotspot_rows__of(&code, rows);
	if (!n || n > HOTSPOT_ROWS_MAX || rows[0].off)
		abort();
	for (size_t i = 1; i < n; i++) {
		if (rows[i].off <= rows[i - 1].off || rows[i].off > code.n)
			abort();
	}
	return 0;
}
