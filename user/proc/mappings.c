// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct mappings {
	size_t refs;
	size_t n, cap;
	struct mapping *list;
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
		free(m->list);
		free(m);
	}
	return NULL;
}

static void append(struct mappings *m, const struct mapping *add)
{
	if (add->start >= add->end)
		return;
	GROW(m->list, m->n, m->cap);
	m->list[m->n++] = *add;
}

/* What is left of `old` on both sides of `add`, and `add` itself at its place: a fresh sorted list. */
struct mappings *mappings__add(struct mappings *m, const struct mapping *add)
{
	struct mappings *fresh = xcalloc(1, sizeof(*fresh));
	size_t i = 0, n = m ? m->n : 0;

	fresh->refs = 1;
	for (; i < n && m->list[i].start < add->start; i++) {
		struct mapping left = m->list[i];

		if (left.end > add->start)
			left.end = add->start;
		append(fresh, &left);
	}
	append(fresh, add);
	if (i && m->list[i - 1].end > add->end)
		i--; /* the new one lies inside an older one, whose tail remains */
	for (; i < n; i++) {
		struct mapping right = m->list[i];

		if (right.start < add->end) {
			if (right.end <= add->end)
				continue;
			right.file_off += add->end - right.start;
			right.start = add->end;
		}
		append(fresh, &right);
	}
	mappings__unref(m);
	return fresh;
}

const struct mapping *mappings__find(const struct mappings *m, uint64_t addr)
{
	size_t low = 0, high = m ? m->n : 0;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (addr < m->list[mid].start)
			high = mid;
		else if (addr >= m->list[mid].end)
			low = mid + 1;
		else
			return &m->list[mid];
	}
	return NULL;
}

size_t mappings__count(const struct mappings *m)
{
	return m ? m->n : 0;
}

const struct mapping *mappings__at(const struct mappings *m, size_t index)
{
	return &m->list[index];
}
