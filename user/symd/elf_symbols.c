// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: to trust no index. Section numbers, string offsets and sizes in symbols are all
 * claims, and elf_strptr() would inflate a compressed string table of any size.
 */
#include "symd/elf_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/code_extent.h"

enum {
	/* Of a function in .dynsym that has no size: bytes that are looked through, and for how
	 * many. */
	EXTENT_BYTES = 4096,
	EXTENTS_MAX = 4096,
};

/*
 * libelf makes room for as many headers as a file claims to have. More than 16 bits can say stand
 * elsewhere, and are those of no program.
 */
static bool has_few_headers(const void *bytes, size_t len)
{
	const Elf64_Ehdr *wide = bytes;
	const Elf32_Ehdr *narrow = bytes;

	if (len < sizeof(*narrow) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return false;
	if (wide->e_ident[EI_CLASS] != ELFCLASS64)
		return narrow->e_phnum != PN_XNUM && (narrow->e_shnum || !narrow->e_shoff);
	return len >= sizeof(*wide) && wide->e_phnum != PN_XNUM &&
	       (wide->e_shnum || !wide->e_shoff);
}

/* NULL unless it is an ELF file. */
static Elf *take_elf(Elf *elf)
{
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

Elf *elf_begin_file(int fd)
{
	Elf64_Ehdr ehdr;
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	got = pread(fd, &ehdr, sizeof(ehdr), 0);
	if (got < 0 || !has_few_headers(&ehdr, (size_t)got))
		return NULL;
	return take_elf(elf_begin(fd, ELF_C_READ, NULL));
}

Elf *elf_begin_memory(void *bytes, size_t len)
{
	return has_few_headers(bytes, len) ? take_elf(elf_memory(bytes, len)) : NULL;
}

Elf_Scn *elf_section__by_type(Elf *elf, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type && shdr.sh_size)
			return scn;
	}
	return NULL;
}

Elf_Data *elf_section__data(Elf_Scn *scn, uint64_t max)
{
	Elf_Data *data;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || !shdr.sh_size ||
	    shdr.sh_size > max || (shdr.sh_flags & SHF_COMPRESSED))
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf && data->d_size && data->d_size <= max ? data : NULL;
}

Elf_Scn *elf_section__by_name(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found = NULL;

		if (gelf_getshdr(scn, &shdr))
			found = elf_strptr(elf, names, shdr.sh_name);
		if (found && !strcmp(found, name))
			return scn;
	}
	return NULL;
}

bool elf_sections__sane(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	uint64_t in_sections = 0, in_segments = 0; /* bytes of notes */
	size_t names, n;

	if (elf_getshdrstrndx(elf, &names) < 0 || elf_getphdrnum(elf, &n) < 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		bool is_names = elf_ndxscn(scn) == names;

		if (!gelf_getshdr(scn, &shdr))
			return false;
		if ((is_names || shdr.sh_type == SHT_NOTE) &&
		    (shdr.sh_size > ELF_NOTE_MAX ||
		     (in_sections += shdr.sh_size) > 2 * ELF_NOTE_MAX))
			return false;
		if (is_names && (shdr.sh_flags & SHF_COMPRESSED))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) ||
		    (phdr.p_type == PT_NOTE && (phdr.p_filesz > ELF_NOTE_MAX ||
						(in_segments += phdr.p_filesz) > 2 * ELF_NOTE_MAX)))
			return false;
	}
	return true;
}

/* What a symbol's section says about it, for all sections, so that a million symbols don't ask
 * libelf a million times. */
struct code_section {
	uint64_t start, end; /* empty if it is in no program's memory */
	uint64_t file_off;
	bool is_code;
};

struct code_sections {
	size_t n;
	struct code_section at[];
};

static struct code_sections *read_code_sections(Elf *elf)
{
	struct code_sections *all;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	uint64_t end;
	size_t n;

