/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The numbers that files have. Those below PMB_TABLE_FILES are few, and the kernel side has unwind
 * tables for no others: processes and cgroups have fair shares of them, so that no program takes
 * them all by mapping files without end. There are as many others as are asked for.
 */
#ifndef PMUBPF_PROC_FILE_NUMBERS_H
#define PMUBPF_PROC_FILE_NUMBERS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fair_room.h"
#include "pmubpf/unwind.h"

struct file_numbers {
	struct fair_room room;
	struct free_numbers {
		uint32_t next; /* never given out */
		uint32_t *spare;
		size_t n_spare, cap_spare;
	} with_table, others;
};

void file_numbers__init(struct file_numbers *n);
void file_numbers__done(struct file_numbers *n);
/* NULL: it needs no table. 0 is nobody's number. */
uint32_t file_numbers__take(struct file_numbers *n, const struct fair_who *who);
bool file_numbers__has_room(const struct file_numbers *n, const struct fair_who *who);
/* Of the same process. */
void file_numbers__give(struct file_numbers *n, uint32_t number, const struct fair_who *who);
/* All that are given out are below it. */
uint32_t file_numbers__end(const struct file_numbers *n);

static inline bool file_number_has_table(uint32_t number)
{
	return number < PMB_TABLE_FILES;
}

#endif
