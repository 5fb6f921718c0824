// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/unknown_runtimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool is_same(const struct unknown_runtime *a, const struct unknown_runtime *b)
{
	return a->version == b->version && a->free_threaded == b->free_threaded &&
	       a->crowded == b->crowded && a->is_v8 == b->is_v8 &&
	       strcmp(a->missing ?: "", b->missing ?: "") == 0 && strcmp(a->file, b->file) == 0;
}

/* A copy of what is new. */
static void add(struct unknown_runtimes *all, const struct unknown_runtime *one)
{
	for (size_t i = 0; i < all->n; i++) {
		if (is_same(&all->list[i], one))
			return;
	}
	if (all->n >= UNKNOWN_RUNTIMES_MAX) {
		all->more++;
		return;
	}
	GROW(all->list, all->n, all->cap);
	all->list[all->n] = *one;
	all->list[all->n].file = xstrdup(one->file);
	all->list[all->n++].missing = one->missing ? xstrdup(one->missing) : NULL;
}

void unknown_runtimes__add(struct unknown_runtimes *all, const char *file, uint32_t version,
			   bool free_threaded)
{
	add(all, &(struct unknown_runtime){
			 .file = (char *)file,
			 .version = version,
			 .free_threaded = free_threaded,
		 });
}

void unknown_runtimes__add_hotspot(struct unknown_runtimes *all, const char *file,
				   const char *missing)
{
	add(all, &(struct unknown_runtime){.file = (char *)file, .missing = (char *)missing});
}

void unknown_runtimes__add_crowded(struct unknown_runtimes *all, const char *file)
{
	add(all, &(struct unknown_runtime){.file = (char *)file, .crowded = true});
}

void unknown_runtimes__add_v8(struct unknown_runtimes *all, const char *file)
{
	add(all, &(struct unknown_runtime){.file = (char *)file, .is_v8 = true});
}

void unknown_runtimes__merge(struct unknown_runtimes *all, struct unknown_runtimes *from)
{
	for (size_t i = 0; i < from->n; i++)
		add(all, &from->list[i]);
	all->more += from->more;
	unknown_runtimes__done(from);
}

void unknown_runtimes__done(struct unknown_runtimes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->list[i].file);
		free(all->list[i].missing);
	}
	free(all->list);
	*all = (struct unknown_runtimes){0};
}

void unknown_runtime__text(const struct unknown_runtime *u, struct buf *out)
{
	buf__puts(out, u->is_v8 ? "V8" : u->missing || u->crowded ? "HotSpot" : "CPython");
	if (u->version)
		buf__printf(out, " %u.%u", u->version >> 24, u->version >> 16 & 0xff);
	if (u->free_threaded)
		buf__puts(out, " (free-threaded)");
}
