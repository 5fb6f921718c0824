// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

/*
 * Loaders map upwards, the kernel places mappings downwards: there is room on both sides, so that a
 * program with 65,000 mappings costs a few steps each and not a copy of them all.
 */
struct mappings {
	size_t refs;
	struct mapping *room;
	size_t cap;
	struct mapping *list; /* in room */
	size_t n;
	struct code_span code;
};

struct mappings *mappings__ref(struct mappings *m)
{
	if (m)
		m->refs++;
	return m;
}

struct mappings *mappings__unref(struct mappings *m)
{
	if (m && --m->refs == 0) {
		free(m->room);
		free(m);
	}
	return NULL;
}

/* The same list, of one's own, with room for a few more on both sides. */
static struct mappings *fresh_copy(const struct mappings *m)
{
	struct mappings *fresh = xcalloc(1, sizeof(*fresh));
	size_t n = m ? m->n : 0;

	fresh->refs = 1;
	fresh->cap = 2 * n + 16;
	fresh->room = xcalloc(fresh->cap, sizeof(*fresh->room));
	fresh->list = fresh->room + (fresh->cap - n) / 2;
	fresh->n = n;
	fresh->code = m ? m->code : (struct code_span){0};
	if (n)
		memcpy(fresh->list, m->list, n * sizeof(*m->list));
	return fresh;
}

/* The first that ends above addr. */
static size_t first_above(const struct mappings *m, uint64_t addr)
{
	return FIRST_INDEX(i, m->n, m->list[i].end > addr);
}

/* Puts n mappings in the place of those from `from` to `to`; the shorter side of the list moves. */
static struct mappings *splice(struct mappings *m, size_t from, size_t to,
			       const struct mapping *with, size_t n)
{
	size_t after = m->n - to, front = (size_t)(m->list - m->room), old = to - from;

	if ((from <= after ? front : m->cap - front - m->n) + old < n) {
		struct mappings *larger = fresh_copy(m);

		mappings__unref(m);
		return splice(larger, from, to, with, n);
	}
	if (from <= after) {
		struct mapping *list = m->list + old - n;

		memmove(list, m->list, from * sizeof(*list));
		m->list = list;
	} else {
		memmove(m->list + from + n, m->list + to, after * sizeof(*m->list));
	}
	m->n += n - old;
	memcpy(m->list + from, with, n * sizeof(*with));
	return m;
}

struct mappings *mappings__put_code(struct mappings *m, const struct code_span *code)
{
	if (!m || m->refs > 1) {
		struct mappings *own = fresh_copy(m);

		mappings__unref(m);
		m = own;
	}
	m->code = *code;
	return m;
}

struct code_span mappings__code(const struct mappings *m)
{
	return m ? m->code : (struct code_span){0};
}

bool mappings__unwound_by(const struct mappings *m, const struct mapping *at, uint32_t *ret_file,
			  uint64_t *ret_off)
{
	const struct code_span *code = &m->code;
	bool in_span = code->file && !at->file && !at->uprobes && at->start >= code->from &&
		       at->end <= code->to;

	*ret_file = in_span ? code->file : at->file;
	*ret_off = in_span ? at->start : at->file_off;
	return in_span;
}

/* What is left of the old ones on both sides of `add`, and `add` itself between them. */
struct mappings *mappings__add(struct mappings *m, const struct mapping *add)
{
	struct mapping with[3];
	size_t from, to, n = 0;

	if (!m || m->refs > 1) {
		struct mappings *own = fresh_copy(m);

		mappings__unref(m);
		m = own;
	}
	if (add->start >= add->end)
		return m;
	from = to = first_above(m, add->start);
	while (to < m->n && m->list[to].start < add->end)
		to++;
	if (from < to && m->list[from].start < add->start) {
		with[n] = m->list[from];
		with[n++].end = add->start;
	}
	with[n++] = *add;
	if (from < to && m->list[to - 1].end > add->end) {
		with[n] = m->list[to - 1];
		with[n].file_off += add->end - with[n].start;
		with[n++].start = add->end;
	}
	return splice(m, from, to, with, n);
}

const struct mapping *mappings__find(const struct mappings *m, uint64_t addr)
{
	size_t at = m ? first_above(m, addr) : 0;

	return m && at < m->n && m->list[at].start <= addr ? &m->list[at] : NULL;
}

const struct mapping *mappings__below(const struct mappings *m, uint64_t addr)
{
	for (size_t at = m ? first_above(m, addr) : 0; at-- > 0;) {
		if (m->list[at].file)
			return &m->list[at];
	}
	return NULL;
}

bool mappings__equal(const struct mappings *a, const struct mappings *b)
{
	size_t n = mappings__count(a);

	if (n != mappings__count(b))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct mapping *x = &a->list[i], *y = &b->list[i];

		if (x->start != y->start || x->end != y->end || x->file_off != y->file_off ||
		    x->file != y->file)
			return false;
	}
	return true;
}

size_t mappings__count(const struct mappings *m)
{
	return m ? m->n : 0;
}

const struct mapping *mappings__at(const struct mappings *m, size_t index)
{
	return &m->list[index];
}
