// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmubpf/hotspot.h"
#include "symd/hotspot_layout.h"
#include "symd/hotspot_method.h"
#include "symd/hotspot_name.h"
#include "symd/hotspot_rows.h"
#include "symd/hotspot_scopes.h"
#include "symd/hotspot_stub.h"

enum {
	HEAD_BYTES = 512,     /* of a block that are read at once: header, CodeBlob, nmethod */
	BLOCK_MAX = 64 << 20, /* bytes */
	KINDS_MAX = 256,      /* names of blobs; those of compiled methods are two */
	KIND_NAME_MAX = 96,
	LOG2_MAX = 16,
	STUBS_ALL = 4 << 20,     /* bytes of stubs' code that are looked at */
	NO_BCI = -2,             /* nobody says */
	PLACE_BYTES = 2048,      /* of names of what was inlined; there is one more at most */
	FIRST_WITHOUT_ZERO = 20, /* version whose packed numbers have no bytes of 0 */
};

enum kind {
	KIND_METHOD, /* compiled, or a native method's wrapper */
	KIND_INTERPRETER,
	KIND_STUBS, /* functions with frame pointers: what is called from C, copies of arrays… */
	KIND_NO_FRAME, /* adapters, stubs of virtual calls */
	KIND_OTHER,    /* with a frame of its own, if it says so */
};

struct blob {
	uint64_t at; /* the block */
	uint64_t code, end;
	uint64_t method;
	uint32_t id;
	uint32_t frame_size;
	struct hotspot_row *rows;
	size_t n_rows;
	struct hotspot_stub *stub;     /* NULL: rows say it */
	struct hotspot_scopes *scopes; /* NULL: it has none, or there is no room */
};

/* By the address of the text. */
struct named_kind {
	uint64_t text;
	enum kind kind;
	char name[KIND_NAME_MAX];
};

struct heap {
	uint64_t low, high; /* what is in use */
	uint64_t bottom, top;
	unsigned log2;
};

struct hotspot {
	struct hotspot_layout layout;
	bool known;
	char release[64];
	struct heap heaps[HOTSPOT_HEAPS_MAX];
	size_t n_heaps;
	struct blob *blobs; /* ascending */
	size_t n_blobs, cap_blobs;
	struct named_kind *kinds;
	size_t n_kinds;
	struct buf names, places;
	struct hotspot_methods *methods;
	size_t scope_bytes; /* of blobs that are there */
	size_t stub_bytes;  /* the same, that were looked at */
	/* while reading */
	struct target_memory memory;
	struct blob *old;
	size_t n_old, at_old;
	bool changed;
};

struct hotspot *hotspot__new(void)
{
	struct hotspot *h = xcalloc(1, sizeof(*h));

	h->kinds = xcalloc(KINDS_MAX, sizeof(*h->kinds));
	h->methods = hotspot_methods__new();
	return h;
}

static void free_blobs(struct blob *blobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(blobs[i].rows);
		hotspot_stub__free(blobs[i].stub);
		free(blobs[i].scopes);
	}
	free(blobs);
}

struct hotspot *hotspot__free(struct hotspot *h)
{
	if (!h)
		return NULL;
	free_blobs(h->blobs, h->n_blobs);
	free(h->kinds);
	hotspot_methods__free(h->methods);
	buf__done(&h->names);
	buf__done(&h->places);
	free(h);
	return NULL;
}

static enum kind kind_of(const char *name)
{
	static const char *const stubs[] = {"StubRoutines", "Stub Generator"};
	static const char *const no_frame[] = {"I2C/C2I", "vtable chunks", "MethodHandles"};

	if (strcmp(name, "nmethod") == 0 || strcmp(name, "native nmethod") == 0)
		return KIND_METHOD;
	if (strcmp(name, "Interpreter") == 0)
		return KIND_INTERPRETER;
	for (size_t i = 0; i < ARRAY_SIZE(stubs); i++) {
		if (strncmp(name, stubs[i], strlen(stubs[i])) == 0)
			return KIND_STUBS;
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_frame); i++) {
		if (strncmp(name, no_frame[i], strlen(no_frame[i])) == 0)
			return KIND_NO_FRAME;
	}
	return KIND_OTHER;
}

