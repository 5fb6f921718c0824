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
#include "symd/elf_hotspot.h"
#include "symd/elf_python.h"
#include "symd/elf_symbols.h"
#include "symd/elf_v8.h"

enum {
	CODE_MAX = 64,
	/* The linker and crt1.o bring some FDEs even where the compiler was told to make none. */
	FEW_ENTRIES = 8,
	TRAMPOLINE_BYTES = 8,
	/* Bytes of .eh_frame and .debug_frame in memory at a time. */
	SECTION_BYTES = 8 << 20,
	/* A compressed .debug_frame is inflated as a whole. */
	INFLATE_MAX = 16 << 20,
	/* Nobody asks twice about less. */
	ONE_RANGE = 16 << 20,
};

struct elf_cfi {
	int fd;
	struct stat st;
	bool read_code;
	Elf *elf;
	bool sane; /* its sections have names */
	enum cfi_machine machine;
	struct cfi_code code[CODE_MAX];
	size_t n_code;
	struct cfi *cfi; /* while a range is built */
	struct paged eh_frame, debug_frame;
	bool inflated; /* .debug_frame was compressed */
	struct elf_code instructions;
	struct go_pcln go;
	bool has_looked; /* for the interpreter in it */
	enum pmb_runtime_state state;
	struct pmb_runtime runtime;
};

struct elf_cfi *elf_cfi__free(struct elf_cfi *s)
{
	if (!s)
		return NULL;
	cfi__free(s->cfi);
	elf_code__done(&s->instructions);
	paged__close(&s->eh_frame);
	paged__close(&s->debug_frame);
	elf_end(s->elf);
	cleanup_close(&s->fd);
	free(s);
	return NULL;
}

static int by_offset(const void *pa, const void *pb)
{
	const struct cfi_code *a = pa, *b = pb;

	return a->file_off != b->file_off ? CMP3(a->file_off, b->file_off) :
					    CMP3(a->vaddr, b->vaddr);
}

