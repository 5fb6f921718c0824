// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the file may change or shrink while it is read. So it is read (ELF_C_READ), never
 * mapped, and a truncated file is a short read, not a SIGBUS. libelf gets to see headers and notes;
 * what may be large is read through windows (elf_bytes.h).
 */
#include "symd/elf_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <linux/types.h>
#include <lzma.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/search.h"
#include "pmubpf/data_place.h"
#include "symd/elf_go.h"
#include "symd/elf_symbols.h"
#include "symd/minidebug.h"

enum {
	PHDRS_MAX = 256,
	LOADS_MAX = 256,
	MAP_PAGE = 4096,
};

struct load {
	uint64_t file_off, filesz, vaddr, memsz;
	bool exec;
};

struct go_names {
	struct go_pcln pcln;
	struct cfi_code code[LOADS_MAX];
};

struct elf_file {
	int fd, debug_fd;
	Elf *elf, *debug, *mini;
	void *mini_bytes;
	struct load loads[LOADS_MAX];
	size_t n_loads;
	bool has_bytes; /* one of them does: the debug file of another has none */
	struct elf_identity id;
	size_t mini_len;
	struct elf_names names;
	bool sane;           /* see elf_sections__sane() */
	bool read;           /* symbol tables are found */
	struct go_names *go; /* NULL: it isn't Go's */
	struct debug_info *info;
	bool info_read; /* or there is none */
};

static void read_loads(struct elf_file *f)
{
	GElf_Phdr p;
	size_t n;

	if (elf_getphdrnum(f->elf, &n) < 0)
		return;
	for (size_t i = 0; i < n && f->n_loads < LOADS_MAX; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &p))
			return;
		if (p.p_type != PT_LOAD || !p.p_memsz)
			continue;
		f->has_bytes |= p.p_filesz > 0;
		f->loads[f->n_loads++] = (struct load){
			.file_off = p.p_offset,
			.filesz = p.p_filesz,
			.vaddr = p.p_vaddr,
			.memsz = p.p_memsz,
			.exec = p.p_flags & PF_X,
		};
	}
}

static size_t read_build_id(Elf *elf, const uint8_t **ret)
{
	const void *bytes = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &bytes);

	if (len <= 0 || !bytes)
		return 0;
	*ret = bytes;
	return (size_t)len;
}

static void read_identity(struct elf_file *f)
{
	GElf_Word crc = 0;

	f->id.has_symtab = elf_section__by_type(f->elf, SHT_SYMTAB) != NULL;
	f->sane = elf_sections__sane(f->elf);
	if (!f->sane)
		return;
	f->id.has_debug_info = debug_info__exists(f->elf);
	f->id.build_id_len = read_build_id(f->elf, &f->id.build_id);
	if (elf_section__data(elf_section__by_name(f->elf, ".gnu_debuglink"), ELF_NOTE_MAX))
		f->id.link = dwelf_elf_gnu_debuglink(f->elf, &crc);
	f->id.link_crc = f->id.link ? crc : 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct cfi_code *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static void add_go(struct elf_file *f)
{
	_cleanup_free_ struct go_names *go = NULL;
	size_t n = 0;

	if (!f->sane || !elf_file__is_64(f))
		return;
	go = xcalloc(1, sizeof(*go));
	for (size_t i = 0; i < f->n_loads; i++) {
		const struct load *l = &f->loads[i];

		if (l->exec)
			go->code[n++] = (struct cfi_code){l->file_off, l->vaddr, l->filesz};
	}
	qsort(go->code, n, sizeof(*go->code), by_vaddr);
	if (elf_go__open(&go->pcln, f->elf, f->fd, go->code, n))
		f->go = TAKE_PTR(go);
}

static bool has_go(const struct elf_file *f)
{
	return elf_section__by_name(f->elf, ".gopclntab") ||
	       elf_section__by_name(f->elf, ".data.rel.ro.gopclntab");
}

int elf_file__open(int fd, struct elf_file **ret)
{
	struct elf_file *f = xcalloc(1, sizeof(*f));

	f->fd = fd;
	f->debug_fd = -1;
	f->elf = elf_begin_file(fd);
	if (f->elf)
		read_loads(f);
	if (!f->has_bytes) {
		elf_file__free(f);
		return -EINVAL;
	}
	read_identity(f);
	if (f->sane && has_go(f))
		add_go(f);
	*ret = f;
	return 0;
}

struct elf_file *elf_file__free(struct elf_file *f)
{
	if (!f)
		return NULL;
	elf_names__done(&f->names);
	debug_info__free(f->info);
	free(f->go);
	elf_end(f->mini);
	free(f->mini_bytes);
	elf_end(f->debug);
	elf_end(f->elf);
	cleanup_close(&f->debug_fd);
	cleanup_close(&f->fd);
	free(f);
	return NULL;
}

struct elf_bytes elf_file__bytes(const struct elf_file *f)
{
	return (struct elf_bytes){.elf = f->elf, .fd = f->fd};
}

void elf_file__identity(const struct elf_file *f, struct elf_identity *ret)
{
	*ret = f->id;
}

/* The CRC of .gnu_debuglink is the one of xz and zlib. */
static bool file_crc(int fd, uint32_t *ret)
{
	enum { CHUNK = 256 * 1024 };
	_cleanup_free_ uint8_t *chunk = xcalloc(1, CHUNK);
	uint32_t crc = 0;
	off_t off = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, CHUNK, off)) > 0) {
		crc = lzma_crc32(chunk, (size_t)n, crc);
		off += n;
	}
	*ret = crc;
	return n == 0;
}

