// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Linked to pmubpf in the place of three of its functions (ld --wrap): what they are given goes
 * into the file $STREAM before it goes on.
 */
#include "stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "session/internal.h"

enum {
	SLACK_NS = 20 * 1000 * 1000
}; /* as in session/rounds.c: what is younger waits for the next round */

void __real_assembly__record(struct assembly *a, const void *data, size_t size);
void __wrap_assembly__record(struct assembly *a, const void *data, size_t size);
void __real_processes__life_arrived(struct processes *all, const struct life *life);
void __wrap_processes__life_arrived(struct processes *all, const struct life *life);
void __real_session__round(struct session *s, bool final);
void __wrap_session__round(struct session *s, bool final);

static gzFile file;

static void finish(void)
{
	gzclose(file);
}

static void put(enum stream_kind kind, const void *data, size_t size, const char *path)
{
	static const char zeros[8];
	size_t len = path ? strlen(path) + 1 : 0, pad = -(size + len) & 7;
	struct stream_head head = {kind, (uint32_t)(size + len + pad)};

	if (!file) {
		file = gzopen(getenv("STREAM"), "wb9");
		atexit(finish);
	}
	if (!file || gzwrite(file, &head, sizeof(head)) != sizeof(head))
		exit(1);
	gzwrite(file, data, (unsigned)size);
	gzwrite(file, path, (unsigned)len);
	gzwrite(file, zeros, (unsigned)pad);
}

void __wrap_assembly__record(struct assembly *a, const void *data, size_t size)
{
	put(STREAM_RECORD, data, size, NULL);
	__real_assembly__record(a, data, size);
}

void __wrap_processes__life_arrived(struct processes *all, const struct life *life)
{
	put(STREAM_LIFE, life, sizeof(*life), life->path ? life->path : "");
	__real_processes__life_arrived(all, life);
}

void __wrap_session__round(struct session *s, bool final)
{
	uint64_t horizon = s->round_ns - SLACK_NS;

	__real_session__round(s, final);
	put(STREAM_ROUND, &horizon, sizeof(horizon), NULL);
}
