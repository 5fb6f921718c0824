// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that each member stands within what it is a member of, whatever the file says:
 * readers rely on it. What doesn't is left out.
 */
#include "symd/data_layout.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"
#include "pmubpf/type_layout.h"

enum { TEXT_MAX_BYTES = BUDGET_LAYOUT_KIB * 1024 };

struct walk {
	struct type_walk *types;
	struct type_names *names;
	struct buf lines, line, path;
	unsigned n;
	bool more; /* than there is room for */
};

/* A member of one aggregate. */
struct part {
	Dwarf_Die die, type;
	uint64_t from, to;
	size_t order;
};

struct parts {
	struct part *list;
	size_t n, cap;
};

/* What lies in the whole: from its first byte on, in how many bytes. */
struct extent {
	uint64_t from, size;
};

/* Control characters would end a line or a field. */
static void put_text(struct buf *to, const char *text)
{
	for (; *text; text++)
		buf__putc(to, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

/* False: there is no room. */
static bool put_line(struct walk *w, unsigned depth, struct extent at, uint64_t count,
		     Dwarf_Die type)
{
	_cleanup_(buf__done) struct buf name = {0};

	buf__clear(&w->line);
	buf__printf(&w->line, "%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", depth, at.from,
		    at.size, count);
	put_text(&w->line, w->path.data);
	buf__putc(&w->line, '\t');
	type_names__put(w->names, w->types, &name, type);
	put_text(&w->line, name.data);
	buf__putc(&w->line, '\n');
	w->more |= w->n == BUDGET_LAYOUT_MEMBERS || w->lines.len + w->line.len > TEXT_MAX_BYTES;
	if (w->more)
		return false;
	buf__add(&w->lines, w->line.data, w->line.len);
	w->n++;
	return true;
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return a->from != b->from ? CMP3(a->from, b->from) : CMP3(a->order, b->order);
}

/* In order of offset, which need not be that of the source. */
static void read_parts(struct walk *w, Dwarf_Die *whole, uint64_t size, struct parts *ret)
{
	struct part part;

	if (dwarf_child(whole, &part.die) != 0)
		return;
	do {
		if (!type_walk__is_part(&part.die) || !type_walk__type_of(&part.die, &part.type) ||
		    !type_walk__part_extent(w->types, &part.die, part.type, &part.from, &part.to) ||
		    part.to > size)
			continue;
		w->more |= ret->n == BUDGET_LAYOUT_MEMBERS;
		if (w->more)
			break;
		part.order = ret->n;
		GROW(ret->list, ret->n, ret->cap);
		ret->list[ret->n++] = part;
	} while (type_walk__may_look(w->types) && dwarf_siblingof(&part.die, &part.die) == 0);
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), compare_parts);
}

/* Which of its parts is there only the data says. */
static bool has_several(struct walk *w, Dwarf_Die *type)
{
	Dwarf_Die die;

	if (dwarf_tag(type) == DW_TAG_union_type)
		return true;
	if (!type_walk__is_aggregate(dwarf_tag(type)) || dwarf_child(type, &die) != 0)
		return false;
	do { /* an enumeration of Rust's */
		if (dwarf_tag(&die) == DW_TAG_variant_part)
			return true;
	} while (type_walk__may_look(w->types) && dwarf_siblingof(&die, &die) == 0);
	return false;
}

static void put_parts(struct walk *w, Dwarf_Die *whole, struct extent at, unsigned depth,
		      unsigned level);

static void cut_path(struct walk *w, size_t len)
{
	w->path.len = len;
	w->path.data[len] = '\0';
}

/* The path is that of the part. */
static void put_part(struct walk *w, Dwarf_Die type, struct extent at, unsigned depth,
		     unsigned level)
{
	Dwarf_Die shown = type, element;
	uint64_t count = 1, n;
	size_t path;

	while (type_walk__peel(&type, true) && dwarf_tag(&type) == DW_TAG_array_type) {
		n = type_walk__elements(w->types, &type);
		if (!n || !type_walk__type_of(&type, &element) || at.size / count % n ||
		    level++ > TYPE_WALK_DEPTH)
			break;
		count *= n;
		type = shown = element;
		buf__puts(&w->path, "[]");
	}
	path = w->path.len;
	if (has_several(w, &type))
		buf__puts(&w->path, ".(several)");
	if (!put_line(w, depth, at, count, shown))
		return;
	cut_path(w, path);
	at.size /= count;
	if (type_walk__is_aggregate(dwarf_tag(&type)))
		put_parts(w, &type, at, depth + 1, level + 1);
}

/* Of an anonymous one or a base class: its members have no name of it before theirs. */
static void put_nameless(struct walk *w, Dwarf_Die type, struct extent at, unsigned depth,
			 unsigned level)
{
	size_t path = w->path.len;
	bool put = true, several;

	if (!type_walk__peel(&type, true) || !type_walk__is_aggregate(dwarf_tag(&type)))
		return;
	several = has_several(w, &type);
	if (several) {
		buf__puts(&w->path, path ? ".(several)" : "(several)");
		put = put_line(w, depth, at, 1, type);
		cut_path(w, path);
	}
	if (put)
		put_parts(w, &type, at, depth + several, level + 1);
}

static void put_parts(struct walk *w, Dwarf_Die *whole, struct extent at, unsigned depth,
		      unsigned level)
{
	struct parts parts = {0};
	size_t path = w->path.len;

	if (level > TYPE_WALK_DEPTH)
		return;
	read_parts(w, whole, at.size, &parts);
	for (size_t i = 0; i < parts.n && !w->more; i++) {
		struct part *p = &parts.list[i];
		struct extent of = {at.from + p->from, p->to - p->from};

		if (dwarf_tag(&p->die) == DW_TAG_inheritance || !dwarf_diename(&p->die)) {
			put_nameless(w, p->type, of, depth, level);
			continue;
		}
		buf__puts(&w->path, path ? "." : "");
		type_walk__put_name(&w->path, &p->die);
		put_part(w, p->type, of, depth, level);
		cut_path(w, path);
	}
	free(parts.list);
}

bool data_layout__put(struct type_walk *types, struct type_names *names, Dwarf_Die type,
		      struct buf *ret)
{
	struct walk w = {.types = types, .names = names};
	uint64_t size = type_walk__size(types, type);

	if (!type_walk__peel(&type, true) || !type_walk__is_aggregate(dwarf_tag(&type)) || !size ||
	    size > LAYOUT_SIZE_MAX)
		return false;
	buf__puts(&w.path, "");
	if (has_several(&w, &type)) {
		buf__puts(&w.path, "(several)");
		put_line(&w, 0, (struct extent){0, size}, 1, type);
		cut_path(&w, 0);
		put_parts(&w, &type, (struct extent){0, size}, 1, 0);
	} else {
		put_parts(&w, &type, (struct extent){0, size}, 0, 0);
	}
	if (w.n) {
		buf__printf(ret, "%" PRIu64 "%s\n", size, w.more ? "\tmore" : "");
		buf__add(ret, w.lines.data, w.lines.len);
	}
	buf__done(&w.lines);
	buf__done(&w.line);
	buf__done(&w.path);
	return w.n > 0;
}
