/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a function is left: at its returns, and at jumps that take the place of a call and a
 * return. A function may lie in parts. Pure.
 */
#ifndef PMUBPF_SYMD_CODE_EXITS_H
#define PMUBPF_SYMD_CODE_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/insn_data.h"
#include "symd/protocol.h"

enum {
	CODE_PART_MAX = 64 * 1024, /* bytes */
	CODE_PARTS_MAX = 4,
};

struct code_part {
	uint64_t vaddr;
	size_t len;
	const uint8_t *bytes;
};

struct code_exit {
	uint64_t vaddr;
	uint64_t target; /* of a jump that says where it leads; else 0 */
	uint8_t when;    /* 0: each time; 1 + CONDITION: where a jump on it is taken */
	bool returns;    /* else it is a jump */
	bool emulated;   /* as in symd/elf_site.h */
};

struct code_exits {
	struct code_exit of[SYMD_EXITS_MAX];
	uint32_t n;
};

/* Which of the places that jumps lead to are in further parts of the function: fills ret in, of
 * `room` at most, and returns how many there are. */
typedef size_t (*code_parts_fn)(void *ctx, const uint64_t *targets, size_t n_targets,
				struct code_part *ret, size_t room);

/* Where entries are met. What is before must not be jumped to from inside, but the function's
 * beginning where `again` says so. */
struct code_entry {
	uint64_t inner;
	bool again;
};

/*
 * code is where it begins. SYMD_SITE_FOUND, or why not all exits are known. Whoever is at an exit
 * has left only if the stack pointer is where it was at the entry: some jumps can't be told from
 * those inside.
 */
enum symd_site_status code_exits__find(enum insn_set set, const struct code_part *code,
				       struct code_entry entry, code_parts_fn more, void *ctx,
				       struct code_exits *ret);

#endif
