// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is which bytes: names aren't unique, symbols have no sizes, and a wrong guess
 * would show code that never ran. So of several functions that it could be there is none, and one
 * ends where the next symbol begins.
 */
#include "sym/kernel_code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/write.h"
#include "sys/memory_file.h"

enum {
	MOST_CALLED = 64, /* functions of one name that are told apart */
	MOST_SEGMENTS = 4096,
	PAGE = 4096,
	TEXT_NAME = 1, /* in the names of sections: after the empty one */
};

/* ---- where it is */

/* "ffffffff81000000 T name", and behind a tab the module. */
static bool line_is_of(const char *line, const char *name, uint64_t *ret)
{
	size_t n = strlen(name);
	const char *p = line;

	return num__take_hex(&p, ret) && *ret && p[0] == ' ' && p[1] && strchr("tTwW", p[1]) &&
	       p[2] == ' ' && strncmp(p + 3, name, n) == 0 && strchr("\t\n", p[3 + n]);
}

/* All that are called so: the table has one name for each address, which may be another one. */
static size_t find_called(const char *path, const char *name, uint64_t *ret)
{
	_cleanup_fclose_ FILE *file = fopen(path ? path : "/proc/kallsyms", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0, n = 0;
	uint64_t address;

	while (file && n < MOST_CALLED && getline(&line, &cap, file) > 0) {
		if (line_is_of(line, name, &address))
			ret[n++] = address;
	}
	return n;
}

static void find(struct kernel_code *code, const char *name, uint64_t farthest, const char *path)
{
	uint64_t called[MOST_CALLED];
	size_t n = find_called(path, name, called);

	for (size_t i = 0; i < n; i++) {
		uint64_t size = kallsyms__size(code->names, called[i]);

		if (farthest >= size || (code->n && called[i] == code->start))
			continue;
		code->n++;
		code->start = called[i];
		code->size = size < KERNEL_CODE_MAX ? size : KERNEL_CODE_MAX;
	}
	code->end = code->n == 1 ? KERNEL_CODE_READ :
		    code->n      ? KERNEL_CODE_SEVERAL :
				   KERNEL_CODE_NO_FUNCTION;
}

/* ---- its bytes */

static bool read_at(int fd, uint64_t offset, void *to, size_t len)
{
	for (size_t n = 0; n < len;) {
		ssize_t r = pread(fd, (uint8_t *)to + n, len - n, (off_t)(offset + n));

		if (r <= 0)
			return false;
		n += (size_t)r;
	}
	return true;
}

/* The segment that has all of it. */
static bool find_segment(const struct kernel_code *code, int fd, const Elf64_Ehdr *head,
			 uint64_t *ret_offset)
{
	for (size_t i = 0; i < head->e_phnum && i < MOST_SEGMENTS; i++) {
		Elf64_Phdr p;
		uint64_t distance;

		if (!read_at(fd, head->e_phoff + i * sizeof(p), &p, sizeof(p)))
			return false;
		distance = code->start - p.p_vaddr;
		if (p.p_type != PT_LOAD || code->start < p.p_vaddr || distance > p.p_memsz ||
		    p.p_memsz - distance < code->size ||
		    __builtin_add_overflow(p.p_offset, distance, ret_offset) ||
		    *ret_offset > INT64_MAX - code->size)
			continue;
		return true;
	}
	return false;
}

static enum kernel_code_end read_bytes(struct kernel_code *code, int fd)
{
	Elf64_Ehdr head;
	uint64_t offset;

	if (!read_at(fd, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return KERNEL_CODE_NOT_IN_KCORE;
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr))
		return KERNEL_CODE_OTHER_MACHINE;
	code->machine = head.e_machine;
	code->order = head.e_ident[EI_DATA];
	code->bytes = xcalloc(1, code->size);
	if (!find_segment(code, fd, &head, &offset) ||
	    !read_at(fd, offset, code->bytes, code->size))
		return KERNEL_CODE_NOT_IN_KCORE;
	return KERNEL_CODE_READ;
}

void kernel_code__read(struct kernel_code *ret, const char *name, uint64_t farthest,
		       const struct kernel_code_paths *paths)
{
	static const struct kernel_code_paths none;
	const struct kernel_code_paths *p = paths ? paths : &none;
	_cleanup_close_ int fd = -1;
	struct err err = {0};

	*ret = (struct kernel_code){.end = KERNEL_CODE_NO_KCORE};
	fd = open(p->kcore ? p->kcore : "/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ret->err = errno;
		return;
	}
	ret->end = KERNEL_CODE_NO_ADDRESSES;
	if (p->before && p->before->names) {
		ret->names = p->before->names;
		ret->names_lent = true;
	} else if (kallsyms__load_from(p->kallsyms, p->modules, &ret->names, &err) < 0) {
		return;
	}
	if (kallsyms__is_hidden(ret->names))
		return;
	find(ret, name, farthest, p->kallsyms);
	if (ret->end == KERNEL_CODE_READ)
		ret->end = read_bytes(ret, fd);
}

void kernel_code__done(struct kernel_code *code)
{
	if (!code->names_lent)
		kallsyms__free(code->names);
	free(code->bytes);
	*code = (struct kernel_code){0};
}

/* ---- as a file */

enum { SECTION_NONE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_NAMES, N_SECTIONS };

struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Sym symbols[2];
	Elf64_Shdr sections[N_SECTIONS];
	char names[8];
};

