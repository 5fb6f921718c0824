/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading Go's own table of its functions, .gopclntab (of Go 1.18 and later), which also stripped
 * programs have: a head, then by offsets in it the functions (pairs of 32 bits: from where on, and
 * where more stands of it), their names, and values by pc.
 *
 * Every byte is hostile: what is read is read through windows, and nothing is allocated.
 */
#ifndef PMUBPF_SYMD_GO_TABLE_H
#define PMUBPF_SYMD_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	GO_TABLE_WINDOW = 4096,
	GO_TABLE_FUNCS_MAX = 1 << 21,
};

/* A part of the table that was read. */
struct go_window {
	uint8_t bytes[GO_TABLE_WINDOW];
	uint64_t at;
	size_t len;
};

struct go_table {
	/* Of the caller; borrowed. */
	int fd;
	uint64_t file_off, size; /* of the table in the file */
	/* Of this file's own, but for base, which the head may lack: then it's the caller's. */
	uint64_t base; /* the vaddr that the functions' offsets start from */
	uint32_t n_funcs;
	uint64_t names, funcs, values; /* where these begin in the table */
	uint32_t flags_at;             /* of a function */
	bool is_arm64; /* or of another machine whose instructions have four bytes */
	struct go_window list, func, value;
};

/* The number that these four bytes are; they need not be aligned. */
static inline uint32_t go_table_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Whether these 8 bytes are the first of such a table, of x86-64 or arm64. */
bool go_table_begins(const uint8_t bytes[8]);
/* Reads the head. False: it is no such table. */
bool go_table__open(struct go_table *t);

/* n bytes of the table, in that window; NULL: it hasn't that many there. */
const uint8_t *go_table__bytes(struct go_table *t, struct go_window *w, uint64_t off, size_t n);
/* The i-th function's vaddr, and where more stands of it, from t->funcs on. i may be the number of
 * functions: the end. */
bool go_table__place(struct go_table *t, uint32_t i, uint64_t *ret_start, uint32_t *ret_more);
/* The first function that ends above vaddr; t->n_funcs: none does. */
uint32_t go_table__find(struct go_table *t, uint64_t vaddr);
/* The i-th function's name, not NUL-terminated; valid until the next call. NULL: it has none. */
const char *go_table__name(struct go_table *t, uint32_t i, size_t *ret_len);

#endif
