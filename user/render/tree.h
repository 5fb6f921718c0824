/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What pictures show of a profile, or of two: stacks as people read them (functions with what was
 * inlined into them, below them the process), and what was measured on each by whom. Two profiles
 * have one tree, so that their stacks can be compared.
 */
#ifndef PMUBPF_RENDER_TREE_H
#define PMUBPF_RENDER_TREE_H

#include "model/intern.h"
#include "prof/prof.h"

/* Frames that are no functions, behind enum prof_kind. */
enum {
	TREE_PROCESS = PROF_ARTIFICIAL + 1, /* below all others */
	TREE_OBJECT,                        /* data, below the process */
	TREE_MEMBER,
	/* How much is known of what a sample is about; of objects and members: they are candidates
	 * only, or none. */
	TREE_VALIDATED,
	TREE_CANDIDATE,
	TREE_CONTRADICTED,
	TREE_NOT_KNOWN,
};

struct tree_function {
	uint32_t name, module; /* texts */
	uint32_t file, line;   /* of the source: a text; where the function begins, or 0 */
	uint32_t kind;         /* enum prof_kind, or one of those above */
};

/* Who it was, and in which window of time; what isn't known is 0. */
struct tree_group {
	uint32_t comm, container; /* texts */
	int64_t pid, tid;
	uint32_t window;   /* a text */
	uint32_t duration; /* render/lasting.h */
};

/* The data that a stack stands on (render/towers.h): numbers of functions; member may be 0: none */
struct tree_tower {
	uint32_t object, member, class;
};

enum { TREE_NEW, TREE_OLD, TREE_SIDES };

/* A type of value, and which one it is in each profile (PROF_NO_TYPE: it has none). */
struct tree_type {
	char *event;
	const char *part; /* "samples", "events", "time" */
	char *unit;
	size_t in[TREE_SIDES];
};

/* A frame of a stack: its function's number (from 0) twice, one more if it is inlined there. */
#define TREE_FRAME(function, inlined) ((function) << 1 | (inlined))

struct tree_row {
	uint32_t stack, group, tower; /* numbers; tower 0: they aren't asked for */
	uint32_t moment;              /* a step of the timeline, + 1; 0: it isn't known */
};

/* Steps of a timeline; of more, several are one. */
enum { TREE_STEPS_MOST = 1 << 22 };

struct tree {
	const struct prof *prof[TREE_SIDES]; /* borrowed; old may be NULL */
	struct tree_type *types;
	size_t n_types, cap_types;
	struct intern texts;     /* with their NUL */
	struct intern functions; /* struct tree_function; number - 1 is a frame's */
	struct intern groups;    /* struct tree_group */
	struct intern towers;    /* struct tree_tower */
	struct intern stacks;    /* arrays of frames, root first */
	struct intern rows;      /* struct tree_row */
	int64_t *values;         /* for each row: of each side each type; never negative */
	size_t n_values, cap_values;
	uint32_t *windows; /* for each group: of each side, how many; 0, too: they had no numbers */
	size_t n_windows, cap_windows;
	uint32_t grid_ms;              /* of the timelines; 0: there are none */
	uint32_t steps[TREE_SIDES];    /* of each; 0: it has none */
	uint64_t negative[TREE_SIDES]; /* values that were below 0, and are left out */
	uint32_t *parts;               /* of the stack that is being made */
	size_t n_parts, cap_parts;
};

/* apart: rows are told apart by data, too, if a profile says anything of it; and those of a profile
 * that has a timeline (prof/moments.h) by moment. */
struct tree *tree__new(const struct prof *prof, const struct prof *old, bool apart);
struct tree *tree__free(struct tree *t); /* NULL is fine; returns NULL */

uint32_t tree__add_text(struct tree *t, const char *text); /* its number; 0: it is empty */
const char *tree__text(const struct tree *t, uint32_t number);
const struct tree_function *tree__function(const struct tree *t, uint32_t function);

#endif
