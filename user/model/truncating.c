// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/truncating.h"

#include <linux/types.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/lists.h"

bool status_is_early(uint8_t status)
{
	return status == PMB_END_FP_LEFT || status == PMB_END_TRUNCATED ||
	       status == PMB_END_UNREADABLE || status == PMB_END_NO_TABLE ||
	       status == PMB_END_NO_RULE || status == PMB_END_CORRUPT;
}

static bool truncating__has(const struct truncating *all, const char *file, uint8_t status)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].status == status && strcmp(all->list[i].file, file) == 0)
			return true;
	}
	return false;
}

/* Linear: a file comes once for each reason, and the same ones all the time. */
void truncating__add(struct truncating *all, const char *file, uint8_t status, uint64_t samples)
{
	if (all->n >= TRUNCATING_MAX && !truncating__has(all, file, status))
		file = "[others]";
	for (size_t i = 0; i < all->n; i++) {
		struct truncating_module *s = &all->list[i];

		if (s->status != status || strcmp(s->file, file) != 0)
			continue;
		s->samples += samples;
		if (i && all->list[i - 1].samples < s->samples) {
			struct truncating_module moved = *s;

			*s = all->list[i - 1];
			all->list[i - 1] = moved;
		}
		return;
	}
	GROW(all->list, all->n, all->cap);
	all->list[all->n++] = (struct truncating_module){xstrdup(file), status, samples};
}

static int by_samples(const void *a, const void *b)
{
	const struct truncating_module *x = a, *y = b;
	int order = CMP3(y->samples, x->samples);

	order = order ? order : strcmp(x->file, y->file);
	return order ? order : CMP3(x->status, y->status);
}

void truncating__sort(struct truncating *all)
{
	if (all->n)
		qsort(all->list, all->n, sizeof(*all->list), by_samples);
}

void truncating__done(struct truncating *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].file);
	free(all->list);
	*all = (struct truncating){0};
}
