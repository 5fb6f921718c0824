/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions' instructions and source lines, from the helper (symd/elf_listing.h), which needs to
 * have been started for that: sym__new_for_code().
 */
#ifndef PMUBPF_SYM_LISTING_H
#define PMUBPF_SYM_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cursor.h"
#include "sym/sym.h"

enum listing_flow { LISTING_ON, LISTING_JUMP, LISTING_CALL, LISTING_RETURN, N_LISTING_FLOWS };

struct listing_frame {
	const char *function; /* that was inlined; NULL: the function itself, or not known */
	const char *file;     /* with its path, as the compiler has it; NULL: not known */
	uint32_t line;
};

struct listing_row {
	uint32_t at; /* from the function's beginning */
	uint8_t len, flow;
	uint16_t n_frames;
	uint32_t first_frame; /* outermost first; the last one is where the instruction stands */
	uint64_t target;      /* vaddr, of a jump or call; 0: not said in the code */
	const char *text;     /* NULL: there is no library for that */
};

/* A function, or what the file says is one: `at` grows from row to row, and stays below size. */
struct listing {
	uint64_t vaddr, file_off, size;
	bool has_text;
	struct listing_row *rows;
	size_t n, cap;
	struct listing_frame *frames;
	size_t n_frames, cap_frames;
};
void listing__done(struct listing *l);

enum listing_end {
	LISTING_WHOLE,
	LISTING_BAD_FILE,
	LISTING_OTHER_MACHINE,
	LISTING_FAILED, /* the helper has, over this file: sym__take_trouble() says how */
};

enum { LISTINGS_MAX = 64, LISTING_ROWS_MAX = 256 * 1024 };

/* As sym__new(): one that makes listings, too. */
int sym__new_for_code(struct sym **ret, struct err *err);

/*
 * Of the functions that hold these file offsets (ascending), each once, LISTINGS_MAX and about
 * LISTING_ROWS_MAX rows at most; an offset that is in none of *ret has none. The caller ends each
 * with listing__done() and frees *ret. Texts lie where those of names do. Of a failure there is
 * what came before.
 */
enum listing_end sym__listings(struct sym *sym, const struct sym_file *file,
			       const uint64_t *offsets, size_t n, struct listing **ret,
			       size_t *ret_n);

/* The same of a jitdump, for addresses. What its code there is called isn't looked at. */
enum listing_end sym__jit_listings(struct sym *sym, int fd, const uint64_t *addrs, size_t n,
				   struct listing **ret, size_t *ret_n);

/* ---- listing_reply.c: pure */

/* Adds an answer's rows. 0: *ret_next is where to go on asking (0: nowhere); 1: there is no such
 * function; -EOPNOTSUPP: the code of that machine isn't known; -EPROTO. */
int reply__listing(struct cursor *c, struct texts *texts, struct listing *ret, uint32_t *ret_next);

#endif