	if (elf_getshdrnum(elf, &n) < 0)
		n = 0;
	if (n > SHN_LORESERVE)
		n = SHN_LORESERVE;
	all = xcalloc(1, sizeof(*all) + n * sizeof(all->at[0]));
	all->n = n;
	while ((scn = elf_nextscn(elf, scn))) {
		size_t i = elf_ndxscn(scn);

		if (i >= n || !gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC) ||
		    (shdr.sh_flags & SHF_TLS) ||
		    __builtin_add_overflow(shdr.sh_addr, shdr.sh_size, &end))
			continue;
		all->at[i].start = shdr.sh_addr;
		all->at[i].end = end;
		all->at[i].file_off = shdr.sh_offset;
		all->at[i].is_code = shdr.sh_flags & SHF_EXECINSTR;
	}
	return all;
}

/* $a, $d, $t, $x and $x.7, $xrv64i…: where code and data begin on ARM and RISC-V, not functions. */
static bool is_mapping_symbol(unsigned machine, const char *name, size_t len)
{
	if (len < 2 || name[0] != '$')
		return false;
	if (machine != EM_ARM && machine != EM_AARCH64 && machine != EM_RISCV)
		return false;
	return strchr("adtx", name[1]) && (len == 2 || name[2] == '.' || machine == EM_RISCV);
}

/* `memcpy@@GLIBC_2.14` in a .symtab is memcpy; a leading @ or ? (Microsoft's mangling) isn't
 * ours. */
static size_t without_version(const char *name, size_t len)
{
	const char *at = len && name[0] != '?' && name[0] != '@' ? memchr(name, '@', len) : NULL;

	return at ? (size_t)(at - name) : len;
}

static bool is_local_label(const char *name, size_t len)
{
	return len >= 2 && name[0] == '.' && name[1] == 'L';
}

/* `write` before `__write`. */
static uint32_t name_rank(const char *name, size_t len)
{
	uint32_t underscores = 0;

	while (underscores < len && underscores < 255 && name[underscores] == '_')
		underscores++;
	return 255 - underscores;
}

bool elf_symbols__open(struct elf_symbols *s, const struct elf_bytes *from, Elf_Scn *scn,
		       bool is_whole)
{
	struct elf_records records;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;

	*s = (struct elf_symbols){.from = *from, .scn = scn, .is_whole = is_whole};
	if (!scn || !gelf_getshdr(scn, &shdr) || !gelf_getehdr(from->elf, &ehdr) ||
	    !elf_records__open(&records, from, scn, ELF_T_SYM, ELF_TABLE_MAX))
		return false;
	elf_records__close(&records);
	s->machine = ehdr.e_machine;
	if (!elf_strings__open(&s->strings, from, elf_getscn(from->elf, shdr.sh_link),
			       ELF_TABLE_MAX))
		return false;
	s->sections = read_code_sections(from->elf);
	return true;
}

void elf_symbols__close(struct elf_symbols *s)
{
	elf_strings__close(&s->strings);
	free(s->sections);
	s->sections = NULL;
}

uint64_t elf_symbols__extent(struct elf_symbols *s, const struct elf_symbol *symbol)
{
	const struct code_section *in = &s->sections->at[symbol->section];
	uint64_t size = in->end - symbol->start;
	uint8_t code[EXTENT_BYTES];
	size_t n;

	if (s->machine != EM_X86_64 || s->n_extents >= EXTENTS_MAX)
		return 1;
	s->n_extents++;
	n = elf_bytes__read(&s->from, in->file_off + (symbol->start - in->start), code,
			    size < sizeof(code) ? (size_t)size : sizeof(code));
	n = n ? code_extent(code, n, symbol->start) : 0;
	return n ? n : 1;
}

/* Code in sections of code, data with a size in others: else it isn't to be shown. */
static bool fits_section(const struct code_section *in, unsigned type, const GElf_Sym *sym)
{
	bool is_data = type == STT_OBJECT && sym->st_size;
	bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;

	return in->is_code ? is_code : is_data;
}

/*
 * Aliases: functions before untyped labels, what other files see before what they don't (weak is as
 * good as global: `write` is weak in glibc, `__write` global).
 */
