// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is arrays: a member of an element is in as many places as there are elements, and
 * a file may say that there are any number of them. Beyond a bound the array's bytes all count.
 */
#include "prof/layout_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/type_layout.h"
#include "prof/data_access.h"
#include "prof/layouts.h"
#include "prof/sharing.h"

enum {
	PLACED_MAX = 1 << 20, /* bytes of a type; a byte of memory each */
	PLACES_MAX = 1 << 18, /* of all hot members in an object */
	BESIDES_MAX = 64,
};

void layout_use__done(struct layout_use *use)
{
	free(use->own);
	free(use->within);
	free(use->besides);
	free(use->hot.list);
	*use = (struct layout_use){0};
}

/* ---- who was used */

static void add(struct use *to, const struct use *use)
{
	to->value += use->value;
	to->loads += use->loads;
	to->stores += use->stores;
}

static struct use use_of(const struct prof *p, size_t sample, size_t type)
{
	uint32_t labels = p->samples[sample].labels;
	struct data_access access = prof__data_access(p, labels);
	int64_t value = prof__values(p, sample)[type];

	return (struct use){value, access.loads ? value : 0, access.stores ? value : 0};
}

/* SIZE_MAX: none of the members is called so. */
static size_t member_of(const struct type_layout *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->members[i].name, name) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* Those beyond the bound are one, of no name. */
static struct use *besides_of(struct layout_use *u, const char *name)
{
	for (size_t i = 0; i < u->n_besides; i++) {
		if (strcmp(u->besides[i].name, name) == 0)
			return &u->besides[i].use;
	}
	if (u->n_besides > BESIDES_MAX)
		return &u->besides[BESIDES_MAX].use;
	GROW(u->besides, u->n_besides, u->cap_besides);
	u->besides[u->n_besides] =
		(struct use_besides){.name = u->n_besides < BESIDES_MAX ? name : ""};
	return &u->besides[u->n_besides++].use;
}

static void count(struct layout_use *u, const struct prof *p, const char *id, size_t type)
{
	/* of each text: 1 + the member; 0: nobody looked */
	_cleanup_free_ size_t *members = xcalloc(intern__count(&p->strings) + 1, sizeof(*members));

	for (size_t i = 0; i < p->n_samples; i++) {
		uint32_t labels = p->samples[i].labels;
		const struct prof_label *name = prof__label(p, labels, "member");
		uint32_t text = name ? name->text : 0;
		struct use use;

		if (strcmp(prof__label_text(p, labels, PROF_LAYOUT), id) != 0)
			continue;
		use = use_of(p, i, type);
		if (!members[text])
			members[text] = 1 + member_of(u->layout, prof__text(p, text));
		add(&u->whole, &use);
		add(members[text] ? &u->own[members[text] - 1] : besides_of(u, prof__text(p, text)),
		    &use);
	}
}

/* Members come after what they are in. */
static void add_up(struct layout_use *u)
{
	const struct type_layout *l = u->layout;

	memcpy(u->within, u->own, l->n * sizeof(*u->own));
	for (size_t i = l->n; i-- > 0;) {
		size_t parent = type_layout__parent(l, i);

		if (parent != SIZE_MAX)
			add(&u->within[parent], &u->within[i]);
	}
}

/* ---- where they lie */

struct placer {
	const struct type_layout *layout;
	size_t chain[LAYOUT_DEPTH_MAX + 1]; /* what the member is in, outermost first */
	size_t n;
	const struct layout_member *member;
	bool *bytes;
	unsigned places; /* of all members so far */
};

static void mark(const struct placer *p, uint64_t from, uint64_t size)
{
	memset(p->bytes + from, true, size);
}

/* In each element of the k-th and of those that are in it, whose first begins `shift` further. */
static void place(struct placer *p, size_t k, uint64_t shift)
{
	const struct layout_member *in;

	if (k == p->n) {
		mark(p, p->member->from + shift, p->member->size);
		p->places++;
		return;
	}
	in = &p->layout->members[p->chain[k]];
	for (uint64_t i = 0; i < in->count; i++) {
		if (in->count > 1 && p->places >= PLACES_MAX) {
			mark(p, in->from + shift, in->size);
			return;
		}
		place(p, k + 1, shift + i * (in->size / in->count));
	}
}

static void place_member(struct placer *p, size_t member)
{
	const struct type_layout *l = p->layout;
	size_t chain[LAYOUT_DEPTH_MAX + 1];

	p->member = &l->members[member];
	p->n = 0;
	for (size_t i = type_layout__parent(l, member); i != SIZE_MAX && p->n <= LAYOUT_DEPTH_MAX;
	     i = type_layout__parent(l, i))
		chain[p->n++] = i;
	for (size_t i = 0; i < p->n; i++)
		p->chain[i] = chain[p->n - 1 - i];
	place(p, 0, 0);
}