static bool is_debug_of(const struct elf_file *f, Elf *debug, int fd)
{
	const uint8_t *build_id;
	size_t len = elf_sections__sane(debug) ? read_build_id(debug, &build_id) : 0;
	uint32_t crc;

	if (len && f->id.build_id_len)
		return len == f->id.build_id_len && !memcmp(build_id, f->id.build_id, len);
	return f->id.link && file_crc(fd, &crc) && crc == f->id.link_crc;
}

static void cleanup_elf(Elf **elf)
{
	elf_end(*elf);
}

/* Has debug what f lacks? (Names are looked at only in what is_debug_of() found sane.) */
static bool adds_to(const struct elf_file *f, Elf *debug)
{
	return (!f->id.has_symtab && elf_section__by_type(debug, SHT_SYMTAB)) ||
	       (!f->id.has_debug_info && elf_sections__sane(debug) && debug_info__exists(debug));
}

bool elf_file__add_debug(struct elf_file *f, int fd)
{
	_cleanup_close_ int debug_fd = fd;
	_cleanup_(cleanup_elf) Elf *debug = elf_begin_file(fd);

	if (!debug || f->debug || f->read || !adds_to(f, debug) || !is_debug_of(f, debug, fd))
		return false;
	f->debug = TAKE_PTR(debug);
	f->debug_fd = TAKE_FD(debug_fd);
	return true;
}

static bool load__holds(const struct load *l, uint64_t file_off, bool whole_pages)
{
	uint64_t slack = whole_pages ? l->file_off % MAP_PAGE : 0;
	uint64_t start = l->file_off - slack, size = l->filesz;

	if (!size || __builtin_add_overflow(size, slack, &size))
		return false;
	if (whole_pages && size <= UINT64_MAX - MAP_PAGE)
		size = (size + MAP_PAGE - 1) / MAP_PAGE * MAP_PAGE;
	return file_off >= start && file_off - start < size;
}

/* Of data: as far from the file's code as it was in memory, if the file has anything there. */
static bool data_vaddr(const struct elf_file *f, uint64_t place, uint64_t *ret)
{
	const struct load *code = NULL;

	place &= 2 * DATA_PLACE_SPAN - 1;
	for (size_t i = 0; i < f->n_loads && !code; i++)
		code = f->loads[i].exec ? &f->loads[i] : NULL;
	if (!code)
		return false;
	*ret = place - code->file_off + code->vaddr;
	for (size_t i = 0; i < f->n_loads; i++) {
		if (*ret >= f->loads[i].vaddr && *ret - f->loads[i].vaddr < f->loads[i].memsz)
			return true;
	}
	return false;
}

size_t elf_file__read(const struct elf_file *f, uint64_t vaddr, void *ret, size_t n)
{
	for (size_t i = 0; i < f->n_loads; i++) {
		const struct load *l = &f->loads[i];
		const struct elf_bytes from = {.elf = f->elf, .fd = f->fd};

		if (vaddr < l->vaddr || vaddr - l->vaddr >= l->filesz)
			continue;
		if (n > l->filesz - (vaddr - l->vaddr))
			n = l->filesz - (vaddr - l->vaddr);
		return elf_bytes__read(&from, l->file_off + (vaddr - l->vaddr), ret, n);
	}
	return 0;
}

