/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where allocators in files of targets are probed. Each file is asked about once, in one question;
 * that it has none is kept, too. */
#ifndef PMUBPF_SESSION_ALLOC_FILES_H
#define PMUBPF_SESSION_ALLOC_FILES_H

#include "base/buf.h"
#include "base/hash.h"
#include "collect/allocs.h"
#include "opener/opener.h"

struct alloc_file {
	UT_hash_handle hh;
	struct opener_file_id id;
	int fd; /* as it was found; -1: there is nothing to be probed */
	uint64_t mnt_ns;
	char *path;
	struct alloc_place *places;
	size_t n, cap;
};

struct alloc_files {
	struct opener *opener;        /* borrowed */
	struct buf *notes;            /* what is passed over, a line each; borrowed */
	void (*meanwhile)(void *ctx); /* called while an answer is waited for, once it began */
	void *ctx;
	bool began; /* samples come in: answers are waited for a quarter of a second at most */
	struct site_client *client; /* NULL: not asked since alloc_files__rest() */
	struct alloc_file *by_id;
	size_t n, n_probed, n_places; /* known; those to be probed; and where */
	size_t n_late;                /* answers that were waited for in vain */
	size_t n_served;              /* processes serve them: none is probed */
	size_t n_unread;              /* there was no answer in time, or no room for more files */
};

/* What is to be probed in the file, which lives as long as `files`; NULL: nothing. fd: as the
 * opener found it; borrowed. */
struct alloc_file *alloc_files__look(struct alloc_files *files, int fd, uint64_t mnt_ns,
				     const char *path);
/* It isn't probed any more: a process serves it, or -errno. */
void alloc_files__pass_over(struct alloc_files *files, struct alloc_file *file, int why);
/* Ends the helper: there will be few questions from now on. */
void alloc_files__rest(struct alloc_files *files);
void alloc_files__done(struct alloc_files *files);

#endif
