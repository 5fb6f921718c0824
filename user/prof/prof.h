/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A named profile, whole in memory: what a recording becomes at its end, and what is saved, read
 * back, shown and compared. Its shape is that of pprof's profile.proto: a sample is a stack of
 * locations with labels and a value of each type; a location is an address in a mapping, with the
 * functions that inlining has put there.
 *
 * Texts are numbers of prof__text() and stand as they were found: whoever prints them escapes them.
 * Mappings, functions and locations are numbered from 1; 0 is none. What is the same has the same
 * number, and samples of one stack and one set of labels are one sample. Functions that take
 * numbers trust them: who reads a file checks what it says.
 */
#ifndef PMUBPF_PROF_PROF_H
#define PMUBPF_PROF_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/branch_records.h"
#include "model/intern.h"

#define PROF_MAX_COMMENTS 8192

struct prof_type {
	uint32_t name, unit; /* "cycles_event", "count" */
};

struct prof_mapping {
	uint64_t start, limit, offset; /* of addresses; of the file at start */
	uint32_t file, build_id;       /* build-id in hex */
	bool has_functions, has_filenames, has_lines, has_inlined;
};

struct prof_function {
	uint32_t name, system_name; /* for people; as the linker has it */
	uint32_t file;
	uint32_t pad;
	int64_t start_line;
};

struct prof_line {
	uint32_t function;
	int64_t line; /* 0: not known */
};

struct prof_location {
	uint32_t mapping;
	uint64_t address; /* of the instruction, of a caller: of the call; as the ELF file has it */
	uint32_t first_line;
	uint32_t
		/* innermost first: the last is the function that the others were inlined into */
		n_lines;
};

/* A label is a text, or a number with a unit. */
struct prof_label {
	uint32_t key;
	uint32_t text; /* 0: it is a number */
	uint32_t unit;
	uint32_t pad;
	int64_t number;
};

struct prof_sample {
	uint32_t stack, labels; /* prof__stack(), prof__labels() */
};

/* Of record -b: a branch that was taken, or the code between two (prof/branch_records.h). */
struct prof_branch {
	uint32_t from, to; /* locations; both 0: [other], there was no room to tell them apart */
	uint64_t kind;     /* enum branch_kind */
	struct branch_counts counts;
};

struct prof {
	struct prof_type *types;
	size_t n_types, cap_types;
	struct prof_mapping *mappings; /* [0] is none */
	size_t n_mappings, cap_mappings;
	struct prof_function *functions; /* [0] is none */
	size_t n_functions, cap_functions;
	struct prof_location *locations; /* [0] is none */
	size_t n_locations, cap_locations;
	struct prof_line *lines;
	size_t n_lines, cap_lines;
	struct prof_sample *samples;
	size_t n_samples, cap_samples;
	int64_t *values; /* n_types of each sample */
	size_t n_values, cap_values;
	uint32_t *comments;
	size_t n_comments, cap_comments;
	uint32_t *layouts; /* texts: prof/layouts.h */
	size_t n_layouts, cap_layouts;
	struct prof_branch *branches;
	size_t n_branches, cap_branches;
	struct intern branch_set; /* from, to, kind; number - 1 indexes branches */

	int64_t time_ns; /* since 1970; 0: not known */
	int64_t duration_ns;
	struct prof_type period_type;
	int64_t period;
	uint32_t default_type;             /* name of a type */
	uint32_t drop_frames, keep_frames; /* texts: expressions (prof/prune.h); 0: none */

	struct intern strings;    /* with their NUL */
	struct intern stacks;     /* arrays of locations, leaf first */
	struct intern label_sets; /* arrays of labels, by key */
	bool *number_keys;        /* by text: of labels that are numbers, somewhere not a bare 0 */
	size_t n_number_keys;
	struct intern keys;         /* struct prof_sample; number - 1 indexes samples */
	struct intern function_set; /* struct prof_function; the numbers are those of functions */
	struct intern
		location_set; /* address, mapping, lines; the numbers are those of locations */
};

struct prof *prof__new(void);
struct prof *prof__free(struct prof *p); /* NULL is fine; returns NULL */

