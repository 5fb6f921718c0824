// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: to trust no index. Section numbers, string offsets and sizes in symbols are all
 * claims; the tables are read through libelf, which checks them against the file's size, and string
 * offsets here, since elf_strptr() would inflate a compressed string table of any size.
 */
#include "symd/elf_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/code_extent.h"

enum {
	NAME_BYTES_MAX = 64 * 1024,
	/* Of a function in .dynsym that has no size: bytes that are looked through, and for how many. */
	EXTENT_BYTES = 4096,
	EXTENTS_MAX = 4096,
};

Elf *elf_begin_file(int fd)
{
	struct stat st;
	Elf *elf;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
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
	size_t names, n;

	if (elf_getshdrstrndx(elf, &names) < 0 || elf_getphdrnum(elf, &n) < 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		bool is_names = elf_ndxscn(scn) == names;

		if (!gelf_getshdr(scn, &shdr))
			return false;
		if ((is_names || shdr.sh_type == SHT_NOTE) && shdr.sh_size > ELF_NOTE_MAX)
			return false;
		if (is_names && (shdr.sh_flags & SHF_COMPRESSED))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) ||
		    (phdr.p_type == PT_NOTE && phdr.p_filesz > ELF_NOTE_MAX))
			return false;
	}
	return true;
}

/* What a symbol's section says about it, for all sections, so that a million symbols don't ask
 * libelf a million times. */
struct code_sections {
	struct {
		uint64_t start, end; /* empty if not executable */
		uint64_t file_off;
	} at[SHN_LORESERVE];
};

static struct code_sections *read_code_sections(Elf *elf)
{
	struct code_sections *all = xcalloc(1, sizeof(*all));
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	uint64_t end;

	while ((scn = elf_nextscn(elf, scn))) {
		size_t i = elf_ndxscn(scn);

		if (i >= SHN_LORESERVE || !gelf_getshdr(scn, &shdr) ||
		    !(shdr.sh_flags & SHF_EXECINSTR) ||
		    __builtin_add_overflow(shdr.sh_addr, shdr.sh_size, &end))
			continue;
		all->at[i].start = shdr.sh_addr;
		all->at[i].end = end;
		all->at[i].file_off = shdr.sh_offset;
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

struct reader {
	const Elf_Data *strings;
	const struct code_sections *sections;
	unsigned machine;
	int code_fd;
	size_t n_extents;
};

/* Bytes of the function at start, by its code; 1: can't be told. */
static uint64_t read_extent(struct reader *r, uint16_t section, uint64_t start)
{
	uint64_t from = r->sections->at[section].start, end = r->sections->at[section].end;
	uint8_t code[EXTENT_BYTES];
	ssize_t got;
	size_t n;

	if (r->machine != EM_X86_64 || r->n_extents++ >= EXTENTS_MAX)
		return 1;
	got = pread(r->code_fd, code, end - start < sizeof(code) ? end - start : sizeof(code),
		    (off_t)(r->sections->at[section].file_off + (start - from)));
	n = got > 0 ? code_extent(code, (size_t)got, start) : 0;
	return n ? n : 1;
}

static bool read_name(const struct reader *r, uint32_t offset, struct symbol *ret)
{
	const char *name;
	size_t len, max;

	if (offset >= r->strings->d_size)
		return false;
	max = r->strings->d_size - offset;
	name = (const char *)r->strings->d_buf + offset;
	len = strnlen(name, max < NAME_BYTES_MAX ? max : NAME_BYTES_MAX);
	if (!len || (len >= 2 && name[0] == '.' && name[1] == 'L') ||
	    is_mapping_symbol(r->machine, name, len))
		return false;
	ret->name = name;
	ret->len = (uint32_t)without_version(name, len);
	return true;
}

/*
 * Aliases: functions before untyped labels, what other files see before what they don't (weak is as
 * good as global: `write` is weak in glibc, `__write` global), then symtab.h's order.
 */
static bool read_symbol(struct reader *r, const GElf_Sym *sym, struct symbol *ret)
{
	unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
	bool whole = r->code_fd < 0;
	uint64_t start = sym->st_value, limit;

	if ((!func && type != STT_NOTYPE) || sym->st_shndx >= SHN_LORESERVE)
		return false;
	limit = r->sections->at[sym->st_shndx].end;
	if (r->machine == EM_ARM)
		start &= ~1ULL; /* the bit says Thumb */
	if (start >= limit || start < r->sections->at[sym->st_shndx].start)
		return false;
	*ret = (struct symbol){.start = start, .end = limit, .prio = sym->st_size != 0};
	if (!read_name(r, sym->st_name, ret))
		return false;
	if (sym->st_size && sym->st_size < limit - start)
		ret->end = start + sym->st_size;
	else if (!sym->st_size && !whole)
		ret->end = start + (func ? read_extent(r, sym->st_shndx, start) : 1);
	ret->open = !sym->st_size && whole;
	ret->rank = (func ? 512u : 0) + (bind != STB_LOCAL ? 256u : 0) +
		    symtab_name_rank(ret->name, ret->len);
	return true;
}

void elf_symbols__read(Elf *elf, Elf_Scn *scn, int code_fd, struct symtab *t)
{
	Elf_Data *data = elf_section__data(scn, ELF_TABLE_MAX);
	_cleanup_free_ struct code_sections *sections = NULL;
	struct reader r = {.code_fd = code_fd};
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;
	GElf_Sym sym;
	size_t n;

	if (!data || data->d_type != ELF_T_SYM || !gelf_getshdr(scn, &shdr) ||
	    !gelf_getehdr(elf, &ehdr))
		return;
	r.strings = elf_section__data(elf_getscn(elf, shdr.sh_link), ELF_TABLE_MAX);
	if (!r.strings)
		return;
	r.machine = ehdr.e_machine;
	r.sections = sections = read_code_sections(elf);
	n = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 1; i < n && i < SYMTAB_MAX; i++) {
		struct symbol s;

		if (gelf_getsym(data, (int)i, &sym) && read_symbol(&r, &sym, &s) &&
		    !symtab__add(t, &s))
			return;
	}
}
