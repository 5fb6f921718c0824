// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/roots.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct root *roots__find(const struct roots *roots, const struct opener_root_id *id)
{
	for (size_t i = 0; i < roots->n; i++) {
		if (memcmp(&roots->list[i]->id, id, sizeof(*id)) == 0)
			return roots->list[i];
	}
	return NULL;
}

struct root *roots__add(struct roots *roots, const struct opener_root_id *id, int fd)
{
	struct root *root = xcalloc(1, sizeof(*root));

	*root = (struct root){.id = *id, .fd = fd};
	GROW(roots->list, roots->n, roots->cap);
	roots->list[roots->n++] = root;
	return root;
}

bool roots__leave(struct roots *roots, struct root *root)
{
	if (--root->users)
		return false;
	for (size_t i = 0; i < roots->n; i++) {
		if (roots->list[i] == root)
			roots->list[i] = roots->list[--roots->n];
	}
	cleanup_close(&root->fd);
	free(root);
	return true;
}

void roots__done(struct roots *roots)
{
	free(roots->list);
	*roots = (struct roots){0};
}
