// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare_keys(const struct pmb_owner_key *a, const struct pmb_owner_key *b)
{
	return memcmp(a, b, sizeof(*a));
}

static int compare_rows(const void *a, const void *b)
{
	const struct owner_row *x = a, *y = b;

	return compare_keys(&x->key, &y->key);
}

void owners__sort(struct owners *owners)
{
	qsort(owners->rows, owners->n_rows, sizeof(*owners->rows), compare_rows);
}

void owners__add(struct owners *owners, const struct owner_row *rows, size_t n)
{
	size_t all = owners->n_rows + n, k = 0;

	if (!n)
		return;
	owners->rows = xrealloc(owners->rows, all, sizeof(*owners->rows));
	memcpy(owners->rows + owners->n_rows, rows, n * sizeof(*rows));
	owners->n_rows = all;
	owners__sort(owners);
	for (size_t i = 1; i < all; i++) {
		struct owner_row *row = &owners->rows[k];

		if (compare_rows(row, &owners->rows[i]) != 0) {
			owners->rows[++k] = owners->rows[i];
			continue;
		}
		for (size_t c = 0; c < PMB_MAX_READS; c++)
			row->counted.count[c] += owners->rows[i].counted.count[c];
	}
	owners->n_rows = k + 1;
}

/* False: nothing is left. */
static bool subtract(struct owner_row *row, const struct owner_row *before)
{
	uint64_t any = 0;

	for (size_t i = 0; i < PMB_MAX_READS; i++) {
		row->counted.count[i] -= before ? before->counted.count[i] : 0;
		any |= row->counted.count[i];
	}
	return any;
}

void owners__set(struct owners *to, const struct owners *now, const struct owners *before)
{
	size_t k = 0;

	free(to->rows);
	*to = *now;
	to->rows = xcalloc(now->n_rows ? now->n_rows : 1, sizeof(*to->rows));
	to->n_rows = 0;
	for (size_t i = 0; i < now->n_rows; i++) {
		struct owner_row *row = &to->rows[to->n_rows];

		while (k < before->n_rows && compare_rows(&before->rows[k], &now->rows[i]) < 0)
			k++;
		*row = now->rows[i];
		to->n_rows += subtract(row, k < before->n_rows && compare_rows(&before->rows[k],
									       row) == 0 ?
						    &before->rows[k] :
						    NULL);
	}
	for (size_t i = 0; i < PMB_MAX_READS; i++) {
		for (size_t own = 0; own < PMB_N_OWNER_OWN; own++)
			to->own[own][i] -= before->own[own][i];
		to->counter[i].value -= before->counter[i].value;
		to->counter[i].enabled_ns -= before->counter[i].enabled_ns;
		to->counter[i].running_ns -= before->counter[i].running_ns;
	}
	to->no_room -= before->no_room;
	to->waits.all_ns -= before->waits.all_ns;
	to->waits.lost -= before->waits.lost;
	to->waits.lost_ns -= before->waits.lost_ns;
	to->waits.unheld -= before->waits.unheld;
}

void owners__done(struct owners *owners)
{
	free(owners->rows);
	*owners = (struct owners){0};
}

/* ---- lines ---- */

static void add_counts(struct owner_line *line, const __u64 counts[PMB_MAX_READS])
{
	for (size_t i = 0; i < PMB_MAX_READS; i++)
		line->count[i] += counts[i];
}

static struct owner_line *new_line(struct owner_lines *lines, char *name, bool given)
{
	GROW(lines->list, lines->n, lines->cap);
	lines->list[lines->n] = (struct owner_line){.name = name, .given = given};
	return &lines->list[lines->n++];
}

static int compare_names(const void *a, const void *b)
{
	const struct owner_line *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_counts(const void *a, const void *b)
{
	const struct owner_line *x = a, *y = b;

	for (size_t i = 0; i < PMB_MAX_READS; i++) {
		if (x->count[i] != y->count[i])
			return x->count[i] < y->count[i] ? 1 : -1;
	}
	return strcmp(x->name, y->name);
}

/* Neighbours of one name are one. */
static void join(struct owner_lines *lines)
{
	size_t n = 0;

	if (lines->n)
		qsort(lines->list, lines->n, sizeof(*lines->list), compare_names);
	for (size_t i = 0; i < lines->n; i++) {
		struct owner_line *line = &lines->list[i];

		if (n && strcmp(lines->list[n - 1].name, line->name) == 0) {
			add_counts(&lines->list[n - 1], line->count);
			free(line->name);
		} else {
			lines->list[n++] = *line;
		}
	}
	lines->n = n;
}

static void put_given(struct owner_lines *lines, const char *name,
		      const __u64 counts[PMB_MAX_READS])
{
	uint64_t any = 0;

	for (size_t i = 0; i < PMB_MAX_READS; i++)
		any |= counts[i];
	if (any)
		add_counts(new_line(lines, xstrdup(name), true), counts);
}

void owners__lines(const struct owners *owners,
		   char *(*name)(void *ctx, const struct owner_row *row), void *ctx,
		   struct owner_lines *ret)
{
	static const char *const own[] = {
		[PMB_OWNER_IDLE] = "[idle]",
		[PMB_OWNER_KERNEL] = "[kernel threads]",
		[PMB_OWNER_UNSEEN] = "[switch not seen]",
		[PMB_OWNER_OTHER] = "[other]",
		[PMB_OWNER_SEVERAL] = "[several in turn]",
		[PMB_OWNER_ALONE] = "[no sibling]",
	};
	struct owner_line others = {0};

	*ret = (struct owner_lines){0};
	for (size_t i = 0; i < owners->n_rows; i++) {
		const struct owner_row *row = &owners->rows[i];
		char *text = name(ctx, row);

		add_counts(text ? new_line(ret, text, false) : &others, row->counted.count);
	}
	join(ret);
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), compare_counts);
	put_given(ret, "[everybody else]", others.count);
	for (size_t i = 0; i < PMB_N_OWNER_OWN; i++)
		put_given(ret, own[i], owners->own[i]);
}

void owner_lines__limit(struct owner_lines *lines, size_t limit)
{
	struct owner_line more = {.given = true};
	size_t programs = 0;

	while (programs < lines->n && !lines->list[programs].given)
		programs++;
	if (!limit || limit >= programs)
		return;
	for (size_t i = limit; i < programs; i++) {
		add_counts(&more, lines->list[i].count);
		free(lines->list[i].name);
	}
	more.name = xasprintf("[%zu more]", programs - limit);
	lines->list[limit] = more;
	memmove(&lines->list[limit + 1], &lines->list[programs],
		(lines->n - programs) * sizeof(*lines->list));
	lines->n -= programs - limit - 1;
}

void owner_lines__done(struct owner_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->list[i].name);
	free(lines->list);
	*lines = (struct owner_lines){0};
}
