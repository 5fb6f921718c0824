// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is where a function ends: what symbols say of that is believed as far as
 * LISTING_BYTES, and an answer ends where the message is full, or has taken its time.
 */
#include "symd/elf_listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/asked.h"
#include "symd/demangle.h"
#include "symd/disassembler.h"
#include "symd/protocol.h"
#include "symd/turn.h"

enum {
	LISTING_BYTES = 256 * 1024, /* of a function */
	WINDOW_BYTES = 64 * 1024,   /* that are read for an answer */
	INSN_BYTES = 16,            /* the longest */
	ASKED_BYTES = 8 * 1024,     /* about what fits into an answer */
	TARGET_NAME = 256,          /* bytes of a name, of where a call leads */
	ROW_MOST = 32 * 1024,       /* bytes of a row, with all that is inlined there */
};

struct lister {
	struct elf_file *elf; /* NULL: it is a jitdump's */
	struct jit_file *jit;
	uint64_t code_at; /* of that: where in it the function's bytes stand */
	struct disassembler *d;
	uint64_t start, size; /* vaddr */
	struct buf *reply;
	struct buf place, last; /* of the row at hand, of the one before */
	struct buf path, name;  /* scratch */
	uint64_t turn_end;
};

static void lister__done(struct lister *l)
{
	disassembler__free(l->d);
	buf__done(&l->place);
	buf__done(&l->last);
	buf__done(&l->path);
	buf__done(&l->name);
}

/* By the symbol, if it says how long it is, else by the table for unwinding. */
static bool find_extent(struct lister *l, uint64_t vaddr)
{
	struct elf_name symbol;
	uint64_t start, end;

	if (elf_file__find(l->elf, vaddr, &symbol) && symbol.start <= vaddr && symbol.end > vaddr &&
	    symbol.end != UINT64_MAX) {
		start = symbol.start;
		end = symbol.end;
	} else if (!elf_file__function(l->elf, vaddr, &start, &end) || end <= vaddr) {
		return false;
	}
	l->start = start;
	l->size = end - start < LISTING_BYTES ? end - start : LISTING_BYTES;
	return vaddr - start < l->size;
}

/* With the folder that it is in, as far as the file says. */
static void find_path(struct lister *l, const struct debug_frame *frame)
{
	buf__clear(&l->path);
	if (!frame->file || !frame->line || strnlen(frame->file, SYMD_FILE_MAX) == SYMD_FILE_MAX)
		return;
	if (*frame->file != '/' && frame->dir && strnlen(frame->dir, SYMD_FILE_MAX) < SYMD_FILE_MAX)
		buf__printf(&l->path, "%s/", frame->dir);
	buf__puts(&l->path, frame->file);
}

static void put_frame(struct lister *l, const struct debug_frame *frame, bool inlined)
{
	bool known;

	find_path(l, frame);
	known = l->path.len && l->path.len <= SYMD_FILE_MAX;
	buf__clear(&l->name);
	if (inlined && frame->name)
		demangle(frame->name, strnlen(frame->name, SYMD_NAME_MAX), &l->name);
	symd_msg__put_text(&l->place, l->name.len ? l->name.data : NULL, SYMD_NAME_MAX);
	symd_msg__put_text(&l->place, known ? l->path.data : NULL, SYMD_FILE_MAX);
	symd_msg__put_u32(&l->place, known ? frame->line : 0);
}

/* Outermost first; those inside of what there is no room for are left out. */
static void find_place(struct lister *l, uint64_t vaddr)
{
	struct debug_frame frames[DEBUG_INFO_FRAMES];
	size_t n = l->elf ? elf_file__debug_frames(l->elf, vaddr, frames) : 0, k = 0, before;

	buf__clear(&l->place);
	symd_msg__put_u8(&l->place, 1);
	if (!n)
		put_frame(l, &(struct debug_frame){0}, false);
	for (; k < n; k++) {
		before = l->place.len;
		put_frame(l, &frames[k], k > 0);
		if (l->place.len > ROW_MOST - SYMD_NAME_MAX) {
			l->place.len = before;
			break;
		}
	}
	l->place.data[0] = (char)(n ? k : 1);
}

static void put_place(struct lister *l, uint64_t vaddr)
{
	find_place(l, vaddr);
	if (l->last.len == l->place.len && memcmp(l->last.data, l->place.data, l->place.len) == 0) {
		symd_msg__put_u8(l->reply, 0);
		return;
	}
	buf__add(l->reply, l->place.data, l->place.len);
	buf__clear(&l->last);
	buf__add(&l->last, l->place.data, l->place.len);
}

static bool leads_out(const struct lister *l, const struct insn *insn)
{
	return insn->target && insn->target - l->start >= l->size;
}

/* What the symbols of targets are called is looked for in one go: that is a pass through all of
 * them. */
static void ask_targets(struct lister *l, const uint8_t *bytes, size_t n, uint64_t vaddr)
{
	_cleanup_free_ uint64_t *targets = xcalloc(ASKED_MAX, sizeof(*targets));
	struct insn insn;
	size_t n_targets = 0;

	for (size_t at = 0; at < n && n_targets < ASKED_MAX; at += insn.len) {
		disassembler__read(l->d, bytes + at, n - at, vaddr + at, &insn);
		if (leads_out(l, &insn))
			targets[n_targets++] = insn.target;
	}
	if (n_targets)
		elf_file__ask(l->elf, targets, n_targets);
}

