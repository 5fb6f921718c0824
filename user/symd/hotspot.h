/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code that a HotSpot process has made: its code cache, as its memory has it (x86-64).
 *
 *	CodeCache::_heaps ──► CodeHeap … ──► blocks, one after the other ──► CodeBlob
 *	CodeBlob ──► name, code, frame size; of a compiled method: Method ──► class, name
 *
 * It is read again and again while the program runs, and may change at any moment: what was read
 * wrong is wrong until it is read again, so nothing in it is believed, and every loop has an end.
 * What was met before isn't read again.
 */
#ifndef PMUBPF_SYMD_HOTSPOT_H
#define PMUBPF_SYMD_HOTSPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "symd/cfi_table.h"

enum {
	HOTSPOT_HEAPS_MAX = 8,
	HOTSPOT_BLOBS_MAX = 128 * 1024,
	HOTSPOT_NAMES_MAX = 32 * 1024 * 1024, /* bytes of names; those met later have none */
	HOTSPOT_NAME_MAX = 1024,              /* of one; longer ones are cut */
	HOTSPOT_READS_MAX = 1024 * 1024,      /* of memory, at a time */
	HOTSPOT_PLACES_MAX = 4096,            /* that are asked for at a time */
};
#define HOTSPOT_SPAN_MAX (1ULL << 32) /* of the code cache; HotSpot's limit is 2 GiB */

struct hotspot;

struct hotspot_place {
	uint64_t structs, types; /* addresses of gHotSpotVMStructs and gHotSpotVMTypes */
};

struct hotspot *hotspot__new(void);
struct hotspot *hotspot__free(struct hotspot *h); /* NULL is fine; returns NULL */

/* mem: of /proc/PID/mem, borrowed. NULL, or what was missing in words: it isn't understood, or
 * (empty) there is no code cache yet. *ret_changed: there is code that was not there before. */
const char *hotspot__read(struct hotspot *h, int mem, const struct hotspot_place *place,
			  bool *ret_changed);
/* What version it is, as it says itself; "" if that isn't known. */
const char *hotspot__release(const struct hotspot *h);
/* Where the code cache lies. */
void hotspot__span(const struct hotspot *h, uint64_t *ret_from, uint64_t *ret_to);
/* How to unwind through it: the table's offsets are addresses. 0 or -EFBIG. */
int hotspot__table(const struct hotspot *h, struct cfi_table *t);
/* Puts what samples met among the names: methods that the interpreter ran (pmubpf/hotspot.h), and
 * what was inlined at addresses of compiled code. mem as above. True if any got one. */
bool hotspot__name_places(struct hotspot *h, int mem, const uint64_t *places, size_t n);
/* Names of all code met so far, as lines of a perf map: what is there now comes last. */
const struct buf *hotspot__names(const struct hotspot *h);
/* Behind these: those of places that samples met, which other code may have by now. A name may have
 * more behind it: tab, file, tab, line; and then as much of each method that was inlined. */
const struct buf *hotspot__places(const struct hotspot *h);

#endif
