// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/spoilers.h"

#include <linux/types.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/lists.h"

bool ending_is_early(uint8_t ending)
{
	return ending == PMB_END_FP_LEFT || ending == PMB_END_TRUNCATED ||
	       ending == PMB_END_UNREADABLE || ending == PMB_END_NO_TABLE ||
	       ending == PMB_END_NO_RULE || ending == PMB_END_CORRUPT;
}

static bool spoilers__has(const struct spoilers *all, const char *file, uint8_t ending)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].ending == ending && strcmp(all->list[i].file, file) == 0)
			return true;
	}
	return false;
}

/* Linear: a file comes once for each reason, and the same ones all the time. */
void spoilers__add(struct spoilers *all, const char *file, uint8_t ending, uint64_t samples)
{
	if (all->n >= SPOILERS_MAX && !spoilers__has(all, file, ending))
		file = "[others]";
	for (size_t i = 0; i < all->n; i++) {
		struct spoiler *s = &all->list[i];

		if (s->ending != ending || strcmp(s->file, file) != 0)
			continue;
		s->samples += samples;
		if (i && all->list[i - 1].samples < s->samples) {
			struct spoiler moved = *s;

			*s = all->list[i - 1];
			all->list[i - 1] = moved;
		}
		return;
	}
	GROW(all->list, all->n, all->cap);
	all->list[all->n++] = (struct spoiler){xstrdup(file), ending, samples};
}

static int by_samples(const void *a, const void *b)
{
	const struct spoiler *x = a, *y = b;
	int order = CMP3(y->samples, x->samples);

	order = order ? order : strcmp(x->file, y->file);
	return order ? order : CMP3(x->ending, y->ending);
}

void spoilers__sort(struct spoilers *all)
{
	if (all->n)
		qsort(all->list, all->n, sizeof(*all->list), by_samples);
}

void spoilers__done(struct spoilers *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].file);
	free(all->list);
	*all = (struct spoilers){0};
}