static const struct named_kind *find_kind(struct hotspot *h, uint64_t text)
{
	struct named_kind *k;

	for (size_t i = 0; i < h->n_kinds; i++) {
		if (h->kinds[i].text == text)
			return &h->kinds[i];
	}
	if (h->n_kinds == KINDS_MAX)
		return NULL;
	k = &h->kinds[h->n_kinds];
	if (!target_memory__text(&h->memory, text, k->name, sizeof(k->name)))
		return NULL;
	k->text = text;
	k->kind = kind_of(k->name);
	h->n_kinds++;
	return k;
}

/* What is in the first bytes of a block; 0 if it is beyond them. */
static uint64_t member(const uint8_t *head, uint64_t at, size_t size)
{
	uint64_t value = 0;

	if (at + size <= HEAD_BYTES)
		memcpy(&value, head + at, size);
	return value;
}

static uint64_t of_blob(const struct hotspot *h, const uint8_t *head, uint32_t off, size_t size)
{
	return member(head, (uint64_t)h->layout.block_size + off, size);
}

static void name_blob(struct hotspot *h, const struct blob *b, const struct named_kind *kind)
{
	char name[HOTSPOT_NAME_MAX + 1] = "";

	if (h->names.len > HOTSPOT_NAMES_MAX)
		return;
	if (kind->kind != KIND_METHOD)
		hotspot_name__of_stub(kind->name, name, sizeof(name));
	else if (!hotspot_name__of_method(&h->memory, &h->layout, b->method, name, sizeof(name)))
		return;
	buf__printf(&h->names, "%lx %lx %s\n", (unsigned long)b->code,
		    (unsigned long)(b->end - b->code), name);
}

static void one_row(struct blob *b, enum hotspot_rule rule)
{
	const struct hotspot_row row = {0, (uint32_t)rule & 0xf};

	b->rows = xmemdup(&row, sizeof(row));
	b->n_rows = 1;
}

static void read_method(struct hotspot *h, const uint8_t *head, struct blob *b)
{
	size_t n = b->end - b->code < HOTSPOT_CODE_MAX ? b->end - b->code : HOTSPOT_CODE_MAX;
	_cleanup_free_ uint8_t *bytes = xcalloc(1, n);
	struct hotspot_row rows[HOTSPOT_ROWS_MAX];
	const struct hotspot_layout *l = &h->layout;
	uint64_t osr = of_blob(h, head, l->osr_entry, 8);
	int64_t complete = l->short_complete ? (int16_t)of_blob(h, head, l->blob_complete, 2) :
					       (int32_t)of_blob(h, head, l->blob_complete, 4);
	struct hotspot_code code = {.bytes = bytes, .n = n, .frame_size = b->frame_size};

	if (!target_memory__read(&h->memory, b->code, bytes, n)) {
		one_row(b, HOTSPOT_FULL);
		return;
	}
	code.complete = complete > 0 && (uint64_t)complete < n ? (uint32_t)complete : 0;
	code.osr = osr > b->code && osr - b->code < n ? (uint32_t)(osr - b->code) : 0;
	b->n_rows = hotspot_rows__of(&code, rows);
	b->rows = xmemdup(rows, b->n_rows * sizeof(*rows));
}

/* gap: where its instructions don't say. */
static void read_stub(struct hotspot *h, enum hotspot_rule gap, struct blob *b)
{
	const struct pmb_unwind_rule rule = hotspot_rule(gap, b->frame_size);
	size_t n = b->end - b->code;
	_cleanup_free_ uint8_t *bytes = NULL;

	one_row(b, gap);
	if (n > STUBS_ALL - h->stub_bytes)
		return;
	h->stub_bytes += n;
	bytes = xcalloc(1, n);
	if (target_memory__read(&h->memory, b->code, bytes, n))
		b->stub = hotspot_stub__new(bytes, n, b->code, &rule);
}

static void read_rows(struct hotspot *h, const uint8_t *head, enum kind kind, struct blob *b)
{
	bool has_frame = b->frame_size >= 16 && b->frame_size <= HOTSPOT_FRAME_MAX;

	if (kind == KIND_INTERPRETER)
		one_row(b, h->layout.heaps ? HOTSPOT_INTERPRETED : HOTSPOT_INTERPRETED_8);
	else if (kind == KIND_NO_FRAME)
		one_row(b, HOTSPOT_ENTRY);
	else if (kind == KIND_STUBS)
		read_stub(h, HOTSPOT_FRAME, b);
	else if (kind == KIND_OTHER)
		read_stub(h, has_frame ? HOTSPOT_FULL : HOTSPOT_ENTRY, b);
	else if (has_frame)
		read_method(h, head, b);
	else
		one_row(b, HOTSPOT_ENTRY);
}