/* A table of pairs of 32-bit distances from its own beginning: to a function, and to its FDE. */
static bool read_start(const struct elf_file *f, uint64_t hdr, uint64_t i, uint64_t *ret)
{
	int32_t distance;

	if (elf_file__read(f, hdr + 12 + 8 * i, &distance, sizeof(distance)) != sizeof(distance))
		return false;
	*ret = hdr + (uint64_t)(int64_t)distance;
	return true;
}

/* Which functions there are is said in a header in front of .eh_frame. */
static bool find_functions(const struct elf_file *f, uint64_t *ret_hdr, uint32_t *ret_n)
{
	static const uint8_t kind[] = {1, 0x1b, 0x03, 0x3b}; /* as all linkers make it */
	uint8_t head[12];
	GElf_Ehdr ehdr;
	GElf_Phdr p;

	if (!gelf_getehdr(f->elf, &ehdr) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    !elf_segment__by_type(f->elf, PT_GNU_EH_FRAME, PHDRS_MAX, &p) ||
	    elf_file__read(f, p.p_vaddr, head, sizeof(head)) != sizeof(head) ||
	    memcmp(head, kind, sizeof(kind)) != 0)
		return false;
	memcpy(ret_n, head + 8, sizeof(*ret_n));
	*ret_hdr = p.p_vaddr;
	return true;
}

bool elf_file__function(const struct elf_file *f, uint64_t vaddr, uint64_t *ret_start,
			uint64_t *ret_end)
{
	uint64_t hdr, start;
	bool ok = true;
	uint32_t n, low;

	if (!find_functions(f, &hdr, &n))
		return false;
	low = (uint32_t)FIRST_INDEX(i, n,
				    !(ok = ok && read_start(f, hdr, (uint32_t)i, &start)) ||
					    start > vaddr);
	/* the last that begins at vaddr or below is before it */
	if (!ok || !low || !read_start(f, hdr, low - 1, ret_start) || *ret_start > vaddr)
		return false;
	if (low == n || !read_start(f, hdr, low, ret_end))
		*ret_end = UINT64_MAX;
	return true;
}

bool elf_file__code(const struct elf_file *f, uint64_t vaddr, uint64_t *ret_start,
		    uint64_t *ret_end, bool *ret_go)
{
	struct elf_name name;

	*ret_go = f->go && elf_go__find(&f->go->pcln, vaddr, &name);
	if (!*ret_go)
		return elf_file__function(f, vaddr, ret_start, ret_end);
	*ret_start = name.start;
	*ret_end = name.end;
	return true;
}

/* Two segments may hold the same bytes of the file; the executable one ran. The kernel maps whole
 * pages, so what stands beside a segment in its pages can run too, but only if nothing else
 * fits. */
bool elf_file__vaddr(const struct elf_file *f, uint64_t file_off, uint64_t *ret)
{
	if (file_off & DATA_PLACE_MARK)
		return data_vaddr(f, file_off, ret);
	for (int attempt = 0; attempt < 4; attempt++) {
		bool exec = attempt % 2 == 0, whole_pages = attempt >= 2;

		for (size_t i = 0; i < f->n_loads; i++) {
			const struct load *l = &f->loads[i];

			if (l->exec != exec || !load__holds(l, file_off, whole_pages))
				continue;
			*ret = file_off - l->file_off + l->vaddr;
			return true;
		}
	}
	return false;
}

static void add_minidebug(struct elf_file *f)
{
	Elf_Scn *scn = f->sane ? elf_section__by_name(f->elf, ".gnu_debugdata") : NULL;
	Elf_Data *data = elf_section__data(scn, MINIDEBUG_MAX);

	if (!data ||
	    minidebug__inflate(data->d_buf, data->d_size, &f->mini_bytes, &f->mini_len) < 0)
		return;
	f->mini = elf_begin_memory(f->mini_bytes, f->mini_len);
	if (f->mini)
		elf_names__add_symtab(&f->names,
				      &(struct elf_bytes){.elf = f->mini,
							  .fd = -1,
							  .memory = f->mini_bytes,
							  .len = f->mini_len},
				      elf_section__by_type(f->mini, SHT_SYMTAB));
}