static void place_hot(struct layout_use *u)
{
	const struct type_layout *l = u->layout;
	struct hot_members *h = &u->hot;
	_cleanup_free_ bool *bytes = NULL;
	struct placer p = {.layout = l};
	uint64_t last = UINT64_MAX;

	if (l->size > PLACED_MAX)
		return;
	p.bytes = bytes = xcalloc(l->size, sizeof(*bytes));
	for (size_t i = 0; i < h->n; i++)
		place_member(&p, h->list[i]);
	for (uint64_t i = 0; i < l->size; i++) {
		if (!bytes[i])
			continue;
		h->bytes++;
		h->lines += i / PROF_CACHE_LINE != last;
		last = i / PROF_CACHE_LINE;
	}
	h->needed = (h->bytes + PROF_CACHE_LINE - 1) / PROF_CACHE_LINE;
	h->placed = true;
}

static int by_value(const void *pa, const void *pb, void *ctx)
{
	const struct use *own = ctx;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;

	return own[a].value != own[b].value ? CMP3(own[b].value, own[a].value) : CMP3(a, b);
}

static void find_hot(struct layout_use *u)
{
	struct hot_members *h = &u->hot;
	size_t n = 0;

	h->list = xcalloc(u->layout->n, sizeof(*h->list));
	for (size_t i = 0; i < u->layout->n; i++) {
		if (u->own[i].value > 0)
			h->list[n++] = i;
	}
	if (n)
		qsort_r(h->list, n, sizeof(*h->list), by_value, u->own);
	while (h->n < n && (double)h->value < HOT_SHARE * (double)u->whole.value)
		h->value += u->own[h->list[h->n++]].value;
	place_hot(u);
}

void layout_use__count(struct layout_use *ret, const struct type_layout *layout,
		       const struct prof *prof, const char *id, size_t type)
{
	*ret = (struct layout_use){.layout = layout};
	ret->own = xcalloc(layout->n, sizeof(*ret->own));
	ret->within = xcalloc(layout->n, sizeof(*ret->within));
	count(ret, prof, id, type);
	add_up(ret);
	find_hot(ret);
}

bool layout_use__is_hot(const struct layout_use *use, size_t member)
{
	for (size_t i = 0; i < use->hot.n; i++) {
		if (use->hot.list[i] == member)
			return true;
	}
	return false;
}

/* ---- where nothing lies */

struct hole_finder {
	const struct type_layout *layout;
	struct layout_hole *list;
	size_t n, cap;
};

static void add_hole(struct hole_finder *f, struct layout_hole hole, uint64_t to)
{
	if (hole.from >= to)
		return;
	hole.size = to - hole.from;
	GROW(f->list, f->n, f->cap);
	f->list[f->n++] = hole;
}

static bool is_union(const struct layout_member *m)
{
	const char *at = strstr(m->name, "(several)");

	return at && !at[strlen("(several)")];
}

/* Between the members from `first` on, one level deeper than `in`. Returns where they end. */
static size_t find_holes(struct hole_finder *f, size_t first, size_t in)
{
	const struct type_layout *l = f->layout;
	const struct layout_member *of = in == SIZE_MAX ? NULL : &l->members[in];
	unsigned depth = of ? of->depth + 1 : 0;
	uint64_t from = of ? of->from : 0, to = from + (of ? of->size / of->count : l->size);
	bool several = of && is_union(of);
	size_t i = first;

	while (i < l->n && l->members[i].depth >= depth) {
		const struct layout_member *m = &l->members[i];

		if (!several)
			add_hole(f, (struct layout_hole){.before = i, .in = in, .from = from},
				 m->from);
		if (m->from + m->size > from)
			from = m->from + m->size;
		i = type_layout__is_whole(l, i) ? find_holes(f, i + 1, i) : i + 1;
	}
	if (!several)
		add_hole(f, (struct layout_hole){.before = i, .in = in, .from = from, .last = true},
			 to);
	return i;
}

static int by_place(const void *pa, const void *pb)
{
	const struct layout_hole *a = pa, *b = pb;

	return a->before != b->before ? CMP3(a->before, b->before) : CMP3(a->from, b->from);
}

size_t layout_holes(const struct type_layout *layout, struct layout_hole **ret)
{
	struct hole_finder f = {.layout = layout};

	if (!layout->more)
		find_holes(&f, 0, SIZE_MAX);
	if (f.n)
		qsort(f.list, f.n, sizeof(*f.list), by_place);
	*ret = f.list;
	return f.n;
}
