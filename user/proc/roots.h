/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Roots of processes that aren't ours, a descriptor each, however many files are seen there. */
#ifndef PMUBPF_PROC_ROOTS_H
#define PMUBPF_PROC_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "opener/opener.h"

struct root {
	struct opener_root_id id;
	int fd;
	unsigned users;
};

struct roots {
	struct root **list;
	size_t n, cap;
};

/* NULL: nobody has asked for it. */
struct root *roots__find(const struct roots *roots, const struct opener_root_id *id);
/* Takes fd over. It has no user yet. */
struct root *roots__add(struct roots *roots, const struct opener_root_id *id, int fd);
/* One user less. True if it was the last: then it is closed, and no more. */
bool roots__leave(struct roots *roots, struct root *root);
void roots__done(struct roots *roots);

#endif
