/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which files get a table, and when: those that samples hit, most hit first. A helper process
 * builds them, one at a time, while the recording goes on; nothing here waits. Large files, of more
 * than 16 MiB, and those that take long have a helper of their own, so that the others needn't wait
 * for them. Where there is
 * no room for a table, others go (unwind/shares.h), or its file does without for a while.
 */
#ifndef PMUBPF_UNWIND_TABLES_H
#define PMUBPF_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/set_aside.h"
#include "proc/files.h"
#include "unwind/runtimes.h"
#include "unwind/store.h"

struct tables_totals {
	uint64_t built;
	uint64_t frames;      /* files without unwind information: frame pointers */
	uint64_t failed;      /* that the helper could not read */
	uint64_t no_room;     /* that found no room */
	uint64_t over_budget; /* of these, those that want more than a file may have */
	uint64_t evicted;
	uint64_t evicted_mapped; /* of these, those that some process had mapped */
	uint64_t readmitted;     /* tables that came after that, or came again */
	uint64_t build_ns;       /* from request to answer, all together */
};

struct tables;

enum { TABLES_HELPERS = 2 };

/* All are borrowed; runtimes gets the interpreters that files turn out to have. child: of the
 * helpers, as for table_client__new(). */
struct tables *tables__new(struct store *store, struct files *files, struct runtimes *runtimes,
			   int (*child)(int sock));
struct tables *tables__free(struct tables *tables);

/* Starts the helper that every recording needs before it is needed. */
void tables__prepare(struct tables *tables);

/* A sample of that cgroup needs the table of that file. False: it has none for now. */
bool tables__want(struct tables *tables, uint32_t file, uint64_t cgroup);
/* Somebody has mapped that file: runtimes gets to know what it is, before any sample of it. */
void tables__met(struct tables *tables, uint32_t file);
/* True if that file is wanted and has no answer yet. */
bool tables__waits(const struct tables *tables, uint32_t file);
/* Takes what the helpers have finished and gives them the next files. True if any file changed its
 * state. */
bool tables__work(struct tables *tables);
/* True while a file that is wanted has no answer yet. */
bool tables__busy(const struct tables *tables);
/* Readable when that helper has an answer; -1: it isn't asked for anything. */
int tables__fd(const struct tables *tables, size_t helper);
/* True if it is asked, or is to be, which runtime some file is. */
bool tables__undescribed(const struct tables *tables);
/* True if that helper is asked only which runtime a file is. */
bool tables__describes(const struct tables *tables, size_t helper);
/* True while room for tables is, or may become, short: then samples have to be told. */
bool tables__short(const struct tables *tables);
/* A sample went through these files. whole: to the stack's end. */
void tables__sampled(struct tables *tables, const uint32_t *files, size_t n, bool whole);
/* True if a table found no room, or one may find some now: tables__make_room() has to be called. */
bool tables__crowded(const struct tables *tables);
/* Decides who gets the room. used: by number, n_used of them: files that some process has
 * mapped. */
void tables__make_room(struct tables *tables, const bool *used, size_t n_used);
/* The helpers are to have it open no more. */
void tables__let_go(struct tables *tables, uint32_t file, int fd);
/* After files__sweep: the numbers that were swept mean other files from now on. */
void tables__swept(struct tables *tables);
/* What the helpers have used together: CPU time, memory, each at its most; how many there are. */
uint64_t tables__helpers_ns(const struct tables *tables);
uint64_t tables__helpers_rss_bytes(const struct tables *tables);
unsigned tables__n_helpers(const struct tables *tables);
/* How long that one has wanted to run and found no CPU. */
uint64_t tables__helper_delayed_ns(const struct tables *tables, size_t helper);
const struct tables_totals *tables__totals(const struct tables *tables);
/* The files on which the helper failed; the caller may take them out. */
struct set_aside *tables__set_aside(struct tables *tables);

#endif
