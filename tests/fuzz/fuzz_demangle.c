// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as a linker's name. What comes out has no NUL in it and keeps to its limit. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "fuzz.h"
#include "symd/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *name = fuzz_text(data, len);
	struct buf out = {0};

	if (memchr(name, '\0', len)) /* in a string table it ends there */
		len = strlen(name);
	demangle(name, len, &out);
	if (out.len > DEMANGLE_OUT_MAX || (out.len && memchr(out.data, '\0', out.len)))
		abort();
	buf__done(&out);
	return 0;
}
