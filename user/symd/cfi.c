// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: order. Rows must come out by offset in the file, but FDEs stand in any order, so
 * a first pass notes where each begins (24 bytes for each function), and the second runs their
 * programs in the order of the code.
 */
#include "symd/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/cfi_program.h"

enum {
	CODE_MAX = 256,
	FIXED_MAX = 16,
	CIES_CACHED = 16,
	SECTION_FIXED = CFI_SECTIONS_MAX, /* as a section's number: not of a section */
	NO_SECTION = 0xff,
};

struct entry {
	uint64_t start, end; /* offsets in the file */
	uint32_t at;         /* in its section, or the number of a fixed rule */
	uint32_t section;
};

struct cached_cie {
	struct cfi_cie cie;
	uint8_t section;
	bool good;
};

struct cfi {
	enum cfi_machine machine;
	struct cfi_code code[CODE_MAX];
	size_t n_code;
	struct cfi_section sections[CFI_SECTIONS_MAX];
	size_t n_sections;
	struct entry *entries;
	size_t n_entries, cap_entries;
	size_t n_seen; /* also those that aren't wanted */
	struct pmb_unwind_rule fixed[FIXED_MAX];
	size_t n_fixed;
	struct cached_cie cies[CIES_CACHED];
	struct cfi_rows rows;
	cfi_fill_fn fill;       /* NULL: the gap's rule holds for all of it */
	cfi_fill_fn fill_small; /* NULL: it is padding */
	bool fill_anywhere;
	void *fill_ctx;
	uint64_t entry_point;       /* an offset in the file; 0: none */
	uint64_t from, to;          /* offsets in the file: what is wanted */
	struct entry before, after; /* its neighbours; end 0: none */
	uint32_t n_bad;
};

struct cfi *cfi__new(enum cfi_machine machine, const struct cfi_code *code, size_t n_code)
{
	struct cfi *cfi = xcalloc(1, sizeof(*cfi));

	cfi->machine = machine;
	cfi->to = UINT64_MAX;
	cfi->n_code = n_code < CODE_MAX ? n_code : CODE_MAX;
	memcpy(cfi->code, code, cfi->n_code * sizeof(*code));
	for (size_t i = 0; i < CIES_CACHED; i++)
		cfi->cies[i].section = NO_SECTION;
	return cfi;
}

struct cfi *cfi__free(struct cfi *cfi)
{
	if (!cfi)
		return NULL;
	free(cfi->entries);
	free(cfi->rows.rows);
	free(cfi);
	return NULL;
}

void cfi__set_fill(struct cfi *cfi, cfi_fill_fn fill, bool anywhere, void *ctx)
{
	cfi->fill = fill;
	cfi->fill_anywhere = anywhere;
	cfi->fill_ctx = ctx;
}

void cfi__set_fill_small(struct cfi *cfi, cfi_fill_fn fill)
{
	cfi->fill_small = fill;
}

size_t cfi__n_entries(const struct cfi *cfi)
{
	return cfi->n_seen;
}

static const struct cfi_cie *cfi__cie(struct cfi *cfi, uint8_t section, size_t at)
{
	struct cached_cie *cached = &cfi->cies[(at / 4 + section) % CIES_CACHED];
	const struct cfi_section *s = &cfi->sections[section];

	if (cached->section != section || cached->cie.at != at) {
		cached->section = section;
		cached->good = cfi_cie__read(s, at, &cached->cie) &&
			       cfi_program__initial(cfi->machine, s, &cached->cie);
		cached->cie.at = at;
	}
	return cached->good ? &cached->cie : NULL;
}

/* Fixed ones first, then by section: who comes first at a place has it. */
static int by_start(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	bool a_fixed = a->section == SECTION_FIXED, b_fixed = b->section == SECTION_FIXED;

	if (a->start != b->start)
		return CMP3(a->start, b->start);
	if (a_fixed != b_fixed)
		return a_fixed ? -1 : 1;
	return a->section != b->section ? CMP3(a->section, b->section) : CMP3(a->at, b->at);
}

