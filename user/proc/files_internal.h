/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What files.c and pin.c share. */
#ifndef PMUBPF_PROC_FILES_INTERNAL_H
#define PMUBPF_PROC_FILES_INTERNAL_H

#include "base/fair_room.h"
#include "base/hash.h"
#include "proc/file_numbers.h"
#include "proc/files.h"
#include "proc/roots.h"

enum { FILES_EARLY = 1024 }; /* pinned for nobody since the last sweep */

struct file_key {
	uint64_t inode; /* FILE_JIT: the serial number of the process */
	uint64_t dev;
	uint64_t kind;
	uint64_t replaced; /* 0, or a serial number: its inode is another file's by now */
};

struct entry {
	struct file_key key;
	struct file file;
	struct root *root; /* NULL: ours */
	uint32_t number;
	struct fair_who who; /* met it first */
	uint64_t generation; /* of the inode; 0: not known */
	bool keep;           /* marked for the next sweep */
	bool unused;         /* wasn't marked at the last one */
	bool elsewhere;      /* on a volume that nobody but its programs holds */
	bool let_go;         /* its descriptor is a copy's, or it has none */
	uint64_t copied;     /* bytes */
	uint64_t idle_ns;    /* since when nobody has it mapped; 0: somebody has */
	bool no_file;        /* a device or the like */
	unsigned failures;   /* to open it, of a process that was there */
	uint64_t retry_ns;   /* not before that */
	UT_hash_handle hh;
};

struct files {
	struct opener *opener;
	struct roots roots;
	uint64_t serials; /* of processes, given out */
	uint64_t file_serials;
	struct entry *by_key;
	struct entry **by_number; /* NULL: nobody's */
	size_t cap;
	struct file_numbers numbers;
	size_t after_sweep;
	uint64_t swept_ns;
	size_t pinned, max_pinned;
	bool max_known;
	size_t early;
	struct fair_turn turn; /* files that are looked for */
	uint64_t *own_devs;    /* of what we run from: those volumes are busy anyway */
	size_t n_own, cap_own;
	uint64_t copied; /* bytes */
};

/* NULL: there is none. */
struct entry *files__entry(const struct files *files, uint32_t number);
struct entry *files__find(const struct files *files, const struct file_key *key);
/* who: NULL for what has no table in any case. */
struct entry *files__add(struct files *files, const struct file_key *key, const char *path,
			 const struct fair_who *who);
void files__leave_root(struct files *files, struct entry *e);

#endif