static bool read_symbol(const struct elf_symbols *s, const GElf_Sym *sym, struct elf_symbol *ret)
{
	unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
	const struct code_section *in;

	if (sym->st_shndx >= s->sections->n)
		return false;
	in = &s->sections->at[sym->st_shndx];
	if (!fits_section(in, type, sym))
		return false;
	*ret = (struct elf_symbol){.start = sym->st_value, .end = in->end, .name = sym->st_name};
	if (s->machine == EM_ARM)
		ret->start &= ~1ULL; /* the bit says Thumb */
	if (ret->start >= in->end || ret->start < in->start)
		return false;
	ret->section = sym->st_shndx;
	if (sym->st_size && sym->st_size < in->end - ret->start)
		ret->end = ret->start + sym->st_size;
	ret->chooses = type == STT_GNU_IFUNC;
	ret->has_size = sym->st_size != 0;
	ret->is_open = !ret->has_size && s->is_whole;
	ret->needs_extent = !ret->has_size && !s->is_whole && func;
	if (!ret->has_size && !s->is_whole)
		ret->end = ret->start + (func && in->end - ret->start > 1 ? EXTENT_BYTES : 1);
	if (ret->end > in->end || ret->end < ret->start)
		ret->end = in->end;
	ret->rank = (func ? (uint32_t)ELF_RANK_FUNCTION : 0) + (bind != STB_LOCAL ? 256u : 0);
	return true;
}

void elf_symbols__each(struct elf_symbols *s, elf_symbol_fn fn, void *ctx)
{
	struct elf_records records;
	struct elf_symbol symbol;
	GElf_Sym sym;

	s->n_extents = 0;
	if (!elf_records__open(&records, &s->from, s->scn, ELF_T_SYM, ELF_TABLE_MAX))
		return;
	elf_records__seek(&records, 1);
	for (size_t i = 1; i < ELF_SYMBOLS_MAX && elf_records__next_symbol(&records, &sym); i++) {
		if (read_symbol(s, &sym, &symbol))
			fn(ctx, &symbol);
	}
	elf_records__close(&records);
}

const char *elf_symbols__name(struct elf_symbols *s, uint64_t offset, size_t *ret_len)
{
	const char *name = elf_strings__at(&s->strings, offset, ret_len);

	if (!name || !*ret_len || is_local_label(name, *ret_len) ||
	    is_mapping_symbol(s->machine, name, *ret_len))
		return NULL;
	*ret_len = without_version(name, *ret_len);
	return name;
}

bool elf_symbols__rank(struct elf_symbols *s, struct candidate *c)
{
	size_t len;
	const char *name = c->plt ? elf_strings__at(&s->strings, c->name, &len) :
				    elf_symbols__name(s, c->name, &len);

	if (!name || !len)
		return false;
	c->len = (uint32_t)len;
	c->rank += name_rank(name, len);
	return true;
}

uint32_t elf_symbol__number(const struct elf_bytes *from, Elf_Scn *scn, const char *name,
			    size_t name_len, bool (*is_meant)(const GElf_Sym *sym), GElf_Sym *ret)
{
	enum { NUMBERS_MAX = 1024 * 1024 };
	struct elf_records symbols;
	struct elf_strings strings;
	uint32_t found = 0;
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) ||
	    !elf_records__open(&symbols, from, scn, ELF_T_SYM, ELF_TABLE_MAX))
		return 0;
	if (elf_strings__open(&strings, from, elf_getscn(from->elf, shdr.sh_link), ELF_TABLE_MAX)) {
		for (uint32_t i = 0; i < NUMBERS_MAX && !found; i++) {
			const char *at;
			size_t len;

			if (!elf_records__next_symbol(&symbols, ret))
				break;
			if (!is_meant(ret))
				continue;
			at = elf_strings__at(&strings, ret->st_name, &len);
			if (at && len == name_len && memcmp(at, name, len) == 0)
				found = i;
		}
	}
	elf_strings__close(&strings);
	elf_records__close(&symbols);
	return found;
}