void cfi__set_range(struct cfi *cfi, uint64_t from, uint64_t to)
{
	cfi->from = from;
	cfi->to = to;
}

static int keep_entry(struct cfi *cfi, const struct entry *entry)
{
	cfi->n_seen++;
	if (entry->end <= cfi->from) {
		if (entry->end > cfi->before.end)
			cfi->before = *entry;
		return 0;
	}
	if (entry->start >= cfi->to) {
		if (!cfi->after.end || by_start(entry, &cfi->after) < 0)
			cfi->after = *entry;
		return 0;
	}
	if (cfi->n_entries >= CFI_ENTRIES_MAX)
		return -EFBIG;
	GROW(cfi->entries, cfi->n_entries, cfi->cap_entries);
	cfi->entries[cfi->n_entries++] = *entry;
	return 0;
}

static int cfi__add_entry(struct cfi *cfi, uint64_t vaddr, uint64_t end, uint32_t section,
			  uint32_t at)
{
	for (size_t i = 0; i < cfi->n_code; i++) {
		const struct cfi_code *code = &cfi->code[i];
		uint64_t skew = vaddr - code->vaddr, size = end - vaddr;

		if (vaddr < code->vaddr || skew >= code->size)
			continue;
		return keep_entry(cfi,
				  &(struct entry){
					  .start = code->file_off + skew,
					  .end = code->file_off + skew +
						 (size < code->size - skew ? size :
									     code->size - skew),
					  .at = at,
					  .section = section,
				  });
	}
	/* Linkers put the FDEs of functions that they dropped at 0. */
	cfi->n_bad += vaddr != 0;
	return 0;
}

static int cfi__add_fde(struct cfi *cfi, uint8_t section, const struct cfi_entry *entry)
{
	const struct cfi_cie *cie = cfi__cie(cfi, section, entry->cie_at);
	struct cfi_fde fde;

	if (!cie || !cfi_fde__read(&cfi->sections[section], entry, cie, &fde)) {
		cfi->n_bad++;
		return 0;
	}
	if (fde.start == fde.end)
		return 0;
	return cfi__add_entry(cfi, fde.start, fde.end, section, (uint32_t)entry->at);
}

int cfi__add_section(struct cfi *cfi, const struct cfi_section *section)
{
	uint8_t number = (uint8_t)cfi->n_sections;
	struct cfi_entry entry;
	int r;

	if (cfi->n_sections >= CFI_SECTIONS_MAX || section->len > CFI_SECTION_MAX)
		return -EFBIG;
	cfi->sections[cfi->n_sections++] = *section;
	for (size_t at = 0; (r = cfi_entry__next(section, at, &entry)) > 0; at = entry.next) {
		if (!entry.is_cie) {
			r = cfi__add_fde(cfi, number, &entry);
			if (r < 0)
				return r;
		}
	}
	/* What follows such an entry can't be found. */
	cfi->n_bad += r < 0;
	return 0;
}

int cfi__add_fixed(struct cfi *cfi, uint64_t vaddr, uint64_t size,
		   const struct pmb_unwind_rule *rule)
{
	if (cfi->n_fixed >= FIXED_MAX || !size || vaddr + size < vaddr)
		return -EFBIG;
	cfi->fixed[cfi->n_fixed] = *rule;
	return cfi__add_entry(cfi, vaddr, vaddr + size, SECTION_FIXED, (uint32_t)cfi->n_fixed++);
}

void cfi__set_entry_point(struct cfi *cfi, uint64_t vaddr)
{
	for (size_t i = 0; i < cfi->n_code; i++) {
		const struct cfi_code *code = &cfi->code[i];

		if (vaddr >= code->vaddr && vaddr - code->vaddr < code->size)
			cfi->entry_point = code->file_off + (vaddr - code->vaddr);
	}
}

static void cfi__sort(struct cfi *cfi)
{
	size_t i;

	for (i = 1; i < cfi->n_entries; i++) {
		if (by_start(&cfi->entries[i - 1], &cfi->entries[i]) > 0)
			break;
	}
	if (i < cfi->n_entries)
		qsort(cfi->entries, cfi->n_entries, sizeof(*cfi->entries), by_start);
}

