// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a stack dump and registers, walked by rules of every kind: stack memory is the
 * program's. A walk ends, with as many frames as it may have at most.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "collect/decode.h"
#include "fuzz.h"
#include "unwind/walk.h"

enum {
	FILE_KNOWN = 1,
	FILE_FRAMES = 2,
	CODE = 0x400000,
	ROW_BYTES = 16,
	N_RULES = 4 * PMB_N_CFA * PMB_N_FP
};

static struct pmb_chunk *new_chunk(void *ctx, uint32_t index)
{
	(void)ctx;
	(void)index;
	return xcalloc(1, sizeof(struct pmb_chunk)); /* one, for as long as the process is */
}

/* Each way to find the CFA with each to find the frame pointer, with small, no and negative
 * offsets. */
static void fill(struct pmb_unwind_rule *rules, __u32 *rows)
{
	static const int offs[] = {8, 0, 16, -24};

	for (unsigned i = 0; i < N_RULES; i++) {
		rules[i] = (struct pmb_unwind_rule){.cfa = (__u8)(i % PMB_N_CFA),
						    .reg = (__u8)(i % PMB_UNWIND_REGS),
						    .fp = (__u8)(i / PMB_N_CFA % PMB_N_FP),
						    .ra = (__u8)(i % 7 % PMB_N_RA),
						    .cfa_off = offs[i / PMB_N_CFA / PMB_N_FP],
						    .cfa_add = (__s16)offs[i % 4],
						    .ra_off = -8,
						    .fp_off = (__s16)offs[i % 3],
						    .saved = (__u16)(i * 4099 & PMB_SAVED_UNKNOWN)};
		rows[i] = PMB_ROW(i * ROW_BYTES, i);
	}
}

static struct store *rules_of_every_kind(void)
{
	static const struct pmb_unwind_page pages[] = {{0, N_RULES}};
	static struct pmb_unwind_rule rules[N_RULES];
	static __u32 rows[N_RULES];
	static const struct unwind_table table = {.head = {.n_pages = 1,
							   .n_rules = N_RULES,
							   .n_rows = N_RULES},
						  .pages = pages,
						  .rules = rules,
						  .rows = rows};
	const struct store_memory memory = {.code = xcalloc(1, sizeof(struct pmb_code)),
					    .mappings = xcalloc(1, sizeof(struct pmb_mappings)),
					    .new_chunk = new_chunk};
	struct store *store = store__new(&memory, 1 << 20);

	fill(rules, rows);
	if (!store__put(store, FILE_KNOWN, &table))
		abort();
	store__put_frames(store, FILE_FRAMES);
	return store;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct mapping maps[] = {{CODE, CODE + 0x10000, 0, FILE_KNOWN, false},
					      {2 * CODE, 2 * CODE + 0x10000, 0, FILE_FRAMES, false},
					      {3 * CODE, 3 * CODE + 0x10000, 0, 3, false}};
	static const struct walk_limits limits = {PMB_MAX_FRAMES, (1ULL << 47) - 1};
	static struct store *store;
	static struct mappings *list;
	_cleanup_free_ struct pmb_rec *rec = xmemdup(data, len);
	struct late_stack got;
	struct decoded d;

	if (!store) {
		store = rules_of_every_kind();
		for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
			list = mappings__add(list, &maps[i]);
	}
	if (len < sizeof(*rec))
		return 0;
	rec->size = (__typeof__(rec->size))len;
	rec->type = PMB_REC_STACK_DUMP;
	if (record_decode(rec, len, 1, &d) >= 0)
		return 0;
	if (unwind_walk(store, list, d.dump, &limits, &got) >= PMB_N_UNWIND_STATUSES ||
	    got.n > PMB_MAX_FRAMES || got.n < d.dump->n)
		abort();
	return 0;
}
