// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <linux/perf_event.h>

#include "model/data_source.h"

#define BITS(what, bits) ((uint64_t)(bits) << PERF_MEM_##what##_SHIFT)

static void expect(uint64_t word, const char *want)
{
	char text[DATA_SOURCE_TEXT] = "";
	bool says = data_source(word, text);

	cr_expect_eq(says, want != NULL, "0x%lx: %s", (unsigned long)word, text);
	if (want)
		cr_expect_str_eq(text, want);
}

Test(data_source, not_available)
{
	expect(0, NULL);
	expect(0x5080021, NULL);    /* what 5.10 fills in */
	expect(0x1e05080021, NULL); /* 6.18 */
}

Test(data_source, intel)
{
	uint64_t load = BITS(OP, PERF_MEM_OP_LOAD);

	expect(load | BITS(LVL, PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT) |
		       BITS(LVLNUM, PERF_MEM_LVLNUM_L1) | BITS(SNOOP, PERF_MEM_SNOOP_NONE),
	       "load L1 hit");
	expect(load | BITS(LVL, PERF_MEM_LVL_LFB | PERF_MEM_LVL_HIT) |
		       BITS(LVLNUM, PERF_MEM_LVLNUM_LFB),
	       "load LFB hit");
	expect(load | BITS(LVL, PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_HIT) |
		       BITS(LVLNUM, PERF_MEM_LVLNUM_L3) | BITS(REMOTE, PERF_MEM_REMOTE_REMOTE) |
		       BITS(SNOOP, PERF_MEM_SNOOP_HITM),
	       "load remote L3 hit, hitm");
	expect(BITS(OP, PERF_MEM_OP_STORE) | BITS(LVL, PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS) |
		       BITS(LOCK, PERF_MEM_LOCK_LOCKED),
	       "store L1 miss, locked");
}

Test(data_source, tlb)
{
	uint64_t load = BITS(OP, PERF_MEM_OP_LOAD) | BITS(LVLNUM, PERF_MEM_LVLNUM_L2);

	expect(load | BITS(TLB, PERF_MEM_TLB_MISS | PERF_MEM_TLB_L2), "load L2, TLB miss");
	expect(load | BITS(TLB, PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1), "load L2");
	expect(load | BITS(TLB, PERF_MEM_TLB_NA), "load L2");
}

/* Before Linux 4.13 there was no number; some drivers still fill in bits alone, or the number
 * alone. */
Test(data_source, one_of_the_two)
{
	expect(BITS(OP, PERF_MEM_OP_LOAD) | BITS(LVL, PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_HIT),
	       "load remote RAM hit");
	expect(BITS(OP, PERF_MEM_OP_LOAD) | BITS(LVLNUM, PERF_MEM_LVLNUM_RAM), "load RAM");
	expect(BITS(OP, PERF_MEM_OP_STORE), "store");
	expect(BITS(OP, PERF_MEM_OP_NA) | BITS(LVLNUM, PERF_MEM_LVLNUM_L3), "access L3");
}

Test(data_source, power_and_arm)
{
	uint64_t cache = BITS(OP, PERF_MEM_OP_LOAD) | BITS(LVL, PERF_MEM_LVL_HIT) |
			 BITS(LVLNUM, PERF_MEM_LVLNUM_ANY_CACHE);

	expect(cache | BITS(REMOTE, PERF_MEM_REMOTE_REMOTE) | BITS(HOPS, PERF_MEM_HOPS_0) |
		       BITS(SNOOP, PERF_MEM_SNOOP_HITM),
	       "load remote cache hit, of another core, hitm");
	expect(cache | BITS(REMOTE, PERF_MEM_REMOTE_REMOTE) | BITS(HOPS, PERF_MEM_HOPS_3),
	       "load remote cache hit, of another board");
	expect(cache | BITS(SNOOPX, PERF_MEM_SNOOPX_PEER), "load cache hit, from a peer");
	expect(cache | BITS(SNOOPX, PERF_MEM_SNOOPX_FWD), "load cache hit, forwarded");
}

Test(data_source, what_had_to_wait)
{
	uint64_t load = BITS(OP, PERF_MEM_OP_LOAD) | BITS(LVLNUM, PERF_MEM_LVLNUM_L1);

	expect(load | BITS(BLK, PERF_MEM_BLK_DATA), "load L1, blocked by a store's data");
	expect(load | BITS(BLK, PERF_MEM_BLK_ADDR), "load L1, blocked by an address");
	expect(load | BITS(BLK, PERF_MEM_BLK_NA), "load L1");
}

Test(data_source, any_word_has_room)
{
	char text[DATA_SOURCE_TEXT];

	for (int bit = 0; bit < 64; bit++) {
		data_source(1ULL << bit, text);
		data_source(~0ULL << bit, text);
		data_source(~0ULL >> bit, text);
	}
}
