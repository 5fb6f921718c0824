// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the word has grown. Since Linux 4.13 mem_lvl_num says in one number what mem_lvl
 * says in bits, more exactly, and both are filled in by most drivers; some only know one of them.
 */
#include "model/data_source.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "pmubpf/operand.h"

const char *const data_segment_keys[PMB_N_SEGMENTS] = {
	"none",   "kernel",    "program", "heap",   "stack",
	"mapped", "anonymous", "file",    "shared", "thread_stack",
};
const char *const data_segment_texts[PMB_N_SEGMENTS] = {
	"[none]",   "[kernel]",    "[program]", "[heap]",          "[stack]",
	"[mapped]", "[anonymous]", "[file]",    "[shared memory]", "[stack of a thread]",
};

struct word {
	unsigned bit;
	const char *text;
};

static const struct word ops[] = {{PERF_MEM_OP_LOAD, "load"},
				  {PERF_MEM_OP_STORE, "store"},
				  {PERF_MEM_OP_PFETCH, "prefetch"},
				  {PERF_MEM_OP_EXEC, "fetch"}};

/* The furthest first: several may be set, of a level that was missed on the way. */
static const struct word levels[] = {
	{PERF_MEM_LVL_UNC, "uncached"},
	{PERF_MEM_LVL_IO, "I/O"},
	{PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, "remote RAM"},
	{PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, "remote cache"},
	{PERF_MEM_LVL_LOC_RAM, "RAM"},
	{PERF_MEM_LVL_L3, "L3"},
	{PERF_MEM_LVL_L2, "L2"},
	{PERF_MEM_LVL_LFB, "LFB"},
	{PERF_MEM_LVL_L1, "L1"},
};

static const struct word snoops[] = {{PERF_MEM_SNOOP_HITM, ", hitm"},
				     {PERF_MEM_SNOOP_HIT, ", snoop hit"},
				     {PERF_MEM_SNOOP_MISS, ", snoop miss"}};

/* As Power and Arm say it. */
static const struct word more_snoops[] = {{PERF_MEM_SNOOPX_PEER, ", from a peer"},
					  {PERF_MEM_SNOOPX_FWD, ", forwarded"}};

static const struct word blocks[] = {{PERF_MEM_BLK_DATA, ", blocked by a store's data"},
				     {PERF_MEM_BLK_ADDR, ", blocked by an address"}};

/* How far away another one is (mem_hops). */
static const char *const hops[8] = {
	[PERF_MEM_HOPS_0] = ", of another core",
	[PERF_MEM_HOPS_1] = ", of another node",
	[PERF_MEM_HOPS_2] = ", of another socket",
	[PERF_MEM_HOPS_3] = ", of another board",
};

/* The number of mem_lvl_num; by hand what the oldest headers lack. */
static const char *level_by_number(unsigned number)
{
	static const char *const texts[16] = {
		[1] = "L1",   [2] = "L2",       [3] = "L3",
		[4] = "L4",   [5] = "L2 MHB",   [6] = "memory-side cache",
		[7] = "L0",   [8] = "uncached", [9] = "CXL",
		[10] = "I/O", [11] = "cache",   [12] = "LFB",
		[13] = "RAM", [14] = "PMEM",
	};

	return texts[number & 15];
}

#define FIRST_WORD(table, bits) first_word(table, ARRAY_SIZE(table), bits)
static const char *first_word(const struct word *table, size_t n, uint64_t bits)
{
	for (size_t i = 0; i < n; i++) {
		if (table[i].bit & bits)
			return table[i].text;
	}
	return NULL;
}

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

uint32_t data_source_kind(uint64_t data_src)
{
	const union perf_mem_data_src src = {.val = data_src};

	return (src.mem_op & PERF_MEM_OP_LOAD ? PMB_OPERAND_LOAD : 0) |
	       (src.mem_op & PERF_MEM_OP_STORE ? PMB_OPERAND_STORE : 0);
}

bool data_source(uint64_t data_src, char ret[DATA_SOURCE_TEXT])
{
	const union perf_mem_data_src src = {.val = data_src};
	const char *op = FIRST_WORD(ops, src.mem_op);
	const char *level = level_by_number(src.mem_lvl_num);
	const char *old = FIRST_WORD(levels, src.mem_lvl);
	/* "remote RAM" says more than "RAM", and mem_lvl_num has no word for it */
	bool far = level && src.mem_remote;

	if (!level)
		level = old;
	if (!op && !level)
		return false;
	snprintf(ret, DATA_SOURCE_TEXT, "%s%s%s%s%s%s%s%s%s%s%s", op ? op : "access",
		 level ? " " : "", far ? "remote " : "", or_nothing(level),
		 !level                          ? "" :
		 src.mem_lvl & PERF_MEM_LVL_HIT  ? " hit" :
		 src.mem_lvl & PERF_MEM_LVL_MISS ? " miss" :
						   "",
		 or_nothing(hops[src.mem_hops]), or_nothing(FIRST_WORD(snoops, src.mem_snoop)),
		 or_nothing(FIRST_WORD(more_snoops, src.mem_snoopx)),
		 or_nothing(FIRST_WORD(blocks, src.mem_blk)),
		 src.mem_lock & PERF_MEM_LOCK_LOCKED ? ", locked" : "",
		 src.mem_dtlb & PERF_MEM_TLB_MISS ? DATA_SOURCE_TLB_MISS : "");
	return true;
}
