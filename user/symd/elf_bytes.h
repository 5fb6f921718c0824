/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables and strings of an ELF file, read through windows: what they cost in memory doesn't depend
 * on how large they are, or claim to be. Nothing is mapped: a file that shrinks meanwhile is a
 * short read.
 */
#ifndef PMUBPF_SYMD_ELF_BYTES_H
#define PMUBPF_SYMD_ELF_BYTES_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ELF file and where its bytes are: in fd, or in memory if that isn't NULL. All borrowed. */
struct elf_bytes {
	Elf *elf;
	int fd;
	const uint8_t *memory;
	size_t len;
};

/* How many bytes from off on there are, at most n. */
size_t elf_bytes__read(const struct elf_bytes *from, uint64_t off, void *ret, size_t n);

/* The segment that has [vaddr, vaddr + size), in the file or at least in memory. */
bool elf_segment__of(Elf *elf, uint64_t vaddr, uint64_t size, bool in_file, GElf_Phdr *ret);

/* The first segment of that type, of the first `most`. */
bool elf_segment__by_type(Elf *elf, uint32_t type, size_t most, GElf_Phdr *ret);

/* The records of a section, one after the other. */
struct elf_records {
	const struct elf_bytes *from;
	Elf_Type type;
	size_t size; /* of one */
	unsigned encoding;
	bool is_wide; /* 64 bits */
	size_t batch; /* bytes that are read at a time */
	uint64_t start, total;
	uint64_t off, left; /* of what isn't in the window */
	uint8_t *window;
	size_t at, n;
};

/* ELF_T_SYM or ELF_T_RELA. False if the section has none in the file, or claims more than max
 * bytes. */
bool elf_records__open(struct elf_records *r, const struct elf_bytes *from, Elf_Scn *scn,
		       Elf_Type type, uint64_t max);
bool elf_records__next_symbol(struct elf_records *r, GElf_Sym *ret);
bool elf_records__next_rela(struct elf_records *r, GElf_Rela *ret);
/* The next one is that number. */
void elf_records__seek(struct elf_records *r, uint64_t number);
void elf_records__close(struct elf_records *r);

/* A string table: names stand in no order, so the parts that were read last are kept. */
struct elf_strings {
	struct elf_bytes from;
	uint64_t off, size;
	struct elf_strings_part {
		char *bytes;
		uint64_t at; /* in the table */
		size_t n;
	} * parts;
	char *long_name;
	uint32_t reads_left; /* a file whose names stand all over it: no more are found then */
};

enum {
	ELF_NAME_MAX = 64 * 1024, /* bytes; longer ones are cut */
};

bool elf_strings__open(struct elf_strings *s, const struct elf_bytes *from, Elf_Scn *scn,
		       uint64_t max);
/* Not NUL-terminated; valid until the next call. NULL: there is none. */
const char *elf_strings__at(struct elf_strings *s, uint64_t offset, size_t *ret_len);
/* The strings of a table that have some text in them, in its order: where each begins, and where
 * the text stands in it the last time. Names may begin amid a string. */
struct elf_string_hits {
	struct elf_string_hit {
		uint64_t start, text;
	} * list;
	size_t n, cap;
	bool is_partial; /* there are more */
};
/* text: of 1 to 4096 bytes. Free the list. */
void elf_strings__with(struct elf_strings *s, const char *text, size_t len,
		       struct elf_string_hits *ret);
bool elf_string_hits__has(const struct elf_string_hits *h, uint64_t offset);
/* Whether a name that begins there begins with the text, and doesn't have it again. */
bool elf_string_hits__begins(const struct elf_string_hits *h, uint64_t offset);
void elf_strings__close(struct elf_strings *s);

#endif
