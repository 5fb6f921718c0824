/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Saved profiles, by the names that a command line gives them, and what of them it asks for. */
#ifndef PMUBPF_CMD_PROFILES_H
#define PMUBPF_CMD_PROFILES_H

#include "base/err.h"
#include "prof/pprof_read.h"
#include "prof/select.h"

/* "-" is standard input. The caller frees *ret. */
int profile__load(struct prof **ret, const char *path, const struct pprof_limits *limits,
		  struct err *err);
/* Its file, in memory: a descriptor, the caller's; a negative errno: there is no room. */
int profile__pack(const struct prof *p);
/* Functions of which only the linker's name is known get readable ones, by the helper; if it fails,
 * standard error says so and they stay. */
void profiles__demangle(struct prof *p);
/* Leaves out the frames that the profile says are nobody's business; if that can't be understood,
 * standard error says so and they stay. */
void profiles__prune(struct prof **p);
/* All of them added up. */
int profiles__load(struct prof **ret, char *const *paths, size_t n,
		   const struct pprof_limits *limits, struct err *err);
/* key and value are borrowed. */
void selection__add_label(struct selection *s, const char *key, const char *value);
/* --label KEY=VALUE, which is cut in two. */
int selection__parse_label(struct selection *s, char *arg, struct err *err);
/* "12%", "12" */
int parse_percentage(const char *arg, double *ret);
/* How many bytes may be written about them: names repeat in it, so it is as much as what was read
 * may take in memory. */
uint64_t profiles__max_output(const struct pprof_limits *limits);
/* Says on standard error that so many rows did not fit into that, if any. */
void profiles__tell_cut(size_t n_rows, const struct pprof_limits *limits);
/* --max-size */
int profiles__parse_limit(struct pprof_limits *ret, const char *text, struct err *err);

#endif
