// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: symbols without a size. One ends where the next symbol starts, whichever that is,
 * and covers nothing at all if it stands inside one whose size is known. So for the addresses that
 * no sized one covers, a second pass looks for the symbol that starts last before them, and a third
 * for what stands around its start.
 */
#include "symd/elf_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/elf_go.h"
#include "symd/elf_plt.h"

enum {
	RANK_OPEN = 1024, /* above all other parts of a rank */
	READS_MAX = 1 << 18,
	READS_FOR_ONE = 4,
};

static void add(struct elf_names *n, const struct elf_bytes *from, Elf_Scn *scn, bool is_whole)
{
	struct elf_symbols *table = &n->tables[n->n_tables];

	if (scn && elf_symbols__open(table, from, scn, is_whole))
		n->n_tables++;
	else if (scn)
		elf_symbols__close(table);
}

void elf_names__add_symtab(struct elf_names *n, const struct elf_bytes *from, Elf_Scn *scn)
{
	add(n, from, scn, true);
}

void elf_names__add_dynsym(struct elf_names *n, const struct elf_bytes *from, Elf_Scn *scn,
			   bool with_stubs)
{
	size_t before = n->n_tables;

	add(n, from, scn, false);
	if (!with_stubs || n->n_tables == before)
		return;
	n->stubs = *from;
	n->stub_names = (uint8_t)before;
}

void elf_names__done(struct elf_names *n)
{
	for (size_t i = 0; i < n->n_tables; i++)
		elf_symbols__close(&n->tables[i]);
	asked__done(&n->asked);
	buf__done(&n->scratch);
	*n = (struct elf_names){0};
}

static bool read_name(void *ctx, struct candidate *c)
{
	struct elf_names *n = ctx;

	return elf_symbols__rank(&n->tables[c->table], c);
}

static int compare_names(void *ctx, const struct candidate *a, const struct candidate *b)
{
	struct elf_names *n = ctx;
	const char *name;
	size_t len;

	if (a->table == b->table && a->name == b->name)
		return 0;
	name = elf_strings__at(&n->tables[a->table].strings, a->name, &len);
	buf__clear(&n->scratch);
	buf__add(&n->scratch, name, name && len >= a->len ? a->len : 0);
	name = elf_strings__at(&n->tables[b->table].strings, b->name, &len);
	if (!name || len < b->len || n->scratch.len < b->len)
		return 0; /* the file has changed */
	return memcmp(n->scratch.data, name, b->len);
}

struct pass {
	struct elf_names *names;
	struct asked *asked;
	uint8_t table;
};

static struct candidate candidate_of(const struct pass *p, const struct elf_symbol *s)
{
	return (struct candidate){
		.start = s->start,
		.end = s->end,
		.name = s->name,
		.rank = s->rank,
		.table = p->table,
		.prio = s->has_size,
	};
}

/* Those that say where they end. */
static void offer_sized(void *ctx, const struct elf_symbol *s)
{
	struct pass *p = ctx;
	struct candidate c = candidate_of(p, s);
	size_t i;

	if (s->is_open) {
		p->names->n_open++;
		return;
	}
	if (s->needs_extent) {
		i = asked__from(p->asked, s->start);
		if (i == p->asked->n || p->asked->addrs[i] >= s->end)
			return;
		c.end = s->start + elf_symbols__extent(&p->names->tables[p->table], s);
	}
	asked__offer(p->asked, c, c.end);
}

/* For each address, what starts last before it. */
static void offer_start(void *ctx, const struct elf_symbol *s)
{
	struct pass *p = ctx;
	struct candidate c = candidate_of(p, s);

	c.prio = 0;
	c.rank += s->is_open ? RANK_OPEN : 0;
	asked__offer(p->asked, c, UINT64_MAX);
}

