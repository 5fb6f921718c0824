/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables and lists of mappings where the overflow program reads them. There is one copy: walks in
 * user space read the same.
 *
 * Nothing is locked (pmubpf/unwind.h). What is taken out stays untouched for a while, until no run
 * of the program that had found it can still be reading it.
 */
#ifndef PMUBPF_UNWIND_STORE_H
#define PMUBPF_UNWIND_STORE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/unwind.h"
#include "proc/mappings.h"
#include "sym/table.h"
#include "unwind/parts.h"
#include "unwind/shares.h"

/* Lent by whoever made the maps. */
struct store_memory {
	struct pmb_code *code;
	struct pmb_mappings *mappings;
	struct pmb_chunk *(*new_chunk)(void *ctx, uint32_t index); /* NULL: can't be had */
	parts_who_fn who; /* of a file; NULL: nobody has a share */
	void *ctx;
};

struct store;

struct store *store__new(const struct store_memory *memory, size_t max_bytes); /* of rows */
struct store *store__free(struct store *store);

/*
 * Below, `file` is a number of unwind/parts.h: of a part of a file. These two translate; 0: it is
 * of none any more. store__forget_file(): all parts of a file.
 */
uint32_t store__number(const struct store *store, uint32_t file, uint64_t off);
uint32_t store__file(const struct store *store, uint32_t number, uint64_t *ret_from,
		     uint64_t *ret_to);
/* The same for a place of a process, in a mapping of its list; and the offset there. */
uint32_t store__number_of(const struct store *store, const struct mappings *mappings,
			  const struct mapping *m, uint64_t addr, uint64_t *ret_off);
void store__forget_file(struct store *store, uint32_t file);

/* What all tables together may take, as far as is known. */
struct table_room store__room(const struct store *store);
struct table_offsets store__offsets(const struct store *store, uint32_t file);
/* table has passed its check, and isn't empty. False: no room now; after store__forget of another
 * and a while there may be. */
bool store__put(struct store *store, uint32_t file, const struct unwind_table *table);
/* The same of code that grows (PMB_FILE_GROWS). */
bool store__put_growing(struct store *store, uint32_t file, const struct unwind_table *table);
/* Nobody else gets pages and rules that the table of this file will need, nor asks it for others:
 * there is one reservation. False: there is no room for it now. */
bool store__reserve(struct store *store, uint32_t file, const struct table_room *need);
bool store__is_reserved(const struct store *store);
void store__unreserve(struct store *store);
/* True while what was forgotten isn't free yet, and nothing reserved: whoever takes what is free
 * beside it may take what that will be reserved with. */
bool store__makes_room(const struct store *store);
/* Its code has frame pointers, as far as anybody knows. */
void store__put_frames(struct store *store, uint32_t file);
/* It never gets a table. */
void store__never(struct store *store, uint32_t file);
void store__forget(struct store *store, uint32_t file);
enum pmb_file_state store__state(const struct store *store, uint32_t file);
/* The rule for an offset of a file that has a table; PMB_CFA_NONE if there is none. */
struct pmb_unwind_rule store__rule(const struct store *store, uint32_t file, uint64_t off);

/* A process's list; false: no room, or too many mappings. n is 0 if there are none. */
bool store__put_list(struct store *store, const struct mappings *mappings, struct pmb_process *ret);
void store__forget_list(struct store *store, const struct pmb_process *list);
/* Mappings of lists that were forgotten, and whose room isn't given back yet. */
size_t store__lists_leaving(const struct store *store);

/* Gives back what was taken out long enough ago. */
void store__tick(struct store *store, uint64_t now_ns);
size_t store__bytes(const struct store *store); /* in use by tables and lists */

#endif