struct emitter {
	struct cfi *cfi;
	const struct pmb_unwind_rule *gap;
	cfi_row_fn row;
	void *ctx;
	uint64_t done;            /* up to here all is said */
	uint64_t low;             /* where the segment begins */
	const struct entry *last; /* the entry that reached furthest so far */
};

/* The entry's rows, the first of them at `from`: some of its code may be another's. */
static bool emit_program(struct emitter *e, const struct entry *entry, uint64_t from)
{
	struct cfi *cfi = e->cfi;
	const struct cfi_section *s = &cfi->sections[entry->section];
	const struct cfi_row *rows;
	const struct cfi_cie *cie;
	struct cfi_entry raw;
	struct cfi_fde fde;

	if (cfi_entry__read(s, entry->at, &raw) <= 0)
		return false;
	cie = cfi__cie(cfi, (uint8_t)entry->section, raw.cie_at);
	if (!cie || !cfi_fde__read(s, &raw, cie, &fde) ||
	    !cfi_program__run(cfi->machine, s, cie, &fde, &cfi->rows))
		return false;
	rows = cfi->rows.rows;
	for (size_t i = 0; i < cfi->rows.n; i++) {
		uint64_t off = entry->start + (rows[i].vaddr - fde.start);
		uint64_t next = i + 1 < cfi->rows.n ?
					entry->start + (rows[i + 1].vaddr - fde.start) :
					entry->end;

		if (next > from && off < entry->end)
			e->row(e->ctx, i && off > from ? off : from, &rows[i].rule);
	}
	return true;
}

static bool is_signal(struct emitter *e, const struct entry *entry)
{
	const struct cfi_cie *cie;
	struct cfi_entry raw;

	if (entry->section == SECTION_FIXED)
		return e->cfi->fixed[entry->at].cfa == PMB_CFA_SIGNAL;
	if (cfi_entry__read(&e->cfi->sections[entry->section], entry->at, &raw) <= 0)
		return false;
	cie = cfi__cie(e->cfi, (uint8_t)entry->section, raw.cie_at);
	return cie && cie->is_signal;
}

static void fill_gap(struct emitter *e, uint64_t end, const struct pmb_unwind_rule *gap)
{
	const struct cfi *cfi = e->cfi;
	uint64_t start = e->done;

	if (cfi->fill_anywhere && start < cfi->from)
		start = cfi->from;
	if (cfi->fill_anywhere && end > cfi->to)
		end = cfi->to;
	if (start < end)
		cfi->fill(cfi->fill_ctx, start, end, gap, e->row, e->ctx);
}

/* From e->done up to `start` nothing describes the code. */
static void emit_gap(struct emitter *e, uint64_t start, bool is_end)
{
	static const struct pmb_unwind_rule nothing = {.cfa = PMB_CFA_NONE};
	static const struct pmb_unwind_rule by_frame_pointer = {.cfa = PMB_CFA_FRAME,
								.cfa_off = PMB_WITHOUT_RULE};
	const struct pmb_unwind_rule *gap = e->gap;
	uint64_t begin = e->cfi->entry_point;
	/* Only what is as good as a table tells padding from small functions. */
	bool is_guess = e->gap->cfa == PMB_CFA_NONE || e->gap->cfa == PMB_CFA_FRAME;
	bool is_padding = e->last && is_guess && start - e->done <= CFI_PADDING_MAX;

	/* ld.so's first function has 61 bytes and no FDE */
	if (is_padding && begin >= e->done && begin < start)
		e->row(e->ctx, begin, &nothing);
	if (start <= e->done)
		return;
	if (is_padding) {
		if (e->cfi->fill_small && start - e->done > CFI_PADDING_MIN)
			e->cfi->fill_small(e->cfi->fill_ctx, e->done, start, gap, e->row, e->ctx);
		return;
	}
	if (gap->cfa == PMB_CFA_NONE && e->last && !is_end && start - e->done >= CFI_RUNTIME_MIN)
		gap = &by_frame_pointer;
	if (e->cfi->fill)
		fill_gap(e, start, gap);
	else
		e->row(e->ctx, e->done, gap);
}