static void describe_segment(const struct kernel_code *code, uint64_t offset, struct image *image)
{
	image->head = (Elf64_Ehdr){
		.e_type = ET_EXEC,
		.e_machine = code->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = offset + code->size + sizeof(image->symbols) + sizeof(image->names),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	memcpy(image->head.e_ident, ELFMAG, SELFMAG);
	image->head.e_ident[EI_CLASS] = ELFCLASS64;
	image->head.e_ident[EI_DATA] = code->order;
	image->head.e_ident[EI_VERSION] = EV_CURRENT;
	image->segment = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = offset,
		.p_vaddr = code->start,
		.p_filesz = code->size,
		.p_memsz = code->size,
		.p_align = PAGE,
	};
}

/* Where it begins and ends: a symbol says that. */
static void describe_sections(const struct kernel_code *code, uint64_t offset, struct image *image)
{
	uint64_t at = offset + code->size;

	memcpy(image->names, "\0f", sizeof("\0f"));
	image->symbols[1] = (Elf64_Sym){
		.st_name = TEXT_NAME,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = SECTION_TEXT,
		.st_value = code->start,
		.st_size = code->size,
	};
	image->sections[SECTION_TEXT] = (Elf64_Shdr){
		.sh_name = TEXT_NAME,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = code->start,
		.sh_offset = offset,
		.sh_size = code->size,
	};
	image->sections[SECTION_SYMBOLS] = (Elf64_Shdr){
		.sh_name = TEXT_NAME,
		.sh_type = SHT_SYMTAB,
		.sh_offset = at,
		.sh_size = sizeof(image->symbols),
		.sh_link = SECTION_NAMES,
		.sh_info = 1,
		.sh_entsize = sizeof(Elf64_Sym),
	};
	image->sections[SECTION_NAMES] = (Elf64_Shdr){
		.sh_name = TEXT_NAME,
		.sh_type = SHT_STRTAB,
		.sh_offset = at + sizeof(image->symbols),
		.sh_size = sizeof(image->names),
	};
}

int kernel_code__as_file(const struct kernel_code *code, uint64_t *ret_offset)
{
	_cleanup_close_ int fd = memory_file__new("pmubpf-kernel-code");
	_cleanup_(buf__done) struct buf b = {0};
	uint64_t offset = PAGE + code->start % PAGE;
	struct image image = {0};
	int r;

	if (fd < 0)
		return fd;
	describe_segment(code, offset, &image);
	describe_sections(code, offset, &image);
	buf__add(&b, &image.head, sizeof(image.head));
	buf__add(&b, &image.segment, sizeof(image.segment));
	memset(buf__room(&b, offset - b.len), 0, offset - b.len);
	buf__add(&b, code->bytes, code->size);
	buf__add(&b, image.symbols, sizeof(image.symbols));
	buf__add(&b, image.names, sizeof(image.names));
	buf__add(&b, image.sections, sizeof(image.sections));
	r = write_all(fd, b.data, b.len);
	if (r < 0)
		return r;
	r = memory_file__seal(fd);
	if (r < 0)
		return r;
	*ret_offset = offset;
	return TAKE_FD(fd);
}
