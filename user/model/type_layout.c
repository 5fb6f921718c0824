// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/type_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "pmubpf/budgets.h"
#include "pmubpf/type_layout.h"

void type_layout__done(struct type_layout *layout)
{
	free(layout->members);
	free(layout->text);
	*layout = (struct type_layout){0};
}

size_t type_layout__parent(const struct type_layout *layout, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		if (layout->members[i].depth < layout->members[n].depth)
			return i;
	}
	return SIZE_MAX;
}

bool type_layout__is_whole(const struct type_layout *layout, size_t n)
{
	return n + 1 < layout->n && layout->members[n + 1].depth > layout->members[n].depth;
}

/* A number, and what ends it. */
static bool take(char **at, char end, uint64_t *ret)
{
	const char *p = *at;

	if (!num__take_u64(&p, ret) || *p != end)
		return false;
	*at += p - *at + 1;
	return true;
}

/* Up to `end`, of which a NUL is made; not empty, and without control characters. */
static bool take_text(char **at, char end, const char **ret)
{
	char *p = *at;

	*ret = p;
	while ((unsigned char)*p >= ' ' && *p != 0x7f)
		p++;
	if (*p != end || p == *at)
		return false;
	*p = '\0';
	*at = p + 1;
	return true;
}

/* In what it is a member of, or in the whole. */
static bool lies_within(const struct type_layout *l, const struct layout_member *m, size_t parent)
{
	const struct layout_member *of = parent == SIZE_MAX ? NULL : &l->members[parent];
	uint64_t from = of ? of->from : 0, size = of ? of->size / of->count : l->size;

	return m->from >= from && m->size && m->size <= size && m->from - from <= size - m->size;
}

static bool take_member(struct type_layout *l, char **at)
{
	struct layout_member m;
	uint64_t depth;

	if (l->n == BUDGET_LAYOUT_MEMBERS || !take(at, '\t', &depth) || !take(at, '\t', &m.from) ||
	    !take(at, '\t', &m.size) || !take(at, '\t', &m.count) ||
	    !take_text(at, '\t', &m.name) || !take_text(at, '\n', &m.type) ||
	    depth > LAYOUT_DEPTH_MAX || !m.count || m.size % m.count)
		return false;
	m.depth = (unsigned)depth;
	if (m.depth > (l->n ? l->members[l->n - 1].depth + 1 : 0))
		return false;
	GROW(l->members, l->n, l->cap);
	l->members[l->n] = m;
	return lies_within(l, &m, type_layout__parent(l, l->n)) && ++l->n;
}

static bool take_size(struct type_layout *l, char **at)
{
	const char *more;

	if (take(at, '\n', &l->size))
		return true;
	if (!take(at, '\t', &l->size) || !take_text(at, '\n', &more))
		return false;
	l->more = true;
	return strcmp(more, "more") == 0;
}

bool type_layout__parse(struct type_layout *ret, const char *text, size_t len)
{
	struct type_layout l = {0};
	char *at;
	bool ok;

	if (len > (size_t)(BUDGET_LAYOUT_KIB + 1) * 1024 || memchr(text, '\0', len))
		return false;
	at = l.text = xstrndup(text, len);
	ok = take_size(&l, &at) && l.size && l.size <= LAYOUT_SIZE_MAX;
	while (ok && *at)
		ok = take_member(&l, &at);
	if (ok && l.n)
		*ret = l;
	else
		type_layout__done(&l);
	return ok && l.n;
}
