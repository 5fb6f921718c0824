// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/cfi_entry.h"
#include "symd/elf_code.h"
#include "symd/elf_go.h"
#include "symd/elf_init.h"
#include "symd/elf_symbols.h"

enum {
	CODE_MAX = 64,
	/* The linker and crt1.o bring some FDEs even where the compiler was told to make none. */
	FEW_ENTRIES = 8,
	TRAMPOLINE_BYTES = 8,
};

struct source {
	int fd;
	Elf *elf;
	bool sane; /* its sections have names */
	enum cfi_machine machine;
	struct cfi_code code[CODE_MAX];
	size_t n_code;
	struct cfi *cfi;
	void *loose; /* .eh_frame, where no section has it */
	struct elf_code instructions;
	struct go_pcln go;
};

static void source__done(struct source *s)
{
	cfi__free(s->cfi);
	elf_code__done(&s->instructions);
	elf_end(s->elf);
	free(s->loose);
}

static int by_offset(const void *pa, const void *pb)
{
	const struct cfi_code *a = pa, *b = pb;

	return a->file_off != b->file_off ? CMP3(a->file_off, b->file_off) :
					    CMP3(a->vaddr, b->vaddr);
}

/* Segments may claim more than the file has, and the same of it twice. */
static void make_disjoint(struct source *s, uint64_t file_size)
{
	uint64_t done = 0;
	size_t n = 0;

	qsort(s->code, s->n_code, sizeof(*s->code), by_offset);
	for (size_t i = 0; i < s->n_code; i++) {
		struct cfi_code c = s->code[i];
		uint64_t skip = c.file_off < done ? done - c.file_off : 0;

		if (c.file_off >= file_size)
			continue;
		if (c.size > file_size - c.file_off)
			c.size = file_size - c.file_off;
		if (skip >= c.size)
			continue;
		c.file_off += skip;
		c.vaddr += skip;
		c.size -= skip;
		done = c.file_off + c.size;
		s->code[n++] = c;
	}
	s->n_code = n;
}

static int find_code(struct source *s)
{
	struct stat st;
	GElf_Ehdr ehdr;
	GElf_Phdr p;
	size_t n;

	if (fstat(s->fd, &st) < 0 || !gelf_getehdr(s->elf, &ehdr) || elf_getphdrnum(s->elf, &n) < 0)
		return -EINVAL;
	if (ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64))
		return -ENOTSUP;
	s->machine = ehdr.e_machine == EM_X86_64 ? CFI_X86_64 : CFI_ARM64;
	for (size_t i = 0; i < n && s->n_code < CODE_MAX; i++) {
		if (!gelf_getphdr(s->elf, (int)i, &p))
			break;
		if (p.p_type == PT_LOAD && (p.p_flags & PF_X) && p.p_filesz)
			s->code[s->n_code++] = (struct cfi_code){.file_off = p.p_offset,
								 .vaddr = p.p_vaddr,
								 .size = p.p_filesz};
	}
	make_disjoint(s, (uint64_t)st.st_size);
	return s->n_code ? 0 : -EINVAL;
}

/* Inflates a section in place, if what it claims to become is bearable. */
static bool inflate(Elf_Scn *scn)
{
	GElf_Chdr chdr;
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return false;
	if (!(shdr.sh_flags & SHF_COMPRESSED))
		return true;
	return shdr.sh_size <= CFI_SECTION_MAX && gelf_getchdr(scn, &chdr) &&
	       chdr.ch_size <= CFI_SECTION_MAX && elf_compress(scn, 0, 0) >= 0;
}

static bool source__has(const struct source *s, const char *name)
{
	return s->sane && elf_section__by_name(s->elf, name);
}

/* 1: there is such a section, and it was added. */
static int add_section(struct source *s, const char *name, bool is_debug)
{
	Elf_Scn *scn = s->sane ? elf_section__by_name(s->elf, name) : NULL;
	Elf_Data *data = scn && inflate(scn) ? elf_section__data(scn, CFI_SECTION_MAX) : NULL;
	struct cfi_section section = {.is_debug = is_debug};
	GElf_Shdr shdr;
	int r;

	if (!data || !gelf_getshdr(scn, &shdr))
		return 0;
	section.data = data->d_buf;
	section.len = data->d_size;
	section.vaddr = shdr.sh_addr;
	r = cfi__add_section(s->cfi, &section);
	return r < 0 ? r : 1;
}

