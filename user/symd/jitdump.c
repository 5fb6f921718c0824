// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the file is as large as all the code a JIT ever made, or as large as a hostile
 * one says. So only the heads of records are read, through a small window, and nothing is kept but
 * what wins an address that was asked for.
 */
#include "symd/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Of code that was moved: what it was called when it was. */
struct move {
	uint64_t index;  /* the JIT's own number of the code */
	uint32_t record; /* its number */
	uint32_t len;    /* of the name that the last load before it gave the index; 0: none */
	uint64_t name;   /* offset in the file */
	size_t asked;    /* the address that it won */
};

struct moves {
	struct move *items;
	size_t n;
};

struct dump {
	int fd;
	uint64_t at; /* of the window */
	size_t len;
	uint8_t *window;
	struct asked *asked; /* in the first pass */
	struct moves *moves; /* in the second */
};

/* A cursor over what there is from off on, at most want bytes. */
static struct cursor dump__look(struct dump *d, uint64_t off, size_t want)
{
	if (off < d->at || off + want > d->at + d->len) {
		/* behind a large function only the next record's head */
		bool near = off >= d->at && off - d->at < 2 * WINDOW_BYTES;
		ssize_t n = pread(d->fd, d->window, near ? WINDOW_BYTES : want, (off_t)off);

		d->at = off;
		d->len = n > 0 ? (size_t)n : 0;
	}
	if (d->len - (off - d->at) < want)
		want = d->len - (off - d->at);
	return cursor__over(d->window + (off - d->at), want);
}

enum { LOADED, MOVED }; /* a candidate's table; the name of what was moved is its index */

static int by_index(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	return a->index != b->index ? CMP3(a->index, b->index) : CMP3(a->record, b->record);
}

/* The first move behind it of the same code has its name, if no other load lies between them. */
static void tell_moves(struct moves *moves, uint64_t index, const struct candidate *load)
{
	const struct move key = {.index = index, .record = load->prio};
	size_t i = FIRST_INDEX(k, moves->n, by_index(&moves->items[k], &key) >= 0);

	if (i == moves->n || moves->items[i].index != index)
		return;
	moves->items[i].name = load->name;
	moves->items[i].len = load->len;
}

/* c stands behind the record's head, at offset `at` of the file. */
static void read_load(struct dump *d, struct cursor *c, uint64_t at, uint32_t record)
{
	struct candidate load = {.prio = record, .table = LOADED, .name = at + LOAD_BYTES};
	uint64_t size, index;
	const char *name;
	size_t left;

	cursor__skip(c, 4 + 4 + 8); /* pid, tid, vma: the same as the address */
	load.start = cursor__u64(c);
	size = cursor__u64(c);
	index = cursor__u64(c);
	left = cursor__left(c);
	name = cursor__bytes(c, left);
	if (!cursor__ok(c) || __builtin_add_overflow(load.start, size, &load.end))
		return;
	load.len = (uint32_t)strnlen(name, left < JITDUMP_NAME_MAX ? left : JITDUMP_NAME_MAX);
	load.is_set = load.len;
	if (d->moves && load.len)
		tell_moves(d->moves, index, &load);
	else if (load.len)
		asked__offer(d->asked, load, load.end);
}

static void read_move(struct dump *d, struct cursor *c, uint32_t record)
{
	struct candidate move = {.prio = record, .table = MOVED, .is_set = true};
	uint64_t size;

	cursor__skip(c, 4 + 4 + 8 + 8); /* pid, tid, vma, old address: the index tells */
	move.start = cursor__u64(c);
	size = cursor__u64(c);
	move.name = cursor__u64(c);
	if (!d->moves && cursor__ok(c) && !__builtin_add_overflow(move.start, size, &move.end))
		asked__offer(d->asked, move, move.end);
}

static void read_records(struct dump *d, uint64_t off)
{
	for (uint32_t record = 1; record <= JITDUMP_RECORDS_MAX; record++) {
		struct cursor c = dump__look(d, off, RECORD_BYTES + LOAD_BYTES + JITDUMP_NAME_MAX);
		uint32_t id = cursor__u32(&c), size = cursor__u32(&c);

		cursor__u64(&c);
		if (!cursor__ok(&c) || size < RECORD_BYTES || id == CODE_CLOSE)
			return;
		/* nothing of the next record */
		if (cursor__left(&c) > size - RECORD_BYTES)
			c.end = c.pos + (size - RECORD_BYTES);
		if (id == CODE_LOAD)
			read_load(d, &c, off + RECORD_BYTES, record);
		else if (id == CODE_MOVE)
			read_move(d, &c, record);
		if (__builtin_add_overflow(off, size, &off))
			return;
	}
}

static void find_moved(const struct asked *asked, struct moves *ret)
{
	ret->items = xcalloc(asked->n, sizeof(*ret->items));
	for (size_t i = 0; i < asked->n; i++) {
		const struct candidate *c = asked__best(asked, i);

		if (c->is_set && c->table == MOVED)
			ret->items[ret->n++] = (struct move){
				.index = c->name,
				.record = c->prio,
				.asked = i,
			};
	}
	qsort(ret->items, ret->n, sizeof(*ret->items), by_index);
}

/* A move without a load of its own has that of the one before; one without any has no name. */
static void name_moved(struct asked *asked, struct moves *moves)
{
	for (size_t i = 0; i < moves->n; i++) {
		struct move *m = &moves->items[i];
		const struct move *before = i ? m - 1 : NULL;

		if (!m->len && before && before->index == m->index) {
			m->name = before->name;
			m->len = before->len;
		}
		asked__offer_one(asked, m->asked,
				 (struct candidate){
					 .start = asked__best(asked, m->asked)->start,
					 .end = asked__best(asked, m->asked)->end,
					 .prio = UINT32_MAX,
					 .name = m->name,
					 .len = m->len,
					 .is_set = true,
				 });
	}
}

/* Names of moved code take a second pass, for the indexes that matter alone. */
static void offer_records(struct dump *d, uint64_t off, struct asked *asked)
{
	struct moves moves = {0};

	d->asked = asked;
	read_records(d, off);
	asked__settle(asked);
	find_moved(asked, &moves);
	if (moves.n) {
		d->moves = &moves;
		read_records(d, off);
		name_moved(asked, &moves);
	}
	free(moves.items);
}

unsigned jitdump__machine(int fd)
{
	uint32_t head[4]; /* magic, version, size, and that */

	return pread(fd, head, sizeof(head), 0) == sizeof(head) && head[3] <= UINT16_MAX ? head[3] :
											   0;
}

/* At the record's end, whatever lies between the name and that. */
uint64_t jitdump__code_at(int fd, uint64_t name, uint64_t size)
{
	const uint64_t record = name - LOAD_BYTES - RECORD_BYTES;
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, code_size;
	} head;

	if (record > INT64_MAX || pread(fd, &head, sizeof(head), (off_t)record) != sizeof(head) ||
	    head.id != CODE_LOAD || head.code_size != size ||
	    size > head.size - (RECORD_BYTES + LOAD_BYTES))
		return 0;
	return record + head.size - size;
}

int jitdump__offer(int fd, struct asked *asked)
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
	if (asked->n)
		offer_records(&d, header, asked);
	return 0;
}
