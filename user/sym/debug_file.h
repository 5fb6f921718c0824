/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a program's symbols may lie if not in the file itself: separate debug files by build id and
 * by debug link, first as the program sees the file system, then as we do.
 */
#ifndef PMUBPF_SYM_DEBUG_FILE_H
#define PMUBPF_SYM_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opener;

struct debug_wanted {
	const uint8_t *build_id; /* NULL or build_id_len 0: none */
	size_t build_id_len;
	const char *link;      /* the name from .gnu_debuglink, untrusted; NULL: none */
	const char *path;      /* the file's own, absolute; NULL: unknown */
	int root_fd;           /* the root that path is seen from; -1: ours */
	uint64_t mnt_ns;       /* that root's */
	uint64_t dev;          /* where the file lies; 0: not known */
	struct opener *opener; /* who opens; NULL: this process */
};

/* Takes fd over. True: it's the one, stop searching. */
typedef bool (*debug_offer_fn)(void *ctx, int fd);

/* Offers each candidate that exists and is a regular file. True if one was taken. */
bool debug_file__search(const struct debug_wanted *wanted, debug_offer_fn offer, void *ctx);

#endif
