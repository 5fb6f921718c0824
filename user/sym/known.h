/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that were found for one part of a recording, for those that follow: by file and offset.
 * Files are known by their serial numbers, which no two files have. Only answers that stay true are
 * kept: a name, or that the file has none there.
 */
#ifndef PMUBPF_SYM_KNOWN_H
#define PMUBPF_SYM_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/operand.h"
#include "sym/sym.h"

struct known;

/* max_bytes: of names and texts; beyond it all is forgotten, and asked again. 0: any. */
struct known *known__new(size_t max_bytes);
struct known *known__free(struct known *k); /* NULL is fine; returns NULL */

/* Before the names of a part are looked up: forgets, if it is full. Texts of names from before
 * are void then. */
void known__begin(struct known *k);
/* Where the texts of all names lie. */
struct texts *known__texts(const struct known *k);

bool known__has(const struct known *k, uint64_t file_serial, uint64_t off);
/* True if the location is known, and its block if that is wanted: *ret is the caller's then
 * (sym_name__done). */
bool known__find(const struct known *k, uint64_t file_serial, uint64_t off, bool block,
		 struct sym_name *ret);
/* Copies it, if it is worth keeping; its texts lie in known__texts(). */
void known__keep(struct known *k, uint64_t file_serial, uint64_t off, const struct sym_name *name);
/* What the instruction at a place addresses (sym/places.h); types of it aren't told apart: ask with
 * them, or without. */
bool known__find_place(const struct known *k, uint64_t file_serial, uint64_t off,
		       enum pmb_skid skid, struct pmb_place *ret);
void known__keep_place(struct known *k, uint64_t file_serial, uint64_t off, enum pmb_skid skid,
		       const struct pmb_place *place);
/* In hex; NULL: not known. Copies it. */
const char *known__build_id(const struct known *k, uint64_t file_serial);
void known__keep_build_id(struct known *k, uint64_t file_serial, const char *build_id);

size_t known__count(const struct known *k);
size_t known__bytes(const struct known *k);

#endif
