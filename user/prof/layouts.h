/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the types of data lie that a profile has samples of. Each is a text of it, in a field of
 * pprof's message that is this tool's own:
 *
 *	ID TYPE
 *	(as pmubpf/type_layout.h has it)
 *
 * Samples have the label PROF_LAYOUT with the ID. It is made of the text, so that a type that lies
 * differently in two builds is two, and one that doesn't is one, in whatever profiles they are.
 */
#ifndef PMUBPF_PROF_LAYOUTS_H
#define PMUBPF_PROF_LAYOUTS_H

#include "model/intern.h"
#include "prof/prof.h"

#define PROF_LAYOUT "data_layout"

/* Those of a profile in the making. Begins as {0}. */
struct layouts {
	struct intern keys;
	struct layout_entry *list; /* by their numbers */
	size_t cap;
};
void layouts__done(struct layouts *l);

/* The ID of that type (its label: "struct node[]") with that text, of which there are so many
 * samples more. The texts are borrowed, and known by their addresses. Valid until the next call. */
const char *layouts__add(struct layouts *l, const char *type, const char *text, uint64_t samples);
/* Adds the texts: of the BUDGET_LAYOUTS with most samples. */
void layouts__save(const struct layouts *l, struct prof *prof);

/* Of a saved profile: nothing of it is checked, and text need not be a layout. */
struct saved_layout {
	char *id;
	char *type;       /* "struct node" */
	const char *text; /* borrowed from the profile */
};
/* How many there are, each ID once, in the order of the file. The caller frees them with
 * saved_layouts__free. */
size_t prof__layouts(const struct prof *prof, struct saved_layout **ret);
void saved_layouts__free(struct saved_layout *list, size_t n);

#endif
