/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One ELF file that a program had mapped: from file offsets to its virtual addresses, and from
 * those to symbols. Every byte of it is hostile until checked.
 *
 * Symbols come from .symtab of the file or of its separate debug file, else from .gnu_debugdata
 * (a stripped .symtab, xz-compressed), and always from .dynsym too; where there is no .symtab, from
 * Go's table of functions. Code symbols: STT_FUNC,
 * STT_GNU_IFUNC, and the untyped ones of assembly in executable sections; of data STT_OBJECT with a
 * size, in sections that are not.
 */
#ifndef PMUBPF_SYMD_ELF_FILE_H
#define PMUBPF_SYMD_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/debug_info.h"
#include "symd/elf_names.h"

struct elf_file;

/* Takes fd over, also on failure. -EINVAL: not a readable ELF file with program headers. */
int elf_file__open(int fd, struct elf_file **ret);
struct elf_file *elf_file__free(struct elf_file *f); /* NULL is fine; returns NULL */

/* What is needed to find a separate debug file. The pointers are borrowed from f; NULL and 0 where
 * there is none. */
struct elf_identity {
	bool has_symtab;
	bool has_debug_info;
	const uint8_t *build_id;
	size_t build_id_len;
	const char *link;
	uint32_t link_crc;
};
void elf_file__identity(const struct elf_file *f, struct elf_identity *ret);

/* Takes fd over. True if it is f's debug file (same build id; or, where one of them has none, the
 * CRC of f's debug link) and has a .symtab or DWARF that f lacks, which is used from now on. */
bool elf_file__add_debug(struct elf_file *f, int fd);

/* False if no segment holds file_off: of code, or a place of data (model/data_place.h). */
bool elf_file__vaddr(const struct elf_file *f, uint64_t file_off, uint64_t *ret);
/* How many bytes from vaddr on are in the file, at most n. */
size_t elf_file__read(const struct elf_file *f, uint64_t vaddr, void *ret, size_t n);
/* The function that holds vaddr, as the table for unwinding (.eh_frame_hdr) has it: where it
 * begins, and where the next one does (UINT64_MAX: none). False: it has no such table, or
 * is of 32 bits. */
bool elf_file__function(const struct elf_file *f, uint64_t vaddr, uint64_t *ret_start,
			uint64_t *ret_end);
/* The same, or as Go's own table has it: then a call leaves nothing in registers. */
bool elf_file__code(const struct elf_file *f, uint64_t vaddr, uint64_t *ret_start,
		    uint64_t *ret_end, bool *ret_go);
/* Looks for the symbols of the first of n addresses; was it asked for the last time? */
void elf_file__ask(struct elf_file *f, const uint64_t *vaddrs, size_t n);
bool elf_file__asked(const struct elf_file *f, uint64_t vaddr);
/* The symbol that holds vaddr, which is asked for if it wasn't; valid until the next call. False:
 * none does. */
bool elf_file__find(struct elf_file *f, uint64_t vaddr, struct elf_name *ret);
/* How many functions have that name, as the linker has it; ret is the first. */
uint32_t elf_file__function_named(struct elf_file *f, const char *name, size_t len,
				  struct elf_function *ret);
/* Whether it takes what has that name from other files when it is loaded. */
bool elf_file__uses(const struct elf_file *f, const char *name, size_t len);
struct elf_names *elf_file__names(struct elf_file *f); /* of its symbols; borrowed */
/* As elf_names__look_for(): that knows them then. */
void elf_file__look_for(struct elf_file *f, struct elf_named *list, size_t n);
bool elf_file__is_x86_64(const struct elf_file *f);
unsigned elf_file__machine(const struct elf_file *f); /* e_machine; 0: not known */
bool elf_file__is_64(const struct elf_file *f);
/* Where in the file vaddr is, of code or else of data; false: nowhere. */
bool elf_file__offset(const struct elf_file *f, uint64_t vaddr, bool code, uint64_t *ret);
/* A section's contents, of ELF_NOTE_MAX bytes at most (NULL: not there), and where it is in memory;
 * owned by f. */
const void *elf_file__section(const struct elf_file *f, const char *name, size_t *ret_len,
			      uint64_t *ret_addr);
/* What DWARF says of vaddr, as debug_info__find() does. */
size_t elf_file__debug_frames(struct elf_file *f, uint64_t vaddr, struct debug_frame *ret);
/* The same of data: as debug_info__data() does. */
bool elf_file__debug_data(struct elf_file *f, uint64_t vaddr, struct data_part *ret);
/* Of its own, not of its debug file. */
struct elf_bytes elf_file__bytes(const struct elf_file *f);
/* NULL: there is none. */
struct debug_info *elf_file__debug_info(struct elf_file *f);

#endif
