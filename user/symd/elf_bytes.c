// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/search.h"

enum {
	RECORDS_BYTES = 64 * 1024,
	PART_BYTES = 4096,
	PARTS = 128,
	READS_MAX = 1 << 18, /* of strings; a second's worth */
	SEARCH_BYTES = 256 * 1024,
	SEARCH_TEXT_MAX = 4096,
	HITS_MAX = 1 << 20,
};

size_t elf_bytes__read(const struct elf_bytes *from, uint64_t off, void *ret, size_t n)
{
	ssize_t got;

	if (off > INT64_MAX)
		return 0;
	if (from->memory) {
		if (off >= from->len)
			return 0;
		if (n > from->len - off)
			n = from->len - (size_t)off;
		memcpy(ret, from->memory + off, n);
		return n;
	}
	got = pread(from->fd, ret, n, (off_t)off);
	return got > 0 ? (size_t)got : 0;
}

bool elf_segment__of(Elf *elf, uint64_t vaddr, uint64_t size, bool in_file, GElf_Phdr *ret)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		uint64_t has;

		if (!gelf_getphdr(elf, (int)i, ret) || ret->p_type != PT_LOAD)
			continue;
		has = in_file ? ret->p_filesz : ret->p_memsz;
		if (vaddr >= ret->p_vaddr && vaddr - ret->p_vaddr < has &&
		    size <= has - (vaddr - ret->p_vaddr))
			return true;
	}
	return false;
}

bool elf_segment__by_type(Elf *elf, uint32_t type, size_t most, GElf_Phdr *ret)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n && i < most; i++) {
		if (gelf_getphdr(elf, (int)i, ret) && ret->p_type == type)
			return true;
	}
	return false;
}

/* Contents that stand in the file as they are. */
static bool find_contents(Elf_Scn *scn, uint64_t max, GElf_Shdr *ret)
{
	return scn && gelf_getshdr(scn, ret) && ret->sh_type != SHT_NOBITS && ret->sh_size &&
	       ret->sh_size <= max && !(ret->sh_flags & SHF_COMPRESSED);
}

bool elf_records__open(struct elf_records *r, const struct elf_bytes *from, Elf_Scn *scn,
		       Elf_Type type, uint64_t max)
{
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;

	*r = (struct elf_records){.from = from, .type = type};
	if (!find_contents(scn, max, &shdr) || !gelf_getehdr(from->elf, &ehdr))
		return false;
	r->size = gelf_fsize(from->elf, type, 1, EV_CURRENT);
	r->encoding = ehdr.e_ident[EI_DATA];
	r->is_wide = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	r->start = r->off = shdr.sh_offset;
	r->total = r->left = shdr.sh_size;
	if (!r->size)
		return false;
	r->batch =
		(size_t)(r->total < RECORDS_BYTES ? r->total : RECORDS_BYTES) / r->size * r->size;
	r->window = xcalloc(1, r->batch + r->size);
	return true;
}

void elf_records__close(struct elf_records *r)
{
	free(r->window);
	r->window = NULL;
}