/* One byte doesn't cover anything: it may be the same symbol, read again from .dynsym. */
static void offer_cover(void *ctx, const struct elf_symbol *s)
{
	if (!s->is_open && s->end - s->start > 1)
		offer_sized(ctx, s);
}

static void pass(struct elf_names *n, struct asked *asked, elf_symbol_fn fn)
{
	struct pass p = {.names = n, .asked = asked};

	for (; p.table < n->n_tables; p.table++)
		elf_symbols__each(&n->tables[p.table], fn, &p);
}

static void begin(struct elf_names *n, struct asked *asked, const uint64_t *addrs, size_t n_addrs)
{
	asked__init(asked, addrs, n_addrs);
	asked->name = read_name;
	asked->compare = compare_names;
	asked->ctx = n;
}

/* The addresses that nothing with a size covers: those of n->asked at `which`. */
static size_t find_uncovered(const struct elf_names *n, uint64_t *addrs, size_t *which)
{
	size_t found = 0;

	for (size_t i = 0; i < n->asked.n; i++) {
		const struct candidate *c = asked__best(&n->asked, i);

		if (c->is_set && c->prio)
			continue;
		addrs[found] = n->asked.addrs[i];
		which[found++] = i;
	}
	return found;
}

static void offer_open(struct elf_names *n, const size_t *which, const struct asked *near,
		       const struct asked *around)
{
	for (size_t i = 0; i < near->n; i++) {
		struct candidate c = *asked__best(near, i);
		const struct candidate *cover;

		if (!c.is_set || c.rank < RANK_OPEN || near->addrs[i] >= c.end)
			continue;
		cover = asked__best(around, asked__from(around, c.start));
		if (cover->is_set)
			continue;
		c.rank -= RANK_OPEN;
		asked__offer_one(&n->asked, which[i], c);
	}
}

static void ask_open(struct elf_names *n)
{
	_cleanup_free_ uint64_t *addrs = xcalloc(n->asked.n, sizeof(*addrs));
	_cleanup_free_ size_t *which = xcalloc(n->asked.n, sizeof(*which));
	size_t n_addrs = find_uncovered(n, addrs, which), n_starts = 0;
	struct asked near, around;

	if (!n_addrs)
		return;
	begin(n, &near, addrs, n_addrs);
	pass(n, &near, offer_start);
	asked__settle(&near);
	for (size_t i = 0; i < near.n; i++) {
		const struct candidate *c = asked__best(&near, i);

		if (c->is_set && c->rank >= RANK_OPEN)
			addrs[n_starts++] = c->start;
	}
	begin(n, &around, addrs, n_starts);
	if (n_starts)
		pass(n, &around, offer_cover);
	asked__settle(&around);
	offer_open(n, which, &near, &around);
	asked__done(&near);
	asked__done(&around);
}

void elf_names__ask(struct elf_names *n, const uint64_t *addrs, size_t n_addrs)
{
	asked__done(&n->asked);
	begin(n, &n->asked, addrs, n_addrs);
	for (size_t i = 0; i < n->n_tables; i++)
		n->tables[i].strings.reads_left = READS_MAX;
	n->n_open = 0;
	pass(n, &n->asked, offer_sized);
	asked__settle(&n->asked);
	if (n->stubs.elf)
		elf_plt__offer(&n->stubs, n->tables[n->stub_names].scn, n->stub_names, &n->asked);
	if (n->n_open)
		ask_open(n);
}

bool elf_names__asked(const struct elf_names *n, uint64_t addr)
{
	size_t i = asked__from(&n->asked, addr);

	return i < n->asked.n && n->asked.addrs[i] == addr;
}