static void find_tables(struct elf_file *f)
{
	Elf_Scn *of_debug = f->debug ? elf_section__by_type(f->debug, SHT_SYMTAB) : NULL;
	struct elf_bytes file = {.elf = f->elf, .fd = f->fd};
	struct elf_bytes full = of_debug ? (struct elf_bytes){.elf = f->debug, .fd = f->debug_fd} :
					   file;
	Elf_Scn *symtab = elf_section__by_type(full.elf, SHT_SYMTAB);

	if (symtab)
		elf_names__add_symtab(&f->names, &full, symtab);
	else
		add_minidebug(f);
	if (!symtab && !f->go)
		add_go(f);
	if (!symtab && f->go)
		f->names.go = &f->go->pcln;
	elf_names__add_dynsym(&f->names, &file, elf_section__by_type(f->elf, SHT_DYNSYM), f->sane);
	f->read = true;
}

void elf_file__ask(struct elf_file *f, const uint64_t *vaddrs, size_t n)
{
	if (!f->read)
		find_tables(f);
	elf_names__ask(&f->names, vaddrs, n);
}

bool elf_file__asked(const struct elf_file *f, uint64_t vaddr)
{
	return elf_names__asked(&f->names, vaddr);
}

bool elf_file__find(struct elf_file *f, uint64_t vaddr, struct elf_name *ret)
{
	if (!elf_file__asked(f, vaddr))
		elf_file__ask(f, &vaddr, 1);
	return elf_names__find(&f->names, vaddr, ret) ||
	       (f->go && elf_go__find(&f->go->pcln, vaddr, ret));
}

struct elf_names *elf_file__names(struct elf_file *f)
{
	if (!f->read)
		find_tables(f);
	return &f->names;
}

uint32_t elf_file__function_named(struct elf_file *f, const char *name, size_t len,
				  struct elf_function *ret)
{
	return elf_names__named(elf_file__names(f), name, len, ret);
}

static bool is_of_others(const GElf_Sym *sym)
{
	return sym->st_shndx == SHN_UNDEF;
}

bool elf_file__uses(const struct elf_file *f, const char *name, size_t len)
{
	const struct elf_bytes from = {.elf = f->elf, .fd = f->fd};
	Elf_Scn *scn = elf_section__by_type(f->elf, SHT_DYNSYM);
	GElf_Sym sym;

	return scn && elf_symbol__number(&from, scn, name, len, is_of_others, &sym);
}

void elf_file__look_for(struct elf_file *f, struct elf_named *list, size_t n)
{
	elf_names__look_for(elf_file__names(f), list, n);
}

unsigned elf_file__machine(const struct elf_file *f)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(f->elf, &ehdr) ? ehdr.e_machine : EM_NONE;
}

bool elf_file__is_64(const struct elf_file *f)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(f->elf, &ehdr) && ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

bool elf_file__is_x86_64(const struct elf_file *f)
{
	return elf_file__machine(f) == EM_X86_64 && elf_file__is_64(f);
}

bool elf_file__offset(const struct elf_file *f, uint64_t vaddr, bool code, uint64_t *ret)
{
	for (size_t i = 0; i < f->n_loads; i++) {
		const struct load *l = &f->loads[i];

		if (vaddr < l->vaddr || vaddr - l->vaddr >= l->filesz)
			continue; /* as in elf_file__read(): of what was read, it's the place */
		return l->exec == code &&
		       !__builtin_add_overflow(l->file_off, vaddr - l->vaddr, ret);
	}
	return false;
}

const void *elf_file__section(const struct elf_file *f, const char *name, size_t *ret_len,
			      uint64_t *ret_addr)
{
	Elf_Scn *scn = f->sane ? elf_section__by_name(f->elf, name) : NULL;
	Elf_Data *data = scn ? elf_section__data(scn, ELF_NOTE_MAX) : NULL;
	GElf_Shdr shdr;

	*ret_len = 0;
	*ret_addr = scn && gelf_getshdr(scn, &shdr) ? shdr.sh_addr : 0;
	if (data)
		*ret_len = data->d_size;
	return data ? data->d_buf : NULL;
}

struct debug_info *elf_file__debug_info(struct elf_file *f)
{
	if (!f->info_read && f->sane)
		f->info = debug_info__open(f->id.has_debug_info ? f->elf : f->debug);
	f->info_read = true;
	return f->info;
}

size_t elf_file__debug_frames(struct elf_file *f, uint64_t vaddr, struct debug_frame *ret)
{
	struct debug_info *info = elf_file__debug_info(f);

	return info ? debug_info__find(info, vaddr, ret) : 0;
}

bool elf_file__debug_data(struct elf_file *f, uint64_t vaddr, struct data_part *ret)
{
	struct debug_info *info = elf_file__debug_info(f);

	return info && debug_info__data(info, vaddr, ret);
}
