// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/unwind_find.h"
#include "unwind/extents.h"

/* A run of the overflow program takes microseconds; a CPU may be held up by its hypervisor. */
static const uint64_t QUIET_NS = 100 * 1000 * 1000;

/* What was taken out, and from what. */
struct leaving {
	struct extents *from;
	uint32_t at, n;
	uint64_t since; /* 0: the next tick says */
};

struct store {
	struct store_memory memory;
	struct extents pages, rules, mappings;
	struct extents rows[PMB_CHUNKS_MAX];
	struct pmb_chunk *chunks[PMB_CHUNKS_MAX];
	uint32_t n_chunks, max_chunks;
	struct leaving *leaving;
	size_t n_leaving, cap_leaving;
	uint32_t lists;
	uint32_t *n_rules; /* by file */
	/* for the table of one file; 0: none */
	struct reserved {
		uint32_t file, pages_at, n_pages, rules_at, n_rules;
	} reserved;
	struct parts *parts;
};

struct store *store__new(const struct store_memory *memory, size_t max_bytes)
{
	struct store *s = xcalloc(1, sizeof(*s));
	size_t chunks = max_bytes / sizeof(struct pmb_chunk);

	s->memory = *memory;
	s->max_chunks = chunks < PMB_CHUNKS_MAX ? (uint32_t)chunks : PMB_CHUNKS_MAX;
	s->n_rules = xcalloc(PMB_FILES_MAX, sizeof(*s->n_rules));
	s->parts = parts__new(memory->who, memory->ctx);
	extents__init(&s->pages, 0, PMB_PAGES_MAX);
	extents__init(&s->rules, 0, PMB_RULES_MAX);
	extents__init(&s->mappings, 0, PMB_MAPPINGS_MAX);
	memory->code->file[0].state = PMB_FILE_FRAMES; /* code in no file: a JIT's */
	memory->code->file[FILE_BEYOND].state = PMB_FILE_NEVER;
	return s;
}

struct store *store__free(struct store *s)
{
	if (!s)
		return NULL;
	extents__done(&s->pages);
	extents__done(&s->rules);
	extents__done(&s->mappings);
	for (uint32_t i = 0; i < s->n_chunks; i++)
		extents__done(&s->rows[i]);
	parts__free(s->parts);
	free(s->leaving);
	free(s->n_rules);
	free(s);
	return NULL;
}

static void leave(struct store *s, struct extents *from, uint32_t at, uint32_t n)
{
	if (!n)
		return;
	GROW(s->leaving, s->n_leaving, s->cap_leaving);
	s->leaving[s->n_leaving++] = (struct leaving){from, at, n, 0};
}

void store__tick(struct store *s, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_leaving; i++) {
		struct leaving *l = &s->leaving[i];

		if (!l->since)
			l->since = now_ns;
		if (now_ns - l->since >= QUIET_NS)
			extents__give(l->from, l->at, l->n);
		else
			s->leaving[kept++] = *l;
	}
	s->n_leaving = kept;
}

static bool new_chunk(struct store *s)
{
	struct pmb_chunk *chunk;

	if (s->n_chunks == s->max_chunks)
		return false;
	chunk = s->memory.new_chunk(s->memory.ctx, s->n_chunks);
	if (!chunk) {
		s->max_chunks = s->n_chunks; /* the kernel gives no more */
		return false;
	}
	s->chunks[s->n_chunks] = chunk;
	extents__init(&s->rows[s->n_chunks], 0, PMB_CHUNK_ROWS);
	s->n_chunks++;
	return true;
}

/* Where the rows of a page go, counted through all chunks. */
static uint32_t take_rows(struct store *s, uint32_t n)
{
	uint32_t at;

	for (uint32_t i = 0; i < s->n_chunks || new_chunk(s); i++) {
		at = extents__take(&s->rows[i], n);
		if (at != EXTENT_NONE)
			return i * PMB_CHUNK_ROWS + at;
	}
	return EXTENT_NONE;
}

/* Each page's rows at their place; how many pages found one. */
static uint32_t put_pages(struct store *s, uint32_t pages_at, const struct unwind_table *t)
{
	struct pmb_unwind_page *to = &s->memory.code->page[pages_at];
	uint32_t at;

	for (uint32_t i = 0; i < t->head.n_pages; i++) {
		const struct pmb_unwind_page *page = &t->pages[i];

		to[i] = (struct pmb_unwind_page){0};
		if (!page->n)
			continue;
		at = take_rows(s, page->n);
		if (at == EXTENT_NONE)
			return i;
		memcpy(&s->chunks[at / PMB_CHUNK_ROWS]->row[at % PMB_CHUNK_ROWS],
		       &t->rows[page->first], page->n * sizeof(*t->rows));
		to[i] = (struct pmb_unwind_page){at, page->n};
	}
	return t->head.n_pages;
}

static void leave_pages(struct store *s, uint32_t at, uint32_t n)
{
	const struct pmb_unwind_page *pages = &s->memory.code->page[at];

	for (uint32_t i = 0; i < n; i++)
		leave(s, &s->rows[pages[i].first / PMB_CHUNK_ROWS], pages[i].first % PMB_CHUNK_ROWS,
		      pages[i].n);
}

