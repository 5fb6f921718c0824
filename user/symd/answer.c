// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/answer.h"

#include <linux/types.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "pmubpf/data_place.h"
#include "pmubpf/object_place.h"
#include "sym/reason.h"
#include "symd/demangle.h"
#include "symd/protocol.h"
#include "symd/python_object.h"

static const struct elf_block no_block;

/* What an answer begins with. */
static void put_head(struct buf *reply, enum sym_reason reason, uint64_t vaddr,
		     struct elf_block block)
{
	symd_msg__put_u8(reply, (uint8_t)reason);
	symd_msg__put_u64(reply, vaddr);
	symd_msg__put_u8(reply, (uint8_t)block.class);
	symd_msg__put_u8(reply, (uint8_t)block.insn);
}

/* The name as the linker has it, if that is another one and can be told whole. */
static void put_system_name(struct buf *reply, const char *system, size_t len, const char *name)
{
	bool other = len <= SYMD_NAME_MAX && !memchr(system, '\0', len) &&
		     (strlen(name) != len || memcmp(name, system, len) != 0);

	symd_msg__put_u16(reply, other ? (uint16_t)len : 0);
	buf__add(reply, system, other ? len : 0);
}

static void put_frame(const struct answerer *a, const char *name, const char *system, size_t len,
		      const struct debug_frame *place, struct buf *reply)
{
	bool known = place && place->file && place->line && (a->wanted & SYMD_WANT_LINES);

	symd_msg__put_text(reply, name, SYMD_NAME_MAX);
	put_system_name(reply, system, name ? len : 0, name ? name : "");
	/* as compilers print it, without the folders: those say where it was built */
	symd_msg__put_text(reply, known ? base_name(place->file) : NULL, SYMD_FILE_MAX);
	symd_msg__put_u32(reply, known ? place->line : 0);
	symd_msg__put_u32(reply, 0);
}

static const char *readable(const char *name, size_t len, struct buf *scratch)
{
	buf__clear(scratch);
	demangle(name, len, scratch);
	/* A name ends at its first NUL also in a perf map, which may contain any byte. */
	if (!scratch->len || !*scratch->data) {
		buf__clear(scratch);
		buf__putc(scratch, '?');
	}
	return scratch->data;
}

/* Addresses come sorted, so the same function is asked for many times in a row. */
static const char *name_of(struct answerer *a, const struct elf_name *n)
{
	if (!a->name.len || a->plt != n->plt || a->system.len != n->len ||
	    memcmp(a->system.data, n->name, n->len) != 0) {
		buf__clear(&a->system);
		buf__add(&a->system, n->name, n->len);
		a->plt = n->plt;
		readable(a->system.data, n->len, &a->name);
		if (n->plt)
			buf__puts(&a->name, "@plt");
	}
	return a->name.data;
}

static void put_inlined(struct answerer *a, const struct debug_frame *frames, size_t n,
			struct buf *reply)
{
	size_t count_at = reply->len, before;
	uint8_t k = 0;

	symd_msg__put_u8(reply, 0);
	while (k < n && k < SYMD_INLINED_MAX && (a->wanted & SYMD_WANT_INLINED)) {
		const char *system = frames[k].name ? frames[k].name : "?";
		const char *name = readable(system, strlen(system), &a->inlined);

		before = reply->len;
		put_frame(a, name, system, strlen(system), &frames[k], reply);
		if (reply->len - count_at > SYMD_INLINED_BYTES) {
			reply->len = before;
			break;
		}
		k++;
	}
	reply->data[count_at] = (char)k;
}

static void put_text_frame(const struct answerer *a, const struct buf *text, struct buf *reply)
{
	put_frame(a, text->data, "", 0, NULL, reply);
}

/* Of a variable: its symbol, else what DWARF calls it; then its type and the member. */
static void answer_data(struct answerer *a, struct elf_file *elf, uint64_t offset,
			struct buf *reply)
{
	struct data_part part = {0};
	struct elf_name symbol = {0};
	uint64_t vaddr = offset;
	bool found = elf_file__vaddr(elf, offset, &vaddr), named, typed;
	const char *name = NULL;

	named = found && elf_file__find(elf, vaddr, &symbol);
	typed = found && (a->wanted & SYMD_WANT_TYPES) && elf_file__debug_data(elf, vaddr, &part);
	if (named)
		name = name_of(a, &symbol);
	else if (typed && part.variable && *part.variable)
		name = part.variable;
	typed = typed && name;
	put_head(reply, name ? SYM_NAMED : SYM_NO_SYMBOL, vaddr, no_block);
	put_frame(a, name, named ? a->system.data : "", named ? symbol.len : 0, NULL, reply);
	symd_msg__put_u8(reply, typed ? 1 + (part.member.len > 0) : 0);
	if (typed)
		put_text_frame(a, &part.type, reply);
	if (typed && part.member.len)
		put_text_frame(a, &part.member, reply);
	data_part__done(&part);
}

/* As C++ calls those of functions that lie elsewhere. */
static void name_variable(struct answerer *a, const struct data_part *part)
{
	const char *function = part->function ? part->function : "?";

	readable(function, strlen(function), &a->variable);
	buf__puts(&a->variable, "::");
	buf__puts(&a->variable, part->variable ? part->variable : "?");
}

