// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/unknown_runtimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void unknown_runtimes__add(struct unknown_runtimes *all, const char *file, uint32_t version,
			   bool free_threaded)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].version == version &&
		    all->list[i].free_threaded == free_threaded &&
		    strcmp(all->list[i].file, file) == 0)
			return;
	}
	if (all->n >= UNKNOWN_RUNTIMES_MAX) {
		all->more++;
		return;
	}
	GROW(all->list, all->n, all->cap);
	all->list[all->n++] = (struct unknown_runtime){xstrdup(file), version, free_threaded};
}

void unknown_runtimes__merge(struct unknown_runtimes *all, struct unknown_runtimes *from)
{
	for (size_t i = 0; i < from->n; i++)
		unknown_runtimes__add(all, from->list[i].file, from->list[i].version,
				      from->list[i].free_threaded);
	all->more += from->more;
	unknown_runtimes__done(from);
}

void unknown_runtimes__done(struct unknown_runtimes *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].file);
	free(all->list);
	*all = (struct unknown_runtimes){0};
}

void unknown_runtime__text(const struct unknown_runtime *u, struct buf *out)
{
	buf__puts(out, "CPython");
	if (u->version)
		buf__printf(out, " %u.%u", u->version >> 24, u->version >> 16 & 0xff);
	if (u->free_threaded)
		buf__puts(out, " (free-threaded)");
}