struct table_room store__room(const struct store *s)
{
	return (struct table_room){PMB_PAGES_MAX, PMB_RULES_MAX, s->max_chunks * PMB_CHUNK_ROWS};
}

struct table_offsets store__offsets(const struct store *s, uint32_t file)
{
	const struct pmb_unwind_file *f = &s->memory.code->file[file];

	return (struct table_offsets){f->pages_at, f->rules_at};
}

/* Pages and rules: both, or none. */
static bool take_room(struct store *s, uint32_t n_pages, uint32_t n_rules, uint32_t *ret_pages,
		      uint32_t *ret_rules)
{
	*ret_pages = extents__take(&s->pages, n_pages);
	*ret_rules = extents__take(&s->rules, n_rules);
	if (*ret_pages != EXTENT_NONE && *ret_rules != EXTENT_NONE)
		return true;
	if (*ret_pages != EXTENT_NONE)
		extents__give(&s->pages, *ret_pages, n_pages);
	if (*ret_rules != EXTENT_NONE)
		extents__give(&s->rules, *ret_rules, n_rules);
	return false;
}

bool store__reserve(struct store *s, uint32_t file, const struct table_room *need)
{
	struct reserved r = {.file = file, .n_pages = need->pages, .n_rules = need->rules};

	store__unreserve(s);
	if (!take_room(s, r.n_pages, r.n_rules, &r.pages_at, &r.rules_at))
		return false;
	s->reserved = r;
	return true;
}

bool store__is_reserved(const struct store *s)
{
	return s->reserved.file;
}

void store__unreserve(struct store *s)
{
	const struct reserved *r = &s->reserved;

	if (!r->file)
		return;
	extents__give(&s->pages, r->pages_at, r->n_pages);
	extents__give(&s->rules, r->rules_at, r->n_rules);
	s->reserved.file = 0;
}

bool store__put(struct store *s, uint32_t file, const struct unwind_table *t)
{
	struct pmb_unwind_file *f;
	uint32_t pages_at, rules_at, n;

	if (file >= FILE_BEYOND || !t->head.n_pages || !t->head.n_rules)
		return false;
	store__forget(s, file);
	if (s->reserved.file == file)
		store__unreserve(s);
	if (!take_room(s, t->head.n_pages, t->head.n_rules, &pages_at, &rules_at))
		return false;
	n = put_pages(s, pages_at, t);
	if (n < t->head.n_pages) {
		leave_pages(s, pages_at, n);
		leave(s, &s->pages, pages_at, t->head.n_pages);
		leave(s, &s->rules, rules_at, t->head.n_rules);
		return false;
	}
	memcpy(&s->memory.code->rule[rules_at], t->rules, t->head.n_rules * sizeof(*t->rules));
	s->n_rules[file] = t->head.n_rules;
	f = &s->memory.code->file[file];
	f->first_page = t->head.first_page;
	f->n_pages = t->head.n_pages;
	f->pages_at = pages_at;
	f->rules_at = rules_at;
	__atomic_store_n(&f->state, PMB_FILE_TABLE, __ATOMIC_RELEASE);
	return true;
}

bool store__put_growing(struct store *s, uint32_t file, const struct unwind_table *t)
{
	if (!store__put(s, file, t))
		return false;
	__atomic_store_n(&s->memory.code->file[file].state, PMB_FILE_GROWS, __ATOMIC_RELEASE);
	return true;
}

static void put_state(struct store *s, uint32_t file, enum pmb_file_state state)
{
	if (file >= FILE_BEYOND)
		return;
	store__forget(s, file);
	__atomic_store_n(&s->memory.code->file[file].state, state, __ATOMIC_RELEASE);
}

void store__put_frames(struct store *s, uint32_t file)
{
	put_state(s, file, PMB_FILE_FRAMES);
}

void store__never(struct store *s, uint32_t file)
{
	put_state(s, file, PMB_FILE_NEVER);
}

void store__forget(struct store *s, uint32_t file)
{
	struct pmb_unwind_file *f = &s->memory.code->file[file];

	if (!file || file >= FILE_BEYOND || f->state == PMB_FILE_NONE)
		return;
	if (f->state == PMB_FILE_TABLE || f->state == PMB_FILE_GROWS) {
		leave_pages(s, f->pages_at, f->n_pages);
		leave(s, &s->pages, f->pages_at, f->n_pages);
		leave(s, &s->rules, f->rules_at, s->n_rules[file]);
	}
	__atomic_store_n(&f->state, PMB_FILE_NONE, __ATOMIC_RELEASE);
}

uint32_t store__number(const struct store *s, uint32_t file, uint64_t off)
{
	return parts__number(s->parts, file, off);
}

uint32_t store__number_of(const struct store *s, const struct mappings *mappings,
			  const struct mapping *m, uint64_t addr, uint64_t *ret_off)
{
	uint32_t file;
	bool whole = mappings__unwound_by(mappings, m, &file, ret_off);

	*ret_off += addr - m->start;
	return whole ? file : store__number(s, file, *ret_off);
}