/* What an object has at an offset: its type stands for the name, if it isn't a variable. */
static void answer_object(struct answerer *a, struct elf_file *elf, uint64_t place,
			  struct buf *reply)
{
	struct debug_info *info = a->wanted & SYMD_WANT_TYPES ? elf_file__debug_info(elf) : NULL;
	const bool variable = is_variable_place(place);
	struct data_part part = {0};
	bool found = info && debug_info__object(info, object_place_entry(place),
						object_place_off(place), &part);

	if (found && variable)
		name_variable(a, &part);
	put_head(reply, found ? SYM_NAMED : SYM_NO_SYMBOL, place, no_block);
	put_frame(a, found ? variable ? a->variable.data : part.type.data : NULL, "", 0, NULL,
		  reply);
	symd_msg__put_u8(reply, found ? variable + (part.member.len > 0) : 0);
	if (found && variable)
		put_text_frame(a, &part.type, reply);
	if (found && part.member.len)
		put_text_frame(a, &part.member, reply);
	data_part__done(&part);
}

void answerer__elf(struct answerer *a, struct elf_file *elf, uint64_t offset, bool block,
		   struct buf *reply)
{
	struct debug_frame frames[DEBUG_INFO_FRAMES];
	struct elf_name symbol = {0};
	struct elf_block found = {0};
	uint64_t vaddr = offset;
	const char *name = NULL, *system = "";
	size_t n = 0, len = 0;
	bool named = false;

	if (is_object_place(offset)) {
		answer_object(a, elf, offset, reply);
		return;
	}
	if (offset & DATA_PLACE_MARK) {
		answer_data(a, elf, offset, reply);
		return;
	}
	if (elf_file__vaddr(elf, offset, &vaddr)) {
		if (block)
			found = elf_blocks__at(&a->blocks, elf, vaddr);
		named = elf_file__find(elf, vaddr, &symbol);
		if ((a->wanted & (SYMD_WANT_INLINED | SYMD_WANT_LINES)) && !symbol.plt)
			n = elf_file__debug_frames(elf, vaddr, frames);
	}
	if (named) {
		name = name_of(a, &symbol);
		system = a->system.data;
		len = symbol.plt ? 0 : symbol.len;
	} else if (n && frames[0].name) {
		system = frames[0].name;
		len = strlen(system);
		name = readable(system, len, &a->inlined);
	} else {
		n = 0; /* calls inlined into what has no name */
	}
	put_head(reply, name ? SYM_NAMED : SYM_NO_SYMBOL, vaddr, found);
	put_frame(a, name, system, len, n ? &frames[0] : NULL, reply);
	put_inlined(a, frames + 1, n ? n - 1 : 0, reply);
}

/* Cuts the text up to the next tab off, which becomes a NUL. */
static char *next_part(char **text)
{
	return strsep(text, "\t");
}

/* The text's parts; how many frames they make. */
static size_t take_parts(char *text, struct debug_frame frames[DEBUG_INFO_FRAMES])
{
	size_t n = 0;

	while (text && n < DEBUG_INFO_FRAMES) {
		const char *name = next_part(&text), *file = next_part(&text);
		const char *line = next_part(&text);
		uint64_t number = 0;

		if (!line || num__parse_u64(line, &number) < 0 || number > UINT32_MAX)
			number = 0;
		frames[n++] = (struct debug_frame){.name = name,
						   .file = number ? file : NULL,
						   .line = (uint32_t)number};
	}
	return n;
}

void answerer__jit(struct answerer *a, struct jit_file *jit, uint64_t addr, struct buf *reply)
{
	struct debug_frame frames[DEBUG_INFO_FRAMES];
	struct elf_name symbol = {0};
	_cleanup_free_ char *parts = NULL;
	size_t n = 0;

	symbol.name = jit_file__find(jit, addr, &symbol.len);
	if (symbol.name && a->in_parts) {
		parts = xstrndup(symbol.name, symbol.len);
		n = take_parts(parts, frames);
		symbol.len = strlen(parts);
	}
	put_head(reply, symbol.name ? SYM_NAMED : SYM_NO_SYMBOL, addr, no_block);
	put_frame(a, symbol.name ? name_of(a, &symbol) : NULL, "", 0, n ? &frames[0] : NULL, reply);
	put_inlined(a, frames + 1, n ? n - 1 : 0, reply);
}

void answer__object(const void *object, size_t len, uint32_t position, struct buf *reply)
{
	struct python_function f;
	bool named = python_function__read(&f, object, len, position);

	put_head(reply, named ? SYM_NAMED : SYM_NO_SYMBOL, 0, no_block);
	symd_msg__put_text(reply, named ? f.name.data : NULL, SYMD_NAME_MAX);
	symd_msg__put_text(reply, NULL, 0);
	named = named && f.file.len;
	symd_msg__put_text(reply, named ? f.file.data : NULL, SYMD_FILE_MAX);
	symd_msg__put_u32(reply, named ? f.line : 0);
	symd_msg__put_u32(reply, named ? f.first : 0);
	symd_msg__put_u8(reply, 0);
	python_function__done(&f);
}

void answerer__close(struct answerer *a)
{
	a->blocks = elf_blocks__free(a->blocks);
}

void answerer__done(struct answerer *a)
{
	answerer__close(a);
	buf__done(&a->name);
	buf__done(&a->system);
	buf__done(&a->inlined);
	buf__done(&a->variable);
}