static void emit_entry(struct emitter *e, const struct entry *entry)
{
	static const struct pmb_unwind_rule nothing = {.cfa = PMB_CFA_NONE};
	uint64_t from = entry->start;

	/* The same function in both sections is no contradiction. */
	if (from < e->done && e->last && entry->section == e->last->section)
		e->cfi->n_bad++;
	if (entry->end <= e->done)
		return;
	/* The handler's return address is the trampoline's first byte, and callers are looked up
	 * one byte before. */
	if (from > e->done && from > e->low && is_signal(e, entry))
		from--;
	emit_gap(e, from, false);
	if (from < e->done)
		from = e->done;
	if (entry->section == SECTION_FIXED) {
		e->row(e->ctx, from, &e->cfi->fixed[entry->at]);
	} else if (!emit_program(e, entry, from)) {
		e->cfi->n_bad++;
		e->row(e->ctx, from, &nothing);
	}
	e->done = entry->end;
	e->last = entry;
}

/* Rows, of which those in a range go on. */
struct clip {
	uint64_t from, to;
	cfi_row_fn row;
	void *ctx;
	struct pmb_unwind_rule held; /* what holds at `from` */
	bool holds;
};

static void clip__flush(struct clip *c)
{
	if (c->holds)
		c->row(c->ctx, c->from, &c->held);
	c->holds = false;
}

static void clip__row(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	struct clip *c = ctx;

	if (file_off < c->from) {
		c->held = *rule;
		c->holds = true;
		return;
	}
	if (file_off > c->from)
		clip__flush(c);
	c->holds = false;
	if (file_off < c->to)
		c->row(c->ctx, file_off, rule);
}

/* The neighbours' rows are clipped, but they say where gaps begin and end. */
static void add_neighbours(struct cfi *cfi)
{
	const struct entry neighbours[] = {cfi->before, cfi->after};

	for (size_t i = 0; i < ARRAY_SIZE(neighbours); i++) {
		if (!neighbours[i].end)
			continue;
		GROW(cfi->entries, cfi->n_entries, cfi->cap_entries);
		cfi->entries[cfi->n_entries++] = neighbours[i];
	}
}

static void emit_code(struct cfi *cfi, const struct cfi_code *code, size_t *next, struct emitter *e)
{
	uint64_t end = code->file_off + code->size;
	bool is_cut = false;

	if (cfi->before.end && cfi->before.start >= code->file_off && cfi->before.start < end)
		e->done = cfi->before.start;
	for (; *next < cfi->n_entries && cfi->entries[*next].start < end; ++*next) {
		is_cut |= cfi->entries[*next].start >= cfi->to;
		emit_entry(e, &cfi->entries[*next]);
	}
	if (!is_cut)
		emit_gap(e, end, true);
}

uint32_t cfi__emit(struct cfi *cfi, const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx)
{
	static const struct pmb_unwind_rule nothing = {.cfa = PMB_CFA_NONE};
	struct clip clip = {.from = cfi->from, .to = cfi->to, .row = row, .ctx = ctx};
	size_t next = 0;

	add_neighbours(cfi);
	cfi__sort(cfi);
	for (size_t i = 0; i < cfi->n_code; i++) {
		const struct cfi_code *code = &cfi->code[i];
		uint64_t end = code->file_off + code->size;
		struct emitter e = {
			.cfi = cfi,
			.gap = gap,
			.row = clip__row,
			.ctx = &clip,
			.done = code->file_off,
			.low = code->file_off,
		};

		if (code->file_off >= cfi->to)
			break;
		if (end <= cfi->from) {
			while (next < cfi->n_entries && cfi->entries[next].start < end)
				next++;
			continue;
		}
		emit_code(cfi, code, &next, &e);
		clip__flush(&clip);
		row(ctx, end < cfi->to ? end : cfi->to, &nothing);
	}
	return cfi->n_bad;
}
