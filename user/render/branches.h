/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function's code with how often each of its conditional jumps was taken, for people and for
 * programs. */
#ifndef PMUBPF_RENDER_BRANCHES_H
#define PMUBPF_RENDER_BRANCHES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "model/slices.h"
#include "render/code_rows.h"

enum branch_state {
	BRANCH_PROBED,
	BRANCH_STEPPED,   /* the kernel would single-step it */
	BRANCH_UNREACHED, /* perhaps it is none */
	BRANCH_BEYOND,    /* there are too many */
};

struct branch_jump {
	uint32_t at; /* from the function's beginning */
	enum branch_state state;
	uint64_t taken, not_taken;
};

struct branch_view {
	const char *function, *file;
	pid_t pid;
	uint64_t vaddr;
	const struct branch_jump *jumps; /* by place */
	size_t n, n_all;                 /* n_all: with those that aren't known */
	struct probed probed;
	uint64_t hit_ns;               /* what a hit takes */
	uint64_t elsewhere;            /* hits that weren't counted: the function wasn't there */
	bool ended;                    /* the process has */
	const struct listing *listing; /* NULL: none */
	struct sources *sources;
	struct buf notes; /* lines; to be escaped */
	bool all;
	char *const *words; /* behind the subcommand */
};

void branch_view__text(const struct branch_view *view, struct buf *out);
void branch_view__json(const struct branch_view *view, struct buf *out);

#endif
