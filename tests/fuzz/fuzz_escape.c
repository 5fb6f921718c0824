// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a name on its way out: no control character, no line's end, no frame's end is left,
 * and it can be turned back into what it was.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "fuzz.h"
#include "render/escape.h"

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *name = fuzz_text(data, len);
	struct buf out = {0};
	size_t at = 0;

	escape_name(&out, name);
	for (size_t i = 0; i < out.len; i++) {
		uint8_t c = (uint8_t)out.data[i];

		if (c < 0x20 || c == 0x7f || c == ';')
			abort();
		if (c == '\\') {
			if (out.len - i < 4 || out.data[i + 1] != 'x')
				abort();
			c = (uint8_t)(digit(out.data[i + 2]) * 16 + digit(out.data[i + 3]));
			i += 3;
		}
		if (c != (uint8_t)name[at++])
			abort();
	}
	if (name[at])
		abort();
	buf__done(&out);
	return 0;
}