/* Adding. All types come before the first sample. */
uint32_t prof__string(struct prof *p, const char *text);
uint32_t prof__string_n(struct prof *p, const char *text, size_t len); /* up to a NUL in it */
size_t prof__type(struct prof *p, const char *name, const char *unit); /* its index */
size_t prof__type_called(const struct prof *p, const char *name); /* the first's; n_types: none */
uint32_t prof__mapping(struct prof *p, const struct prof_mapping *mapping); /* always a new one */
uint32_t prof__function(struct prof *p, const struct prof_function *function);
uint32_t prof__location(struct prof *p, uint32_t mapping, uint64_t address,
			const struct prof_line *lines, size_t n);
uint32_t prof__stack(struct prof *p, const uint32_t *locations, size_t n);
/* The labels get sorted. */
uint32_t prof__labels(struct prof *p, struct prof_label *labels, size_t n);
/* Labels of one sample, to be put together one by one; the caller frees items. */
struct prof_label_list {
	struct prof_label *items;
	size_t n, cap;
};
void prof__add_text(struct prof *p, struct prof_label_list *to, const char *key, const char *text);
void prof__add_number(struct prof *p, struct prof_label_list *to, const char *key, int64_t number);
void prof__add_quantity(struct prof *p, struct prof_label_list *to, const char *key, int64_t number,
			const char *unit);
/* Room for so many samples, whose stacks have so many locations in all. */
void prof__reserve(struct prof *p, size_t samples, size_t locations);
/* Its values, to add to: n_types of them, 0 at first. Valid until the next sample. */
int64_t *prof__sample(struct prof *p, uint32_t stack, uint32_t labels);
/* Each once, and no more than PROF_MAX_COMMENTS: whoever reads them compares each with the others,
 * and all are written out in full. */
void prof__comment(struct prof *p, const char *text);
void prof__add_comment(struct prof *p, uint32_t string);
/* The same of how types lie, which is not for people: other tools print comments. */
void prof__add_layout(struct prof *p, uint32_t string);
/* Adds to the one with the same places and of the same kind, if there is one. */
void prof__add_branch(struct prof *p, const struct prof_branch *branch);

/* Reading. Borrowed until something is added. */
const char *prof__text(const struct prof *p, uint32_t string); /* "" for 0 */
size_t prof__stack_locations(const struct prof *p, uint32_t stack, const uint32_t **ret);
/* Of a CPU that had nothing to do: a sample's stack; a location. */
bool prof__is_idle(const struct prof *p, uint32_t stack);
bool prof__is_idle_place(const struct prof *p, uint32_t location);
size_t prof__label_set(const struct prof *p, uint32_t labels, const struct prof_label **ret);
const int64_t *prof__values(const struct prof *p, size_t sample);
/* The function's name, or where nobody demangled it the linker's; 0: neither is known. */
uint32_t prof__function_name(const struct prof *p, uint32_t function);
/* The label of that key, or NULL. */
const struct prof_label *prof__label(const struct prof *p, uint32_t labels, const char *key);
/* Its text; "": it has none, or isn't there. Borrowed. */
const char *prof__label_text(const struct prof *p, uint32_t labels, const char *key);

/* Whose code it is. */
enum prof_kind {
	PROF_USER,
	PROF_KERNEL,
	PROF_JIT,
	PROF_PYTHON,
	PROF_SCRIPT,     /* JavaScript */
	PROF_ARTIFICIAL, /* no code: [idle], [other], [unknown] */
};
enum prof_kind prof__kind(const struct prof *p, uint32_t location);

/*
 * What is measured: up to three types belong to one event. A recording of ours has
 * NAME_sample/count, NAME_event/count and NAME_time/nanoseconds; Go's samples/count and
 * cpu/nanoseconds are one, too.
 */
#define PROF_NO_TYPE SIZE_MAX
struct prof_event {
	char *name;
	size_t samples, events, time; /* types, or PROF_NO_TYPE; events may be in any unit */
};
/* The caller frees them with prof_events__free. */
size_t prof__events(const struct prof *p, struct prof_event **ret);
/* Without the latencies of events that it has, too: those aren't overflows of their own, which
 * formats without columns would show. */
#define PROF_LATENCY "_latency"
size_t prof__counted_events(const struct prof *p, struct prof_event **ret);
/* Whether one of them is such. */
bool prof_events__is_latency(const struct prof *p, const struct prof_event *events, size_t n,
			     size_t i);
void prof_events__free(struct prof_event *events, size_t n);

/* Comments of ours are "key: value"; the value of the first with that key, or NULL. */
const char *prof__remark(const struct prof *p, const char *key);

#endif
