/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ids that a file gives to its things, and our numbers of them. Ids are mostly 1, 2, 3…, but
 * may be anything. */
#ifndef PMUBPF_PROF_IDS_H
#define PMUBPF_PROF_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_entry {
	uint64_t id;
	uint32_t number;
};

struct ids {
	struct id_entry *entries;
	size_t n, cap;
};

void ids__add(struct ids *ids, uint64_t id, uint32_t number);
/* Once, after the last add; false if an id is there twice: *ret_id. */
bool ids__settle(struct ids *ids, uint64_t *ret_id);
bool ids__find(const struct ids *ids, uint64_t id, uint32_t *ret_number);
void ids__done(struct ids *ids);

#endif