/* The same as before, code and all? Then it moves over. */
static bool is_old(struct hotspot *h, const struct blob *b)
{
	struct blob *o;

	while (h->at_old < h->n_old && h->old[h->at_old].at < b->at)
		h->at_old++;
	o = h->at_old < h->n_old ? &h->old[h->at_old] : NULL;
	if (!o || o->at != b->at || o->code != b->code || o->end != b->end ||
	    o->method != b->method || o->id != b->id || o->frame_size != b->frame_size)
		return false;
	h->blobs[h->n_blobs++] = *o;
	h->scope_bytes += o->scopes ? o->scopes->size : 0;
	h->stub_bytes += o->stub ? o->end - o->code : 0;
	o->rows = NULL;
	o->stub = NULL;
	o->scopes = NULL;
	return true;
}

static bool place_code(const struct hotspot *h, const uint8_t *head, uint64_t size, struct blob *b)
{
	const struct hotspot_layout *l = &h->layout;
	uint64_t blob = b->at + l->block_size;

	if (l->by_address) {
		b->code = of_blob(h, head, l->blob_code, 8);
		b->end = of_blob(h, head, l->blob_code_end, 8);
	} else {
		b->code = blob + of_blob(h, head, l->blob_code_off, 4);
		b->end = blob + of_blob(h, head, l->blob_data_off, 4);
	}
	return b->code >= b->at && b->code < b->end && b->end <= b->at + size;
}

static void read_scopes(struct hotspot *h, const uint8_t *head, struct blob *b)
{
	uint32_t header = h->layout.block_size;

	if (h->scope_bytes > HOTSPOT_SCOPES_ALL || header >= HEAD_BYTES)
		return;
	b->scopes = hotspot_scopes__read(&h->memory, &h->layout, b->at + header, head + header,
					 HEAD_BYTES - header);
	h->scope_bytes += b->scopes ? b->scopes->size : 0;
}

static void read_blob(struct hotspot *h, const uint8_t *head, uint64_t at, uint64_t size)
{
	const struct hotspot_layout *l = &h->layout;
	const struct named_kind *kind = find_kind(h, of_blob(h, head, l->blob_name, 8));
	struct blob b = {.at = at};

	if (!kind || !place_code(h, head, size, &b) || h->n_blobs == HOTSPOT_BLOBS_MAX)
		return;
	b.frame_size = (uint32_t)of_blob(h, head, l->blob_frame_size, 4) * 8;
	if (kind->kind == KIND_METHOD) {
		b.method = of_blob(h, head, l->method, 8);
		b.id = (uint32_t)of_blob(h, head, l->compile_id, 4);
	}
	GROW(h->blobs, h->n_blobs, h->cap_blobs);
	if (is_old(h, &b))
		return;
	h->changed = true;
	read_rows(h, head, kind->kind, &b);
	if (kind->kind == KIND_METHOD)
		read_scopes(h, head, &b);
	name_blob(h, &b, kind);
	h->blobs[h->n_blobs++] = b;
}

static void read_heap(struct hotspot *h, const struct heap *heap)
{
	uint32_t used_at = h->layout.block_used;
	uint8_t head[HEAD_BYTES];
	uint64_t size;

	for (uint64_t at = heap->low; at < heap->high; at += size) {
		size_t n = heap->high - at < HEAD_BYTES ? heap->high - at : HEAD_BYTES;

		memset(head, 0, sizeof(head));
		if (!target_memory__read(&h->memory, at, head, n))
			return;
		size = member(head, 0, used_at >= 8 ? 8 : 4) << heap->log2;
		if (!size || size > BLOCK_MAX || size > heap->high - at)
			return;
		if (member(head, used_at, 1))
			read_blob(h, head, at, size);
	}
}

static bool read_space(struct hotspot *h, uint64_t heap, struct heap *ret)
{
	const struct hotspot_layout *l = &h->layout;
	uint64_t space = heap + l->heap_memory;
	uint32_t log2;

	if (!heap || !target_memory__read(&h->memory, heap + l->heap_log2, &log2, sizeof(log2)))
		return false;
	*ret = (struct heap){
		.low = target_memory__word(&h->memory, space + l->space_low),
		.high = target_memory__word(&h->memory, space + l->space_high),
		.bottom = target_memory__word(&h->memory, space + l->space_bottom),
		.top = target_memory__word(&h->memory, space + l->space_top),
		.log2 = log2,
	};
	return log2 <= LOG2_MAX && ret->bottom && ret->bottom <= ret->low &&
	       ret->low <= ret->high && ret->high <= ret->top;
}

