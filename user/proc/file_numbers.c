// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/file_numbers.h"

#include <stdlib.h>

#include "base/mem.h"
#include "pmubpf/budgets.h"

void file_numbers__init(struct file_numbers *n)
{
	*n = (struct file_numbers){
		.room = {.limit = PMB_TABLE_FILES - 1, .few = BUDGET_FILES_FEW},
		.with_table.next = 1,
		.others.next = PMB_TABLE_FILES,
	};
}

void file_numbers__done(struct file_numbers *n)
{
	fair_room__clear(&n->room);
	free(n->with_table.spare);
	free(n->others.spare);
}

static uint32_t take(struct free_numbers *of)
{
	return of->n_spare ? of->spare[--of->n_spare] : of->next++;
}

bool file_numbers__has_room(const struct file_numbers *n, const struct fair_who *who)
{
	return fair_room__would(&n->room, who, 1) == FAIR_TAKEN;
}

uint32_t file_numbers__take(struct file_numbers *n, const struct fair_who *who)
{
	bool has_room = who && fair_room__take(&n->room, who, 1) == FAIR_TAKEN;

	return take(has_room ? &n->with_table : &n->others);
}

void file_numbers__give(struct file_numbers *n, uint32_t number, const struct fair_who *who)
{
	struct free_numbers *of = file_number_has_table(number) ? &n->with_table : &n->others;

	if (file_number_has_table(number))
		fair_room__give(&n->room, who, 1);
	GROW(of->spare, of->n_spare, of->cap_spare);
	of->spare[of->n_spare++] = number;
}

uint32_t file_numbers__end(const struct file_numbers *n)
{
	return n->others.next > PMB_TABLE_FILES ? n->others.next : n->with_table.next;
}
