// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A few hundred bytes of gzip can hold gigabytes: what comes out is counted while it comes out, and
 * its room grows with it.
 */
#include "prof/inflate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { BLOCK = 64 * 1024 };

static void close_gz(gzFile *file)
{
	if (*file)
		gzclose_r(*file);
}

static int too_large(struct err *err, const char *name, uint64_t max_bytes)
{
	const bool small = max_bytes < 1 << 20;

	return err__set(err, -EFBIG,
			"%s holds more than %llu %s uncompressed; --max-size raises the limit",
			name, (unsigned long long)max_bytes >> (small ? 10 : 20),
			small ? "KB" : "MB");
}

/* What zlib has to say against the file, after so many bytes; 0: nothing. */
static int complaint(struct err *err, gzFile file, const char *name, size_t len)
{
	int e, why = errno;
	const char *text = gzerror(file, &e), *colon = strstr(text, ": "); /* "<fd:3>: …" */

	if (e == Z_OK)
		return 0;
	if (e == Z_ERRNO)
		return err__set(err, -EIO, "can't read %s: %s", name, strerror(why ? why : EIO));
	if (e == Z_BUF_ERROR)
		text = "its gzip data end too early";
	else if (colon)
		text = colon + 2;
	return err__set(err, -EBADMSG, "%s is damaged: %s (after %zu uncompressed bytes)", name,
			text, len);
}

int inflate_file(int fd, const char *name, uint64_t max_bytes, uint8_t **ret, size_t *ret_len,
		 struct err *err)
{
	_cleanup_(close_gz) gzFile file = NULL;
	_cleanup_close_ int own = dup(fd);
	_cleanup_free_ uint8_t *data = NULL;
	size_t len = 0, cap = 0;
	int n, r;

	if (own < 0)
		return err__set(err, -errno, "can't read %s: %s", name, strerror(errno));
	file = gzdopen(own, "rb");
	if (!file)
		return err__set(err, -ENOMEM, "can't read %s: no memory for zlib", name);
	TAKE_FD(own);
	do {
		if (len == cap) {
			cap = cap ? 2 * cap : 4 * BLOCK;
			if (cap > max_bytes) /* one more, to see that it is too much */
				cap = max_bytes + 1;
			data = xrealloc(data, cap, 1);
		}
		errno = 0;
		n = gzread(file, data + len, (unsigned)(cap - len < BLOCK ? cap - len : BLOCK));
		len += n > 0 ? (size_t)n : 0;
		if (len > max_bytes)
			return too_large(err, name, max_bytes);
	} while (n > 0);
	r = complaint(err, file, name, len);
	if (r < 0)
		return r;
	*ret_len = len;
	*ret = TAKE_PTR(data);
	return 0;
}