/* "callq 0x401000 <work>"; of what wasn't asked for only the address. */
static void put_insn_text(struct lister *l, const struct insn *insn)
{
	struct elf_name symbol;

	buf__clear(&l->name);
	buf__puts(&l->name, insn->text);
	if (l->elf && disassembler__has_text(l->d) && leads_out(l, insn) &&
	    elf_file__asked(l->elf, insn->target) &&
	    elf_file__find(l->elf, insn->target, &symbol)) {
		_cleanup_(buf__done) struct buf name = {0};

		demangle(symbol.name, symbol.len, &name);
		buf__printf(&l->name, " <%.*s%s%s>", TARGET_NAME, name.data ? name.data : "?",
			    symbol.plt ? "@plt" : "",
			    !symbol.plt && symbol.start != insn->target ? "+" : "");
	}
	symd_msg__put_text(l->reply, l->name.data, INSN_TEXT + TARGET_NAME);
}

static void put_row(struct lister *l, uint64_t at, const struct insn *insn)
{
	symd_msg__put_u32(l->reply, (uint32_t)at);
	symd_msg__put_u8(l->reply, (uint8_t)insn->len);
	symd_msg__put_u8(l->reply, (uint8_t)insn->flow);
	symd_msg__put_u64(l->reply, insn->target);
	put_insn_text(l, insn);
	put_place(l, l->start + at);
}

static size_t read_code(const struct lister *l, uint64_t from, uint8_t *ret, size_t n)
{
	return l->elf ? elf_file__read(l->elf, l->start + from, ret, n) :
			jit_file__read(l->jit, l->code_at + from, ret, n);
}

/* From that place on; returns the next one, or 0: that was all. */
static uint64_t put_rows(struct lister *l, uint64_t from, uint32_t *ret_n)
{
	_cleanup_free_ uint8_t *bytes = xcalloc(1, WINDOW_BYTES);
	size_t want = l->size - from < WINDOW_BYTES ? (size_t)(l->size - from) : WINDOW_BYTES;
	size_t n = read_code(l, from, bytes, want), at = 0;
	bool whole = from + n == l->size;

	if (l->elf && disassembler__has_text(l->d))
		ask_targets(l, bytes, n < ASKED_BYTES ? n : ASKED_BYTES, l->start + from);
	while (at < n && (whole || n - at >= INSN_BYTES)) {
		struct insn insn;

		if (l->reply->len + ROW_MOST > SYMD_MSG_MAX ||
		    (*ret_n && turn__is_over(l->turn_end)))
			break;
		disassembler__read(l->d, bytes + at, n - at, l->start + from + at, &insn);
		put_row(l, from + at, &insn);
		(*ret_n)++;
		at += insn.len;
	}
	return *ret_n && at < n && from + at < l->size ? from + at : 0;
}

static void put_listing(struct lister *l, uint64_t file_off, uint64_t from)
{
	size_t next_at, count_at;
	uint64_t next;
	uint32_t n = 0;

	symd_msg__put_u8(l->reply, SYMD_LISTED);
	symd_msg__put_u8(l->reply, disassembler__has_text(l->d));
	symd_msg__put_u64(l->reply, l->start);
	symd_msg__put_u64(l->reply, file_off);
	symd_msg__put_u64(l->reply, l->size);
	next_at = l->reply->len;
	symd_msg__put_u32(l->reply, 0);
	count_at = l->reply->len;
	symd_msg__put_u32(l->reply, 0);
	next = put_rows(l, from, &n);
	symd_msg__set_u32(l->reply, next_at, (uint32_t)next);
	symd_msg__set_u32(l->reply, count_at, n);
}

int elf_listing__answer(struct elf_file *elf, struct cursor *body, struct buf *reply)
{
	_cleanup_(lister__done) struct lister l = {.elf = elf,
						   .reply = reply,
						   .turn_end = turn__end()};
	uint64_t offset = cursor__u64(body), vaddr, file_off;
	uint32_t from = cursor__u32(body);

	if (!elf || !cursor__done(body))
		return -EPROTO;
	l.d = disassembler__new(elf_file__machine(elf), elf_file__is_64(elf));
	if (!l.d) {
		symd_msg__put_u8(reply, SYMD_LISTING_OTHER_MACHINE);
		return 0;
	}
	if (!elf_file__vaddr(elf, offset, &vaddr) || !find_extent(&l, vaddr) || from >= l.size ||
	    !elf_file__offset(elf, l.start, true, &file_off)) {
		symd_msg__put_u8(reply, SYMD_LISTING_NO_FUNCTION);
		return 0;
	}
	put_listing(&l, file_off, from);
	return 0;
}

/* Code is told by its address, which stands for a file offset. */
int jit_listing__answer(struct jit_file *jit, struct cursor *body, struct buf *reply)
{
	_cleanup_(lister__done) struct lister l = {.jit = jit,
						   .reply = reply,
						   .turn_end = turn__end()};
	uint64_t addr = cursor__u64(body);
	uint32_t from = cursor__u32(body);

	if (!cursor__done(body))
		return -EPROTO;
	l.d = disassembler__new(jit_file__machine(jit), true);
	if (!l.d) {
		symd_msg__put_u8(reply, SYMD_LISTING_OTHER_MACHINE);
		return 0;
	}
	if (!jit_file__code(jit, addr, &l.start, &l.size, &l.code_at)) {
		symd_msg__put_u8(reply, SYMD_LISTING_NO_FUNCTION);
		return 0;
	}
	l.size = l.size < LISTING_BYTES ? l.size : LISTING_BYTES;
	if (addr - l.start >= l.size || from >= l.size)
		symd_msg__put_u8(reply, SYMD_LISTING_NO_FUNCTION);
	else
		put_listing(&l, l.start, from);
	return 0;
}