static int by_address(const void *a, const void *b)
{
	const struct heap *x = a, *y = b;

	return CMP3(x->low, y->low);
}

static bool read_heaps(struct hotspot *h)
{
	const struct hotspot_layout *l = &h->layout;
	uint64_t array = l->heaps ? target_memory__word(&h->memory, l->heaps) : 0, data;
	uint32_t n = 0;

	h->n_heaps = 0;
	if (!l->heaps)
		h->n_heaps += read_space(h, target_memory__word(&h->memory, l->heap), h->heaps);
	if (array && target_memory__read(&h->memory, array + l->array_len, &n, sizeof(n))) {
		data = target_memory__word(&h->memory, array + l->array_data);
		for (uint32_t i = 0; i < n && h->n_heaps < HOTSPOT_HEAPS_MAX && i < 64; i++)
			h->n_heaps += read_space(h,
						 target_memory__word(&h->memory, data + i * 8ULL),
						 &h->heaps[h->n_heaps]);
	}
	qsort(h->heaps, h->n_heaps, sizeof(*h->heaps), by_address);
	for (size_t i = 1; i < h->n_heaps; i++) {
		if (h->heaps[i].bottom < h->heaps[i - 1].top)
			return false;
	}
	return h->n_heaps && h->heaps[h->n_heaps - 1].top - h->heaps[0].bottom <= HOTSPOT_SPAN_MAX;
}

/* What can't be read any more stays as it was. */
static bool find_heaps(struct hotspot *h)
{
	struct heap before[HOTSPOT_HEAPS_MAX];
	size_t n = h->n_heaps;

	memcpy(before, h->heaps, sizeof(before));
	if (read_heaps(h))
		return true;
	memcpy(h->heaps, before, sizeof(before));
	h->n_heaps = n;
	return false;
}

static const char *learn(struct hotspot *h, const struct hotspot_place *place)
{
	const char *missing =
		hotspot_layout__read(&h->memory, place->structs, place->types, &h->layout);
	const char *number = h->release;
	uint64_t version;
	uint64_t text = h->layout.release ? target_memory__word(&h->memory, h->layout.release) : 0;

	if (!text || !target_memory__text(&h->memory, text, h->release, sizeof(h->release)))
		h->release[0] = '\0';
	h->known = !missing;
	/* 8 is called 25, and has one heap */
	h->layout.without_zero = h->layout.heaps && num__take_u64(&number, &version) &&
				 version >= FIRST_WITHOUT_ZERO;
	if (h->known)
		buf__printf(&h->names, "%llx %llx HotSpot::Interpreter\n", PMB_METHOD_MARK,
			    PMB_METHOD_MARK - 1);
	return missing;
}

const char *hotspot__read(struct hotspot *h, int mem, const struct hotspot_place *place,
			  bool *ret_changed)
{
	const char *missing;

	h->memory = (struct target_memory){mem, HOTSPOT_READS_MAX};
	*ret_changed = false;
	missing = h->known ? NULL : learn(h, place);
	if (missing)
		return missing;
	if (!find_heaps(h))
		return h->n_heaps ? NULL : "";
	h->old = h->blobs;
	h->n_old = h->n_blobs;
	h->at_old = 0;
	h->blobs = NULL;
	h->n_blobs = h->cap_blobs = 0;
	h->scope_bytes = h->stub_bytes = 0;
	h->changed = false;
	for (size_t i = 0; i < h->n_heaps; i++)
		read_heap(h, &h->heaps[i]);
	free_blobs(h->old, h->n_old);
	h->old = NULL;
	*ret_changed = h->changed;
	return NULL;
}

/* Which method, and at which line. */
static bool name_interpreted(struct hotspot *h, uint64_t word)
{
	const struct hotspot_method *m =
		hotspot_methods__get(h->methods, &h->memory, &h->layout, PMB_METHOD_OF(word));

	if (!m)
		return false;
	buf__printf(&h->places, "%lx 1 ", (unsigned long)word);
	hotspot_method__put(m, hotspot_method__offset(m, PMB_METHOD_BYTECODE(word)), &h->places);
	buf__putc(&h->places, '\n');
	return true;
}

static const struct blob *blob_at(const struct hotspot *h, uint64_t addr)
{
	size_t low = 0, high = h->n_blobs;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->blobs[mid].code <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < h->blobs[low - 1].end ? &h->blobs[low - 1] : NULL;
}

