/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The executable mappings of a process: a sorted list without overlaps, shared after fork. */
#ifndef PMUBPF_PROC_MAPPINGS_H
#define PMUBPF_PROC_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t file_off;   /* of start */
	uint32_t file;       /* number in files.h; 0: anonymous code */
	bool uprobes; /* the kernel's: trampolines of return probes, copies of instructions */
};

struct mappings; /* reference-counted; NULL is the empty list */

/* Anonymous code of a runtime that says how to unwind through it. To that file's table its
 * addresses are the offsets. */
struct code_span {
	uint64_t from, to; /* [from, to) */
	uint32_t file;     /* number in files.h; 0: there is none */
};

struct mappings *mappings__ref(struct mappings *m);
struct mappings *mappings__unref(struct mappings *m); /* returns NULL */
/* Adds a mapping; what it covers of older ones is gone. Takes the caller's reference and returns
 * the changed list: a copy if others hold the old one. */
struct mappings *mappings__add(struct mappings *m, const struct mapping *add);
const struct mapping *mappings__find(const struct mappings *m, uint64_t addr);
/* The last mapping of a file that ends at or below addr; NULL: there is none. */
const struct mapping *mappings__below(const struct mappings *m, uint64_t addr);
/* Takes the caller's reference and returns the changed list, as mappings__add(). */
struct mappings *mappings__put_code(struct mappings *m, const struct code_span *code);
struct code_span mappings__code(const struct mappings *m);
/* The file that says how to unwind there, and where the mapping begins in it. True: it is its code
 * span's, whose number is that of its table. */
bool mappings__unwound_by(const struct mappings *m, const struct mapping *at, uint32_t *ret_file,
			  uint64_t *ret_off);
bool mappings__equal(const struct mappings *a, const struct mappings *b);
size_t mappings__count(const struct mappings *m);
const struct mapping *mappings__at(const struct mappings *m, size_t index); /* < mappings__count */

#endif
