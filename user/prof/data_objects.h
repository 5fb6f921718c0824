/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects that an event's samples are about: a variable, or what has no name by its type, or
 * else where it lies. How sure each is, what is done there, and what of it and who is hottest.
 */
#ifndef PMUBPF_PROF_DATA_OBJECTS_H
#define PMUBPF_PROF_DATA_OBJECTS_H

#include "model/data_class.h"
#include "prof/prof.h"

/* The one with most samples of those in the row. */
struct object_part {
	const char *text; /* "": there is none */
	int64_t samples;
};

struct object_row {
	const char *object;             /* "": its type alone is known, or nothing is */
	const char *type;               /* "": not known, and nothing says why */
	int64_t samples, loads, stores; /* what loads and stores is in both */
	int64_t classes[N_DATA_CLASSES];
	struct object_part member, function; /* function: the innermost one, inlined or not */
};

struct data_objects {
	struct object_row *rows; /* with most samples first */
	size_t n;
	int64_t all, with_data; /* samples of the event; those that are about data */
	/* between the functions of the .c file */
	struct intern *texts;
};

/* Of the samples of one type of value. Ends with data_objects__done. */
void data_objects__find(struct data_objects *ret, const struct prof *p, size_t type);
void data_objects__done(struct data_objects *o);

#endif