bool elf_names__find(struct elf_names *n, uint64_t addr, struct elf_name *ret)
{
	size_t i = asked__from(&n->asked, addr), len;
	const struct candidate *c;
	struct elf_symbols *table;

	if (i == n->asked.n || n->asked.addrs[i] != addr)
		return false;
	c = asked__best(&n->asked, i);
	if (!c->is_set)
		return false;
	table = &n->tables[c->table];
	table->strings.reads_left = READS_FOR_ONE;
	ret->name = elf_strings__at(&table->strings, c->name, &len);
	if (!ret->name || !len)
		return false; /* the file has changed */
	ret->len = c->len < len ? c->len : len;
	ret->plt = c->plt;
	ret->start = c->start;
	ret->end = c->end;
	return true;
}

/* ---- by name */

struct each {
	struct elf_symbols *table;
	const struct elf_string_hits *hits; /* NULL: all names are meant */
	elf_function_fn fn;
	void *ctx;
	bool begins; /* with the text: a hit that doesn't is none */
	bool enough;
};

static bool is_hit(const struct each *e, uint64_t name)
{
	return !e->hits || (e->begins ? elf_string_hits__begins(e->hits, name) :
					elf_string_hits__has(e->hits, name));
}

static void pass_function(void *ctx, const struct elf_symbol *symbol)
{
	struct each *e = ctx;
	const char *name;
	size_t len;

	if (e->enough || !(symbol->rank & ELF_RANK_FUNCTION) || !is_hit(e, symbol->name))
		return;
	name = elf_symbols__name(e->table, symbol->name, &len);
	if (name)
		e->enough = !e->fn(e->ctx, symbol, name, len);
}

static bool pass_all(struct each *e, struct elf_names *n, const char *text, size_t len)
{
	struct elf_string_hits hits = {0};
	bool all = true;

	for (size_t i = 0; i < n->n_tables && !e->enough; i++) {
		e->table = &n->tables[i];
		e->table->strings.reads_left = READS_MAX;
		if (text) {
			elf_strings__with(&e->table->strings, text, len, &hits);
			e->hits = &hits;
			all = all && !hits.is_partial;
		}
		elf_symbols__each(e->table, pass_function, e);
		all = all && e->table->strings.reads_left;
		free(hits.list);
	}
	if (n->go && !e->enough)
		all = elf_go__each(n->go, text, len, e->fn, e->ctx) && all;
	return all && !e->enough;
}

bool elf_names__each(struct elf_names *n, const char *text, size_t len, elf_function_fn fn,
		     void *ctx)
{
	struct each e = {.fn = fn, .ctx = ctx};

	return pass_all(&e, n, text, len);
}

struct search {
	struct elf_named *list;
	size_t n;
};

static bool is(const struct elf_named *named, const char *name, size_t len)
{
	return named->len == len && memcmp(named->name, name, len) == 0;
}

static bool compare(void *ctx, const struct elf_symbol *symbol, const char *name, size_t len)
{
	const struct search *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		struct elf_named *named = &s->list[i];

		if (!is(named, name, len) || (named->n && symbol->start == named->found.start))
			continue;
		if (!named->n++)
			named->found =
				(struct elf_function){symbol->start, symbol->end, symbol->chooses};
	}
	return true;
}

static void look_for(struct elf_names *n, struct elf_named *list, size_t n_list)
{
	struct search s = {.list = list, .n = n_list};
	struct each e = {.fn = compare, .ctx = &s, .begins = true};
	const bool one = n_list == 1;

	pass_all(&e, n, one ? list->name : NULL, one ? list->len : 0);
}

void elf_names__look_for(struct elf_names *n, struct elf_named *list, size_t n_list)
{
	if (n_list)
		look_for(n, list, n_list);
	n->named = list;
	n->n_named = n_list;
}

uint32_t elf_names__named(struct elf_names *n, const char *name, size_t len,
			  struct elf_function *ret)
{
	struct elf_named one = {.name = name, .len = len};

	for (size_t i = 0; i < n->n_named; i++) {
		if (!is(&n->named[i], name, len))
			continue;
		*ret = n->named[i].found;
		return n->named[i].n;
	}
	look_for(n, &one, 1);
	*ret = one.found;
	return one.n;
}
