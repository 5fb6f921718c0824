/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Places of files, by build-id and offset in the file, and what is known of them: the names that
 * profiles lack, of many profiles at once, so that each file is read once.
 */
#ifndef PMUBPF_PROF_NAME_BOOK_H
#define PMUBPF_PROF_NAME_BOOK_H

#include "prof/prof.h"

struct name_book;
struct name_book *name_book__new(void);
void name_book__free(struct name_book *b); /* NULL is fine */

/* A place without a name. file is where it was mapped from, build_id in hex; one that is known
 * stays what it is. */
void name_book__want(struct name_book *b, const char *file, const char *build_id, uint64_t offset);
/* All of a profile's that are in files with a build-id. */
void name_book__want_all(struct name_book *b, const struct prof *p);
/* How many places there are. */
size_t name_book__n(const struct name_book *b);

struct name_place {
	const char *file, *build_id;
	uint64_t offset;
	uint32_t location; /* of name_book__prof(), whose address is the offset; it may have no
			      lines */
};
/* Borrowed until something is added. */
void name_book__get(const struct name_book *b, size_t i, struct name_place *ret);
const struct prof *name_book__prof(const struct name_book *b);

/* What a function is called at a place: innermost first, the last is what others were inlined
 * into. */
struct name_line {
	const char *name, *system, *file; /* system NULL: as the name; file "": not known */
	int64_t start_line, line;
};
enum { NAME_LINES_MAX = 256 }; /* of a place */
/* A place's name, found elsewhere; of one that nobody wants, or that has one, nothing. */
void name_book__put(struct name_book *b, const char *build_id, uint64_t offset,
		    const struct name_line *lines, size_t n);

/* The same profile with more names, in place of name_book__prof(), which it takes; NULL: only gives
 * that away. Nothing is wanted from then on. */
struct prof *name_book__exchange(struct name_book *b, struct prof *named);
/* Of *p's places so many get a name, in a new profile in its place; 0: it stays what it is. Samples
 * and their order stay. */
size_t name_book__apply(const struct name_book *b, struct prof **p);

#endif