void elf_records__seek(struct elf_records *r, uint64_t number)
{
	uint64_t skip = number > r->total / r->size ? r->total : number * r->size;

	r->at = r->n = 0;
	r->off = r->start + skip;
	r->left = r->total - skip;
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
	return !bytes[0] && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* A hole costs a file nothing, and its records say nothing. */
static void skip_hole(struct elf_records *r)
{
	uint64_t skip = r->left;
	off_t data;

	if (r->from->memory || !r->left)
		return;
	data = lseek(r->from->fd, (off_t)r->off, SEEK_DATA);
	if (data < 0 && errno != ENXIO)
		return;
	if (data >= 0 && (uint64_t)data - r->off < skip)
		skip = ((uint64_t)data - r->off) / r->size * r->size;
	r->off += skip;
	r->left -= skip;
}

static bool fill(struct elf_records *r)
{
	size_t want = r->batch, got;
	Elf_Data data = {.d_buf = r->window, .d_type = r->type, .d_version = EV_CURRENT};

	if (want > r->left)
		want = (size_t)r->left / r->size * r->size;
	got = elf_bytes__read(r->from, r->off, r->window, want) / r->size * r->size;
	r->off += got;
	/* no more behind a short read */
	r->left = got == want ? r->left - got : 0;
	data.d_size = got;
	if (got && is_zero(r->window, got))
		skip_hole(r);
	if (!got || !gelf_xlatetom(r->from->elf, &data, &data, r->encoding))
		return false;
	r->at = 0;
	r->n = got;
	return true;
}

static const void *next(struct elf_records *r)
{
	if (r->at >= r->n && !fill(r))
		return NULL;
	r->at += r->size;
	return r->window + r->at - r->size;
}

bool elf_records__next_symbol(struct elf_records *r, GElf_Sym *ret)
{
	const void *record = next(r);
	Elf32_Sym narrow;

	if (!record)
		return false;
	if (r->is_wide) {
		memcpy(ret, record, sizeof(*ret));
		return true;
	}
	memcpy(&narrow, record, sizeof(narrow));
	*ret = (GElf_Sym){
		.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
	return true;
}

bool elf_records__next_rela(struct elf_records *r, GElf_Rela *ret)
{
	const void *record = r->is_wide ? next(r) : NULL;

	if (record)
		memcpy(ret, record, sizeof(*ret));
	return record;
}

bool elf_strings__open(struct elf_strings *s, const struct elf_bytes *from, Elf_Scn *scn,
		       uint64_t max)
{
	GElf_Shdr shdr;

	*s = (struct elf_strings){.from = *from, .reads_left = READS_MAX};
	if (!find_contents(scn, max, &shdr))
		return false;
	s->off = shdr.sh_offset;
	s->size = shdr.sh_size;
	s->parts = xcalloc(PARTS, sizeof(*s->parts));
	return true;
}

void elf_strings__close(struct elf_strings *s)
{
	for (size_t i = 0; s->parts && i < PARTS; i++)
		free(s->parts[i].bytes);
	free(s->parts);
	free(s->long_name);
	*s = (struct elf_strings){0};
}

/* How many bytes there are from offset on, at most n. */
static size_t load(struct elf_strings *s, uint64_t offset, char *ret, size_t n)
{
	if (!s->reads_left)
		return 0;
	s->reads_left--;
	if (n > s->size - offset)
		n = (size_t)(s->size - offset);
	return elf_bytes__read(&s->from, s->off + offset, ret, n);
}

static const struct elf_strings_part *part_with(struct elf_strings *s, uint64_t offset)
{
	uint64_t number = offset / PART_BYTES;
	struct elf_strings_part *part = &s->parts[number % PARTS];

	if (part->n && part->at == number * PART_BYTES)
		return part;
	if (!part->bytes)
		part->bytes = xcalloc(1, PART_BYTES);
	part->at = number * PART_BYTES;
	part->n = load(s, part->at, part->bytes, PART_BYTES);
	return part;
}

/* One that goes on in the next part. */
static const char *read_long(struct elf_strings *s, uint64_t offset, size_t *ret_len)
{
	size_t n;

	if (!s->long_name)
		s->long_name = xcalloc(1, ELF_NAME_MAX);
	n = load(s, offset, s->long_name, PART_BYTES);
	if (n == PART_BYTES && !memchr(s->long_name, '\0', n))
		n = load(s, offset, s->long_name, ELF_NAME_MAX);
	*ret_len = strnlen(s->long_name, n);
	return n ? s->long_name : NULL;
}

const char *elf_strings__at(struct elf_strings *s, uint64_t offset, size_t *ret_len)
{
	const struct elf_strings_part *part;
	size_t start = offset % PART_BYTES, left;

	if (offset >= s->size)
		return NULL;
	part = part_with(s, offset);
	if (start >= part->n)
		return NULL;
	left = part->n - start;
	*ret_len = strnlen(part->bytes + start, left);
	return *ret_len < left ? part->bytes + start : read_long(s, offset, ret_len);
}

/* A table is read from its beginning to its end; what may be the beginning of the text stays. */
struct string_search {
	const char *text;
	size_t len;
	char *bytes;
	size_t n;
	uint64_t at;    /* of the bytes, in the table */
	uint64_t start; /* of the string that they begin in */
	struct elf_string_hits *ret;
};

static void put_hit(struct elf_string_hits *h, uint64_t start, uint64_t text)
{
	if (h->n && h->list[h->n - 1].start == start) {
		h->list[h->n - 1].text = text;
		return;
	}
	if (h->n == HITS_MAX) {
		h->is_partial = true;
		return;
	}
	GROW(h->list, h->n, h->cap);
	h->list[h->n++] = (struct elf_string_hit){start, text};
}

static void search_bytes(struct string_search *s)
{
	const char *from = s->bytes, *end = s->bytes + s->n, *hit, *last;

	while ((hit = memmem(from, (size_t)(end - from), s->text, s->len))) {
		last = memrchr(from, '\0', (size_t)(hit - from));
		if (last)
			s->start = s->at + (uint64_t)(last + 1 - s->bytes);
		put_hit(s->ret, s->start, s->at + (uint64_t)(hit - s->bytes));
		from = hit + 1;
	}
	last = memrchr(from, '\0', (size_t)(end - from));
	if (last)
		s->start = s->at + (uint64_t)(last + 1 - s->bytes);
}

void elf_strings__with(struct elf_strings *s, const char *text, size_t len,
		       struct elf_string_hits *ret)
{
	_cleanup_free_ char *bytes = xcalloc(1, SEARCH_BYTES);
	struct string_search search = {.text = text, .len = len, .bytes = bytes, .ret = ret};
	size_t kept = 0, got;

	*ret = (struct elf_string_hits){0};
	if (!len || len > SEARCH_TEXT_MAX)
		return;
	for (uint64_t off = 0; off < s->size; off += got) {
		uint64_t want = s->size - off;

		if (want > SEARCH_BYTES - kept)
			want = SEARCH_BYTES - kept;
		got = elf_bytes__read(&s->from, s->off + off, bytes + kept, (size_t)want);
		if (!got)
			return;
		search.at = off - kept;
		search.n = kept + got;
		search_bytes(&search);
		kept = search.n < len - 1 ? search.n : len - 1;
		memmove(bytes, bytes + search.n - kept, kept);
	}
}

/* How far it is from there to the text; -1: it isn't behind it. */
static int64_t until_text(const struct elf_string_hits *h, uint64_t offset)
{
	const size_t i = FIRST_INDEX(k, h->n, h->list[k].start > offset);

	return i && offset <= h->list[i - 1].text ? (int64_t)(h->list[i - 1].text - offset) : -1;
}

bool elf_string_hits__has(const struct elf_string_hits *h, uint64_t offset)
{
	return until_text(h, offset) >= 0;
}

bool elf_string_hits__begins(const struct elf_string_hits *h, uint64_t offset)
{
	return until_text(h, offset) == 0;
}