/* The bytes of the file from vaddr on, to the end of its segment. */
static size_t read_loose(struct source *s, uint64_t vaddr)
{
	GElf_Phdr p;
	ssize_t got;
	size_t n, len;

	if (elf_getphdrnum(s->elf, &n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(s->elf, (int)i, &p) || p.p_type != PT_LOAD || vaddr < p.p_vaddr ||
		    vaddr - p.p_vaddr >= p.p_filesz)
			continue;
		len = p.p_filesz - (vaddr - p.p_vaddr);
		if (len > CFI_SECTION_MAX)
			len = CFI_SECTION_MAX;
		s->loose = xcalloc(1, len);
		got = pread(s->fd, s->loose, len, (off_t)(p.p_offset + (vaddr - p.p_vaddr)));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* .eh_frame_hdr: u8 version, 3 × u8 encoding, the address of .eh_frame. */
static bool find_by_header(const struct source *s, uint64_t *ret_vaddr)
{
	enum { HEADER_BYTES = 4 + 16 };
	uint8_t bytes[HEADER_BYTES], encoding;
	struct cfi_section header = {.data = bytes};
	struct cursor c;
	GElf_Phdr p;
	size_t n;

	if (elf_getphdrnum(s->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		ssize_t got;

		if (!gelf_getphdr(s->elf, (int)i, &p) || p.p_type != PT_GNU_EH_FRAME)
			continue;
		got = pread(s->fd, bytes, sizeof(bytes), (off_t)p.p_offset);
		header.len = got > 0 ? (size_t)got : 0;
		header.vaddr = header.data_base = p.p_vaddr;
		c = cursor__over(bytes, header.len);
		if (cursor__u8(&c) != 1)
			return false;
		encoding = cursor__u8(&c);
		cursor__u16(&c);
		return encoding != DW_EH_PE_omit &&
		       cfi_pointer__read(&header, &c, encoding, ret_vaddr);
	}
	return false;
}

static int add_loose(struct source *s)
{
	struct cfi_section section = {.is_open = true};

	if (!find_by_header(s, &section.vaddr))
		return 0;
	section.len = read_loose(s, section.vaddr);
	section.data = s->loose;
	return section.len ? cfi__add_section(s->cfi, &section) : 0;
}

static bool is_go(const struct source *s)
{
	return source__has(s, ".gopclntab") || source__has(s, ".go.buildinfo") ||
	       source__has(s, ".data.rel.ro.gopclntab");
}

/* The vDSO of arm64 describes hardly anything, but its functions are leaves, and one of them is where
 * signal handlers return to. True if this is it. */
static bool add_arm64_vdso(struct source *s)
{
	static const struct pmb_unwind_rule rule = {.cfa = PMB_CFA_SIGNAL};
	static const char name[] = "__kernel_rt_sigreturn";
	Elf_Scn *scn = s->machine == CFI_ARM64 ? elf_section__by_type(s->elf, SHT_DYNSYM) : NULL;
	Elf_Data *data = elf_section__data(scn, ELF_NOTE_MAX), *names;
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!data || data->d_type != ELF_T_SYM || !gelf_getshdr(scn, &shdr))
		return false;
	names = elf_section__data(elf_getscn(s->elf, shdr.sh_link), ELF_NOTE_MAX);
	for (int i = 1; names && gelf_getsym(data, i, &sym); i++) {
		if (sym.st_name >= names->d_size || names->d_size - sym.st_name < sizeof(name) ||
		    memcmp((const char *)names->d_buf + sym.st_name, name, sizeof(name)))
			continue;
		if (!sym.st_size)
			sym.st_size = TRAMPOLINE_BYTES;
		return cfi__add_fixed(s->cfi, sym.st_value, sym.st_size, &rule) == 0;
	}
	return false;
}

static int add_init(struct source *s, const char *name)
{
	Elf_Scn *scn = s->sane && s->machine == CFI_X86_64 ? elf_section__by_name(s->elf, name) :
							     NULL;
	Elf_Data *data = elf_section__data(scn, ELF_NOTE_MAX);
	GElf_Shdr shdr;

	if (!data || !data->d_buf || !gelf_getshdr(scn, &shdr))
		return 0;
	return elf_init__add(s->cfi, shdr.sh_addr, data->d_buf, data->d_size);
}

static bool is_go_thread_start(struct elf_strings *names, const GElf_Sym *sym)
{
	static const char *const starts[] = {"runtime.mstart", "runtime.mstart.abi0"};
	const char *name;
	size_t len;

	name = sym->st_size && GELF_ST_TYPE(sym->st_info) == STT_FUNC ?
		       elf_strings__at(names, sym->st_name, &len) :
		       NULL;
	for (size_t i = 0; name && i < ARRAY_SIZE(starts); i++) {
		if (len == strlen(starts[i]) && memcmp(name, starts[i], len) == 0)
			return true;
	}
	return false;
}

/* What starts the runtime's threads: its caller is C, whose frame pointer is any number. */
static int add_go_thread_start(struct source *s)
{
	static const struct pmb_unwind_rule end = {.cfa = PMB_CFA_END};
	struct elf_bytes from = {.elf = s->elf, .fd = s->fd};
	Elf_Scn *scn = elf_section__by_type(s->elf, SHT_SYMTAB);
	struct elf_records records;
	struct elf_strings names;
	GElf_Shdr shdr;
	GElf_Sym sym;
	int r = 0;

	if (!scn || !gelf_getshdr(scn, &shdr) ||
	    !elf_strings__open(&names, &from, elf_getscn(s->elf, shdr.sh_link), ELF_TABLE_MAX))
		return 0;
	if (elf_records__open(&records, &from, scn, ELF_T_SYM, ELF_TABLE_MAX)) {
		elf_records__seek(&records, 1);
		for (size_t i = 1; i < ELF_SYMBOLS_MAX && elf_records__next_symbol(&records, &sym);
		     i++) {
			if (!is_go_thread_start(&names, &sym))
				continue;
			r = cfi__add_fixed(s->cfi, sym.st_value, sym.st_size, &end);
			break;
		}
		elf_records__close(&records);
	}
	elf_strings__close(&names);
	return r;
}

/* All that describes code; *ret_gap is for what nothing describes. */
static int collect(struct source *s, struct pmb_unwind_rule *ret_gap)
{
	bool go = is_go(s), few;
	int r = add_section(s, ".eh_frame", false);

	*ret_gap = (struct pmb_unwind_rule){.cfa = PMB_CFA_NONE};
	if (r == 0)
		r = add_loose(s);
	if (r >= 0 && !go && cfi__n_entries(s->cfi) < FEW_ENTRIES)
		r = add_section(s, ".debug_frame", true);
	if (r < 0)
		return r;
	few = cfi__n_entries(s->cfi) < FEW_ENTRIES;
	r = add_init(s, ".init");
	if (r == 0)
		r = add_init(s, ".fini");
	if (r == 0 && go)
		r = add_go_thread_start(s);
	if (r < 0)
		return r;
	if (go || few)
		ret_gap->cfa = PMB_CFA_FRAME;
	if (go)
		ret_gap->cfa_off = PMB_OTHER_STACKS;
	if (add_arm64_vdso(s))
		*ret_gap = (struct pmb_unwind_rule){.cfa = PMB_CFA_SP, .ra = PMB_RA_LR};
	return 0;
}

static void find_entry_point(struct source *s)
{
	GElf_Ehdr ehdr;

	if (gelf_getehdr(s->elf, &ehdr) && ehdr.e_entry)
		cfi__set_entry_point(s->cfi, ehdr.e_entry);
}

static void fill_gaps(struct source *s)
{
	if (s->machine != CFI_X86_64)
		return;
	if (is_go(s)) {
		if (elf_go__open(&s->go, s->elf, s->fd, s->code, s->n_code))
			cfi__set_fill(s->cfi, go_pcln__fill, &s->go);
		return;
	}
	s->instructions = (struct elf_code){
		.fd = s->fd,
		.elf = s->elf,
		.sane = s->sane,
		.code = s->code,
		.n_code = s->n_code,
	};
	cfi__set_fill(s->cfi, elf_code__fill, &s->instructions);
}

int elf_cfi__build(int fd, bool read_code, struct cfi_table *t)
{
	_cleanup_(source__done) struct source s = {.fd = fd, .elf = elf_begin_file(fd)};
	struct pmb_unwind_rule gap;
	int r = s.elf ? find_code(&s) : -EINVAL;

	if (r < 0)
		return r;
	s.sane = elf_sections__sane(s.elf);
	s.cfi = cfi__new(s.machine, s.code, s.n_code);
	r = collect(&s, &gap);
	if (r < 0)
		return r;
	find_entry_point(&s);
	if (read_code)
		fill_gaps(&s);
	t->n_bad = cfi__emit(s.cfi, &gap, cfi_table__add, t);
	return t->err;
}