/* The code that was read is still there, or nothing can be read any more. */
static bool is_there(struct hotspot *h, const struct blob *b)
{
	uint64_t at = b->at + h->layout.block_size + h->layout.compile_id;
	uint32_t id;

	return !target_memory__read(&h->memory, at, &id, sizeof(id)) || id == b->id;
}

/* The method and those that were inlined there, the outermost first. */
static size_t scopes_at(const struct blob *b, uint64_t addr,
			struct hotspot_scope ret[HOTSPOT_SCOPES_DEPTH])
{
	size_t n = b->scopes ? hotspot_scopes__at(b->scopes, (uint32_t)(addr - b->code), ret) : 0;

	if (!n)
		ret[0] = (struct hotspot_scope){.method = b->method, .bci = NO_BCI};
	return n ? n : 1;
}

/* Each in three parts. */
static bool name_compiled(struct hotspot *h, uint64_t addr)
{
	struct hotspot_scope scopes[HOTSPOT_SCOPES_DEPTH];
	const struct blob *b = blob_at(h, addr);
	size_t begin = h->places.len, n, from;

	if (!b || !b->method || !is_there(h, b))
		return false;
	n = scopes_at(b, addr, scopes);
	buf__printf(&h->places, "%lx 1 ", (unsigned long)addr);
	from = h->places.len;
	while (n-- > 0) {
		const struct hotspot_method *m =
			hotspot_methods__get(h->methods, &h->memory, &h->layout, scopes[n].method);
		int32_t bci = scopes[n].bci; /* -1: before the first */

		if (!m) { /* nobody knows it, and so not what was inlined into it */
			h->places.len = begin;
			return false;
		}
		if (h->places.len > from)
			buf__putc(&h->places, '\t');
		if (!hotspot_method__put(m, bci == -1 ? 0 : bci, &h->places))
			buf__puts(&h->places, "\t\t");
		if (h->places.len - from > PLACE_BYTES)
			break;
	}
	buf__putc(&h->places, '\n');
	return true;
}

bool hotspot__name_places(struct hotspot *h, int mem, const uint64_t *places, size_t n)
{
	bool any = false;

	h->memory = (struct target_memory){mem, HOTSPOT_READS_MAX};
	for (size_t i = 0; i < n && h->known && h->places.len <= HOTSPOT_NAMES_MAX; i++) {
		any |= PMB_IS_METHOD(places[i]) ? name_interpreted(h, places[i]) :
						  name_compiled(h, places[i]);
	}
	return any;
}

const char *hotspot__release(const struct hotspot *h)
{
	return h->release;
}

void hotspot__span(const struct hotspot *h, uint64_t *ret_from, uint64_t *ret_to)
{
	*ret_from = h->n_heaps ? h->heaps[0].bottom & ~(PMB_UNWIND_ROW_MAX - 1ULL) : 0;
	*ret_to = h->n_heaps ? h->heaps[h->n_heaps - 1].top : 0;
}

static uint64_t last_in_use(const struct hotspot *h)
{
	return h->n_heaps ? h->heaps[h->n_heaps - 1].high : 0;
}

int hotspot__table(const struct hotspot *h, struct cfi_table *t)
{
	const struct pmb_unwind_rule none = hotspot_rule(HOTSPOT_NONE, 0);
	uint64_t done, top;

	hotspot__span(h, &done, &top);
	for (size_t i = 0; i < h->n_blobs; i++) {
		const struct blob *b = &h->blobs[i];

		if (b->code < done)
			continue;
		if (b->code > done)
			cfi_table__add(t, done, &none);
		for (size_t k = 0; b->stub && k < b->stub->n; k++)
			cfi_table__add(t, b->stub->rows[k].at, &b->stub->rows[k].rule);
		for (size_t k = 0; !b->stub && k < b->n_rows; k++) {
			const struct pmb_unwind_rule rule =
				hotspot_rule((enum hotspot_rule)b->rows[k].rule, b->frame_size);

			cfi_table__add(t, b->code + b->rows[k].off, &rule);
		}
		done = b->end;
	}
	cfi_table__add(t, done, &none);
	if (last_in_use(h) > done)
		cfi_table__add(t, last_in_use(h), &none);
	return t->err;
}

const struct buf *hotspot__names(const struct hotspot *h)
{
	return &h->names;
}

const struct buf *hotspot__places(const struct hotspot *h)
{
	return &h->places;
}
