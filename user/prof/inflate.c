// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A few hundred bytes of gzip can hold gigabytes: what comes out is counted while it comes out, and its room
 * grows with it.
 */
#include "prof/inflate.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { BLOCK = 64 * 1024, GZIP_WINDOW = 15 + 16 /* zlib: expect a gzip header */ };

struct input {
	FILE *file;
	const char *name;
	uint64_t max_bytes;
	uint8_t *data;
	size_t len, cap;
	struct err *err;
};

static void input__done(struct input *in)
{
	free(in->data);
}

/* Room for some bytes more: how many, or negative. */
static int64_t input__room(struct input *in)
{
	const bool small = in->max_bytes < 1 << 20;

	if (in->len > in->max_bytes)
		return err__set(
			in->err, -EFBIG,
			"%s holds more than %llu %s uncompressed; --max-size raises the limit",
			in->name, (unsigned long long)in->max_bytes >> (small ? 10 : 20),
			small ? "KB" : "MB");
	if (in->len == in->cap) {
		in->cap = in->cap ? 2 * in->cap : 4 * BLOCK;
		if (in->cap > in->max_bytes) /* one more, to see that it is too much */
			in->cap = in->max_bytes + 1;
		in->data = xrealloc(in->data, in->cap, 1);
	}
	return (int64_t)(in->cap - in->len);
}

static int input__add(struct input *in, const uint8_t *data, size_t len)
{
	while (len) {
		int64_t room = input__room(in);
		size_t n = (uint64_t)room < len ? (size_t)room : len;

		if (room < 0)
			return (int)room;
		memcpy(in->data + in->len, data, n);
		in->len += n;
		data += n;
		len -= n;
	}
	return in->len > in->max_bytes ? (int)input__room(in) : 0;
}

static int bad_gzip(const struct input *in, const char *what)
{
	return err__set(in->err, -EBADMSG, "%s is damaged: %s (after %zu uncompressed bytes)",
			in->name, what, in->len);
}

/* What zip has been given; *ended: a member ended with it. */
static int inflate_block(struct input *in, z_stream *zip, bool *ended)
{
	do {
		int64_t room = input__room(in);
		int r;

		if (room < 0)
			return (int)room;
		if (*ended && inflateReset(zip) != Z_OK)
			return bad_gzip(in, "gzip can't go on");
		zip->next_out = in->data + in->len;
		zip->avail_out = (uInt)(room < BLOCK ? room : BLOCK);
		r = inflate(zip, Z_NO_FLUSH);
		in->len = (size_t)(zip->next_out - in->data);
		*ended = r == Z_STREAM_END;
		if (r == Z_BUF_ERROR)
			return 0; /* it wants more */
		if (r != Z_OK && r != Z_STREAM_END)
			return bad_gzip(in, zip->msg ? zip->msg : "not gzip");
	} while (zip->avail_in || (zip->avail_out == 0 && !*ended));
	return 0;
}

static int input__read(struct input *in, z_stream *zip)
{
	uint8_t block[BLOCK];
	bool is_first = true, is_gzip = false, ended = false;
	size_t n;
	int r = 0;

	while (r == 0 && (n = fread(block, 1, sizeof(block), in->file)) > 0) {
		if (is_first)
			is_gzip = n >= 2 && block[0] == 0x1f && block[1] == 0x8b;
		is_first = false;
		zip->next_in = block;
		zip->avail_in = (uInt)n;
		r = is_gzip ? inflate_block(in, zip, &ended) : input__add(in, block, n);
	}
	if (r < 0)
		return r;
	if (ferror(in->file))
		return err__set(in->err, -EIO, "can't read %s: %s", in->name,
				strerror(errno ? errno : EIO));
	return is_gzip && !ended ? bad_gzip(in, "its gzip data end too early") : 0;
}

int inflate_file(FILE *file, const char *name, uint64_t max_bytes, uint8_t **ret, size_t *ret_len,
		 struct err *err)
{
	_cleanup_(input__done) struct input in = {
		.file = file,
		.name = name,
		.max_bytes = max_bytes,
		.err = err,
	};
	z_stream zip = {0};
	int r;

	if (inflateInit2(&zip, GZIP_WINDOW) != Z_OK)
		return err__set(err, -ENOMEM, "can't read %s: no memory for zlib", name);
	errno = 0;
	r = input__read(&in, &zip);
	inflateEnd(&zip);
	if (r < 0)
		return r;
	*ret_len = in.len;
	*ret = in.data ? TAKE_PTR(in.data) : xcalloc(1, 1);
	return 0;
}
