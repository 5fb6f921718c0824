// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a linker's name. What comes out has no NUL in it and keeps to its limit; the same as
 * what a person wrote, which a whole name fits in full.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "fuzz.h"
#include "symd/demangle.h"
#include "symd/written_name.h"

static void write_it(const char *text)
{
	struct buf shorter = {0};
	struct written_name w;

	written_name__init(&w, text, strlen(text));
	if (w.key.len && written_name__fit(&w, text) != WRITTEN_FULL)
		abort();
	written_name__fit(&w, "<a::b as c::d<int>>::e(int) const");
	written_name__may_be(&w, text, strlen(text));
	written_name__put_short(&shorter, text);
	written_name__done(&w);
	buf__done(&shorter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *name = fuzz_text(data, len);
	struct buf out = {0};

	if (memchr(name, '\0', len)) /* in a string table it ends there */
		len = strlen(name);
	demangle(name, len, &out);
	if (out.len > DEMANGLE_OUT_MAX || (out.len && memchr(out.data, '\0', out.len)))
		abort();
	write_it(out.data ? out.data : "");
	out.len = 0;
	demangle_whole(name, len, &out);
	write_it(out.len ? out.data : "");
	buf__done(&out);
	return 0;
}
