// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/set_aside.h"

#include <stdlib.h>

#include "base/mem.h"

static void put(struct set_aside *all, struct aside *one)
{
	if (all->n < SET_ASIDE_MAX) {
		GROW(all->list, all->n, all->cap);
		all->list[all->n++] = *one;
		return;
	}
	free(one->file);
	free(one->why);
	all->more++;
}

void set_aside__add(struct set_aside *all, const char *file, const char *lost, char *why)
{
	put(all, &(struct aside){xstrdup(file ? file : "[unknown]"), lost, why});
}

void set_aside__merge(struct set_aside *all, struct set_aside *from)
{
	for (size_t i = 0; i < from->n; i++)
		put(all, &from->list[i]);
	all->more += from->more;
	free(from->list);
	*from = (struct set_aside){0};
}

void set_aside__done(struct set_aside *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->list[i].file);
		free(all->list[i].why);
	}
	free(all->list);
	*all = (struct set_aside){0};
}
