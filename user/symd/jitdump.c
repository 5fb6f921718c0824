// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the file is as large as all the code a JIT ever made, or as large as a hostile
 * one says. So only the heads of records are read, through a small window, and what they hold of
 * names is bounded.
 */
#include "symd/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/search.h"

enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	VERSION = 1,
	HEADER_BYTES = 40,
	RECORD_BYTES = 16, /* id, total size, time */
	LOAD_BYTES = 40,   /* of CODE_LOAD, before the name */
	MOVE_BYTES = 48,
	WINDOW_BYTES = 64 * 1024,
};

enum record_id { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

struct code {
	uint64_t index; /* the JIT's own number of it */
	uint64_t start, size;
	size_t name; /* offset in the names */
	uint32_t len;
	uint32_t record; /* its number */
};

struct codes {
	struct code *items;
	size_t n, cap;
};

struct dump {
	int fd;
	uint64_t at; /* of the window */
	size_t len;
	uint8_t *window;
	struct buf names;
	struct codes loads, moves;
};

/* A cursor over what there is from off on, at most want bytes. */
static struct cursor dump__look(struct dump *d, uint64_t off, size_t want)
{
	if (off < d->at || off + want > d->at + d->len) {
		ssize_t n = pread(d->fd, d->window, WINDOW_BYTES, (off_t)off);

		d->at = off;
		d->len = n > 0 ? (size_t)n : 0;
	}
	if (d->len - (off - d->at) < want)
		want = d->len - (off - d->at);
	return cursor__over(d->window + (off - d->at), want);
}

static void add(struct codes *codes, const struct code *code)
{
	GROW(codes->items, codes->n, codes->cap);
	codes->items[codes->n++] = *code;
}

static void read_load(struct dump *d, struct cursor *c, uint32_t record)
{
	struct code code = {.record = record, .name = d->names.len};
	const char *name;
	size_t left;

	cursor__skip(c, 4 + 4 + 8); /* pid, tid, vma: the same as the address */
	code.start = cursor__u64(c);
	code.size = cursor__u64(c);
	code.index = cursor__u64(c);
	left = cursor__left(c);
	name = cursor__bytes(c, left);
	if (!cursor__ok(c))
		return;
	code.len = (uint32_t)strnlen(name, left < JITDUMP_NAME_MAX ? left : JITDUMP_NAME_MAX);
	if (!code.len)
		return;
	buf__add(&d->names, name, code.len);
	add(&d->loads, &code);
}

static void read_move(struct dump *d, struct cursor *c, uint32_t record)
{
	struct code code = {.record = record};

	cursor__skip(c, 4 + 4 + 8 + 8); /* pid, tid, vma, old address: the index tells */
	code.start = cursor__u64(c);
	code.size = cursor__u64(c);
	code.index = cursor__u64(c);
	if (cursor__ok(c))
		add(&d->moves, &code);
}

static void read_records(struct dump *d, uint64_t off)
{
	for (uint32_t record = 1; record <= JITDUMP_RECORDS_MAX; record++) {
		struct cursor c = dump__look(d, off, RECORD_BYTES + LOAD_BYTES + JITDUMP_NAME_MAX);
		uint32_t id = cursor__u32(&c), size = cursor__u32(&c);

		cursor__u64(&c);
		if (!cursor__ok(&c) || size < RECORD_BYTES || id == CODE_CLOSE ||
		    d->names.len > JITDUMP_NAMES_MAX)
			return;
		/* nothing of the next record */
		if (cursor__left(&c) > size - RECORD_BYTES)
			c.end = c.pos + (size - RECORD_BYTES);
		if (id == CODE_LOAD)
			read_load(d, &c, record);
		else if (id == CODE_MOVE)
			read_move(d, &c, record);
		if (__builtin_add_overflow(off, size, &off))
			return;
	}
}

static int by_index(const void *pa, const void *pb)
{
	const struct code *a = pa, *b = pb;

	return a->index != b->index ? CMP3(a->index, b->index) : CMP3(a->record, b->record);
}

/* The name that the index had when the record was written. */
static const struct code *find_load(const struct codes *loads, const struct code *move)
{
	size_t behind = FIRST_INDEX(i, loads->n, by_index(&loads->items[i], move) >= 0);
	const struct code *last = behind ? &loads->items[behind - 1] : NULL;

	return last && last->index == move->index ? last : NULL;
}

static bool add_symbol(struct symtab *t, const struct code *code, const struct code *named,
		       const char *names)
{
	struct symbol s = {
		.start = code->start,
		.name = names + named->name,
		.len = named->len,
		.prio = code->record,
	};

	return __builtin_add_overflow(code->start, code->size, &s.end) || symtab__add(t, &s);
}

static void make_table(struct dump *d, struct perf_map *ret)
{
	*ret = (struct perf_map){.text = buf__take(&d->names)};
	if (d->loads.n)
		qsort(d->loads.items, d->loads.n, sizeof(*d->loads.items), by_index);
	for (size_t i = 0; i < d->loads.n; i++)
		add_symbol(&ret->symbols, &d->loads.items[i], &d->loads.items[i], ret->text);
	for (size_t i = 0; i < d->moves.n; i++) {
		const struct code *load = find_load(&d->loads, &d->moves.items[i]);

		if (load)
			add_symbol(&ret->symbols, &d->moves.items[i], load, ret->text);
	}
	symtab__finish(&ret->symbols);
}

int jitdump__read(int fd, struct perf_map *ret)
{
	_cleanup_free_ uint8_t *window = xcalloc(1, WINDOW_BYTES);
	struct dump d = {.fd = fd, .window = window};
	uint32_t magic, version, header;
	struct cursor c;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	c = dump__look(&d, 0, HEADER_BYTES);
	magic = cursor__u32(&c);
	version = cursor__u32(&c);
	header = cursor__u32(&c);
	if (!cursor__ok(&c) || magic != MAGIC || version != VERSION || header < HEADER_BYTES)
		return -EINVAL;
	read_records(&d, header);
	make_table(&d, ret);
	free(d.loads.items);
	free(d.moves.items);
	return 0;
}
