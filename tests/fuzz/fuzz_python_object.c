// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a code object says of itself; of a frame whose position the last two bytes are. Texts have
 * no NUL, and are no longer than what there was. */
#include <stdlib.h>
#include <string.h>

#include "symd/python_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct buf *text, size_t size)
{
	if (text->len > 3 * size + 3 || (text->len && strlen(text->data) != text->len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct python_function f;
	uint16_t position = 0;

	if (size >= sizeof(position))
		memcpy(&position, data + size - sizeof(position), sizeof(position));
	python_function__read(&f, data, size, position);
	if (f.line > INT32_MAX && f.line != f.first)
		abort();
	check(&f.name, size);
	check(&f.file, size);
	python_function__done(&f);
	return 0;
}