uint32_t store__file(const struct store *s, uint32_t number, uint64_t *ret_from, uint64_t *ret_to)
{
	return parts__file(s->parts, number, ret_from, ret_to);
}

void store__forget_file(struct store *s, uint32_t file)
{
	uint64_t from, to;

	if (file >= PART_FIRST)
		return;
	store__forget(s, file);
	for (uint32_t i = PART_FIRST; i < FILE_BEYOND; i++) {
		if (parts__file(s->parts, i, &from, &to) == file)
			store__forget(s, i);
	}
	parts__forget(s->parts, file);
}

enum pmb_file_state store__state(const struct store *s, uint32_t file)
{
	return file < FILE_BEYOND ? (enum pmb_file_state)s->memory.code->file[file].state :
				    PMB_FILE_NEVER;
}

struct pmb_unwind_rule store__rule(const struct store *s, uint32_t file, uint64_t off)
{
	const struct pmb_unwind_file *f = &s->memory.code->file[file];
	uint64_t page = (off >> PMB_PAGE_SHIFT) - f->first_page;
	struct pmb_unwind_page p;
	const __u32 *rows;
	__u32 row;

	if (page >= f->n_pages)
		return (struct pmb_unwind_rule){.cfa = PMB_CFA_NONE};
	p = s->memory.code->page[f->pages_at + page];
	if (!p.n)
		return (struct pmb_unwind_rule){.cfa = PMB_CFA_NONE};
	rows = &s->chunks[p.first / PMB_CHUNK_ROWS]->row[p.first % PMB_CHUNK_ROWS];
	row = unwind_find(rows, 0, ~0U, p.n, off & (PMB_UNWIND_ROW_MAX - 1));
	return s->memory.code->rule[f->rules_at + PMB_ROW_RULE(row)];
}

/* Where in a mapping the part of its file ends that `at` is in; what has no number of its own is
 * not divided. */
static uint64_t part_end(const struct store *s, const struct mapping *m, uint64_t at)
{
	uint64_t left = (1ULL << PART_SHIFT) - (m->file_off + (at - m->start)) % (1 << PART_SHIFT);

	if (store__number(s, m->file, m->file_off + (at - m->start)) == FILE_BEYOND || !m->file)
		return m->end;
	return left < m->end - at ? at + left : m->end;
}

/* The parts of the first n mappings; to: NULL, or where they go. Returns how many. */
static size_t put_mappings(const struct store *s, const struct mappings *mappings, size_t n,
			   uint32_t list, struct pmb_mapping *to)
{
	size_t done = 0;

	for (size_t i = 0; i < n && done <= PMB_LIST_MAX; i++) {
		const struct mapping *m = mappings__at(mappings, i);
		uint64_t end;

		for (uint64_t at = m->start; at < m->end; at = end, done++) {
			uint64_t off;
			uint32_t number = store__number_of(s, mappings, m, at, &off);

			end = part_end(s, m, at);
			if (to)
				to[done] = (struct pmb_mapping){at, end, off, number, list};
		}
	}
	return done;
}

bool store__put_list(struct store *s, const struct mappings *mappings, struct pmb_process *ret)
{
	size_t n = mappings__count(mappings), parts;
	uint32_t at;

	/* [vsyscall] is the kernel's; the search of the overflow program knows the lower half
	 * only */
	while (n && mappings__at(mappings, n - 1)->end > INT64_MAX)
		n--;

	*ret = (struct pmb_process){0};
	if (!n)
		return true;
	parts = put_mappings(s, mappings, n, 0, NULL);
	if (!parts || parts > PMB_LIST_MAX)
		return !parts;
	at = extents__take(&s->mappings, (uint32_t)parts);
	if (at == EXTENT_NONE)
		return false;
	*ret = (struct pmb_process){.at = at, .n = (uint32_t)parts, .list = ++s->lists};
	put_mappings(s, mappings, n, ret->list, &s->memory.mappings->of[at]);
	return true;
}

void store__forget_list(struct store *s, const struct pmb_process *list)
{
	leave(s, &s->mappings, list->at, list->n);
}

bool store__makes_room(const struct store *s)
{
	if (s->reserved.file)
		return false;
	for (size_t i = 0; i < s->n_leaving; i++) {
		if (s->leaving[i].from != &s->mappings)
			return true;
	}
	return false;
}

size_t store__lists_leaving(const struct store *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_leaving; i++)
		n += s->leaving[i].from == &s->mappings ? s->leaving[i].n : 0;
	return n;
}

size_t store__bytes(const struct store *s)
{
	size_t rows = 0;

	for (uint32_t i = 0; i < s->n_chunks; i++)
		rows += s->rows[i].used;
	return rows * sizeof(__u32) + s->pages.used * sizeof(struct pmb_unwind_page) +
	       s->rules.used * sizeof(struct pmb_unwind_rule) +
	       s->mappings.used * sizeof(struct pmb_mapping);
}
