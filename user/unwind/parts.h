/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Large files in parts of 16 MiB: each gets a table of its own, when samples hit it. To the
 * overflow program a part is a file like any other, by a number of its own. The first part of a
 * file that anybody asks for has the file's number; files that are smaller have no other. The
 * others' numbers are taken from the upper end, of which programs have shares by their files.
 */
#ifndef PMUBPF_UNWIND_PARTS_H
#define PMUBPF_UNWIND_PARTS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fair_room.h"
#include "pmubpf/unwind.h"

enum {
	PART_SHIFT = 24,
	PARTS_OF_FILE_MAX = 64, /* 1 GiB of code; what is more has no table */
	/* All numbers of this and above share it: there is no room for tables of so many. */
	FILE_BEYOND = PMB_FILES_MAX - 1,
	PART_FIRST = PMB_TABLE_FILES, /* files of this number and above are FILE_BEYOND */
	PARTS_MAX = FILE_BEYOND - PART_FIRST,
};

struct parts;

/* Who is answerable for a file. */
typedef struct fair_who (*parts_who_fn)(void *ctx, uint32_t file);

/* who: NULL: nobody has a share. */
struct parts *parts__new(parts_who_fn who, void *ctx);
struct parts *parts__free(struct parts *p); /* NULL is fine; returns NULL */

/* The number for what a file has at an offset; 0 for 0, FILE_BEYOND if there is none. */
uint32_t parts__number(struct parts *p, uint32_t file, uint64_t off);
/* The file that a number is of, and which offsets; 0: none. */
uint32_t parts__file(const struct parts *p, uint32_t number, uint64_t *ret_from, uint64_t *ret_to);
/* All numbers of the file mean nothing any more. */
void parts__forget(struct parts *p, uint32_t file);

#endif
