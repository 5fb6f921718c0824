// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { DICTIONARY_MAX = 128 * 1024 * 1024 }; /* xz -9 needs 65 MiB */

static void cleanup_lzma(lzma_stream *stream)
{
	lzma_end(stream);
}

int minidebug__inflate(const void *data, size_t len, void **ret, size_t *ret_len)
{
	_cleanup_(cleanup_lzma) lzma_stream stream = LZMA_STREAM_INIT;
	_cleanup_free_ uint8_t *out = NULL;
	size_t cap = 64 * 1024;
	lzma_ret r = LZMA_OK;

	if (lzma_stream_decoder(&stream, DICTIONARY_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = data;
	stream.avail_in = len;
	while (r == LZMA_OK) {
		if (cap >= MINIDEBUG_MAX)
			return -EFBIG;
		cap *= 2;
		out = xrealloc(out, cap, 1);
		stream.next_out = out + stream.total_out;
		stream.avail_out = cap - (size_t)stream.total_out;
		/* All input is there: whatever ends the call but a full buffer ends the loop. */
		r = lzma_code(&stream, LZMA_FINISH);
	}
	if (r != LZMA_STREAM_END)
		return -EINVAL;
	*ret_len = (size_t)stream.total_out;
	*ret = TAKE_PTR(out);
	return 0;
}