/* Segments may claim more than the file has, and the same of it twice. */
static void make_disjoint(struct elf_cfi *s)
{
	uint64_t done = 0, file_size = (uint64_t)s->st.st_size;
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

static int find_code(struct elf_cfi *s)
{
	GElf_Ehdr ehdr;
	GElf_Phdr p;
	size_t n;

	if (fstat(s->fd, &s->st) < 0 || !gelf_getehdr(s->elf, &ehdr) ||
	    elf_getphdrnum(s->elf, &n) < 0)
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
	make_disjoint(s);
	return s->n_code ? 0 : -EINVAL;
}

/* The contents of a compressed section, if what they claim to become is bearable. */
static Elf_Data *inflate(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;

	if (shdr->sh_size > INFLATE_MAX)
		return NULL;
	if ((shdr->sh_flags & SHF_COMPRESSED) &&
	    (!gelf_getchdr(scn, &chdr) || chdr.ch_size > INFLATE_MAX ||
	     elf_compress(scn, 0, 0) < 0))
		return NULL;
	return elf_section__data(scn, INFLATE_MAX);
}

static bool source__has(const struct elf_cfi *s, const char *name)
{
	return s->sane && elf_section__by_name(s->elf, name);
}

/* Bytes of the file, which are in memory only where they are looked at. False: there are none. */
static bool page_in(struct elf_cfi *s, struct paged *paged, uint64_t off, uint64_t len)
{
	uint64_t size = (uint64_t)s->st.st_size;

	if (off >= size || !len || len > CFI_SECTION_MAX)
		return false;
	return paged->data ||
	       paged__open(paged, s->fd, off, len < size - off ? len : size - off, SECTION_BYTES);
}

/* Inflating changes what the section says of itself. */
static bool was_compressed(struct elf_cfi *s, const GElf_Shdr *shdr)
{
	s->inflated |= (shdr->sh_flags & SHF_COMPRESSED) != 0;
	return s->inflated;
}

/* 1: there is such a section, and it was added. */
static int add_section(struct elf_cfi *s, const char *name, bool is_debug)
{
	Elf_Scn *scn = s->sane ? elf_section__by_name(s->elf, name) : NULL;
	struct paged *paged = is_debug ? &s->debug_frame : &s->eh_frame;
	struct cfi_section section = {.is_debug = is_debug};
	Elf_Data *data = NULL;
	GElf_Shdr shdr;
	int r;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
		return 0;
	section.vaddr = shdr.sh_addr;
	if (is_debug && was_compressed(s, &shdr)) {
		data = inflate(scn, &shdr);
		section.data = data ? data->d_buf : NULL;
		section.len = data ? data->d_size : 0;
	} else if (page_in(s, paged, shdr.sh_offset, shdr.sh_size)) {
		section.paged = paged;
		section.data = paged->data;
		section.len = paged->len;
	}
	if (!section.data)
		return 0;
	r = cfi__add_section(s->cfi, &section);
	return r < 0 ? r : 1;
}

/* The bytes of the file from vaddr on, to the end of its segment. */
static bool page_in_loose(struct elf_cfi *s, uint64_t vaddr)
{
	GElf_Phdr p;
	uint64_t len;
	size_t n;

	if (elf_getphdrnum(s->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(s->elf, (int)i, &p) || p.p_type != PT_LOAD || vaddr < p.p_vaddr ||
		    vaddr - p.p_vaddr >= p.p_filesz)
			continue;
		len = p.p_filesz - (vaddr - p.p_vaddr);
		return page_in(s, &s->eh_frame, p.p_offset + (vaddr - p.p_vaddr),
			       len < CFI_SECTION_MAX ? len : CFI_SECTION_MAX);
	}
	return false;
}

/* .eh_frame_hdr: u8 version, 3 × u8 encoding, the address of .eh_frame. */
static bool find_by_header(const struct elf_cfi *s, uint64_t *ret_vaddr)
{
	enum { HEADER_BYTES = 4 + 16 };
	uint8_t bytes[HEADER_BYTES], encoding;
	struct cfi_section header = {.data = bytes};
	struct cursor c;
	GElf_Phdr p;
	ssize_t got;

	if (!elf_segment__by_type(s->elf, PT_GNU_EH_FRAME, INT32_MAX, &p))
		return false;
	got = pread(s->fd, bytes, sizeof(bytes), (off_t)p.p_offset);
	header.len = got > 0 ? (size_t)got : 0;
	header.vaddr = header.data_base = p.p_vaddr;
	c = cursor__over(bytes, header.len);
	if (cursor__u8(&c) != 1)
		return false;
	encoding = cursor__u8(&c);
	cursor__u16(&c);
	return encoding != DW_EH_PE_omit && cfi_pointer__read(&header, &c, encoding, ret_vaddr);
}

static int add_loose(struct elf_cfi *s)
{
	struct cfi_section section = {.is_open = true};

	if (!find_by_header(s, &section.vaddr))
		return 0;
	if (!page_in_loose(s, section.vaddr))
		return 0;
	section.paged = &s->eh_frame;
	section.data = s->eh_frame.data;
	section.len = s->eh_frame.len;
	return cfi__add_section(s->cfi, &section);
}

static bool is_go(const struct elf_cfi *s)
{
	return source__has(s, ".gopclntab") || source__has(s, ".go.buildinfo") ||
	       source__has(s, ".data.rel.ro.gopclntab");
}

/* The vDSO of arm64 describes hardly anything, but its functions are leaves, and one of them is
 * where signal handlers return to. True if this is it. */
static bool add_arm64_vdso(struct elf_cfi *s)
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

static int add_init(struct elf_cfi *s, const char *name)
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
static int add_go_thread_start(struct elf_cfi *s)
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
static int collect(struct elf_cfi *s, struct pmb_unwind_rule *ret_gap)
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

static void find_entry_point(struct elf_cfi *s)
{
	GElf_Ehdr ehdr;

	if (gelf_getehdr(s->elf, &ehdr) && ehdr.e_entry)
		cfi__set_entry_point(s->cfi, ehdr.e_entry);
}

static void fill_gaps(struct elf_cfi *s)
{
	if (s->machine != CFI_X86_64)
		return;
	if (is_go(s)) {
		if (elf_go__open(&s->go, s->elf, s->fd, s->code, s->n_code))
			cfi__set_fill(s->cfi, go_pcln__fill, true, &s->go);
		return;
	}
	s->instructions.fd = s->fd;
	s->instructions.elf = s->elf;
	s->instructions.sane = s->sane;
	s->instructions.code = s->code;
	s->instructions.n_code = s->n_code;
	cfi__set_fill(s->cfi, elf_code__fill, false, &s->instructions);
	cfi__set_fill_small(s->cfi, elf_code__fill_small);
}

int elf_cfi__open(int fd, bool read_code, struct elf_cfi **ret)
{
	struct elf_cfi *s = xcalloc(1, sizeof(*s));
	int r;

	s->fd = fd;
	s->read_code = read_code;
	s->elf = elf_begin_file(fd);
	r = s->elf ? find_code(s) : -EINVAL;
	if (r < 0) {
		elf_cfi__free(s);
		return r;
	}
	s->sane = elf_sections__sane(s->elf);
	*ret = s;
	return 0;
}

bool elf_cfi__more(const struct elf_cfi *e)
{
	return e->st.st_size > ONE_RANGE;
}

bool elf_cfi__rest(struct elf_cfi *e)
{
	paged__rest(&e->eh_frame);
	paged__rest(&e->debug_frame);
	elf_code__rest(&e->instructions);
	return e->instructions.swept && !e->inflated && elf_cfi__more(e);
}

bool elf_cfi__is_of(const struct elf_cfi *e, int fd)
{
	const struct stat *was = &e->st;
	struct stat is;

	return fstat(fd, &is) == 0 && is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
	       is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec &&
	       is.st_ctim.tv_sec == was->st_ctim.tv_sec &&
	       is.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

int elf_cfi__build(struct elf_cfi *s, uint64_t from, uint64_t to, struct cfi_table *t)
{
	struct pmb_unwind_rule gap;
	int r;

	s->cfi = cfi__new(s->machine, s->code, s->n_code);
	cfi__set_range(s->cfi, from, to);
	r = collect(s, &gap);
	if (r == 0) {
		find_entry_point(s);
		if (s->read_code)
			fill_gaps(s);
		t->n_bad = cfi__emit(s->cfi, &gap, cfi_table__add, t);
		r = t->err;
	}
	s->cfi = cfi__free(s->cfi);
	return r;
}

static enum pmb_runtime_state find_runtime(const struct elf_cfi *s, struct pmb_runtime *ret)
{
	const struct elf_bytes from = {.elf = s->elf, .fd = s->fd};
	enum pmb_runtime_state state = elf_python__find(&from, ret);

	if (state == PMB_RUNTIME_NONE)
		state = elf_hotspot__find(&from, ret);
	return state == PMB_RUNTIME_NONE ? elf_v8__find(&from, ret) : state;
}

enum pmb_runtime_state elf_cfi__runtime(struct elf_cfi *s, struct pmb_runtime *ret)
{
	if (!s->has_looked)
		s->state = find_runtime(s, &s->runtime);
	s->has_looked = true;
	*ret = s->runtime;
	return s->state;
}
