// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	RECORDS_BYTES = 64 * 1024,
	STRINGS_BYTES = 4096,
	READS_MAX = 1 << 18, /* of strings; a second's worth */
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
	r->batch = RECORDS_BYTES / r->size * r->size;
	r->window = xcalloc(1, RECORDS_BYTES);
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
	s->window = xcalloc(1, ELF_NAME_MAX);
	return true;
}

void elf_strings__close(struct elf_strings *s)
{
	free(s->window);
	*s = (struct elf_strings){0};
}

/* Reads the window anew, from offset on. */
static bool load(struct elf_strings *s, uint64_t offset, size_t bytes)
{
	s->at = offset;
	s->n = 0;
	if (!s->reads_left)
		return false;
	s->reads_left--;
	if (bytes > s->size - offset)
		bytes = (size_t)(s->size - offset);
	s->n = elf_bytes__read(&s->from, s->off + offset, s->window, bytes);
	return s->n;
}

const char *elf_strings__at(struct elf_strings *s, uint64_t offset, size_t *ret_len)
{
	const char *start;
	size_t left;

	if (offset >= s->size)
		return NULL;
	if ((offset < s->at || offset - s->at >= s->n) && !load(s, offset, STRINGS_BYTES))
		return NULL;
	start = s->window + (offset - s->at);
	left = s->n - (size_t)(offset - s->at);
	*ret_len = strnlen(start, left);
	if (*ret_len < left)
		return start;
	/* cut off at the window's end */
	if (!load(s, offset, STRINGS_BYTES))
		return NULL;
	if (!memchr(s->window, '\0', s->n) && s->n == STRINGS_BYTES &&
	    !load(s, offset, ELF_NAME_MAX))
		return NULL;
	*ret_len = strnlen(s->window, s->n);
	return s->window;
}
