// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf's names. The cache events are a small language, CACHE[-OP][-RESULT] with synonyms for each
 * word; because some words contain hyphens ("l1-d", "speculative-read"), it is matched word by
 * word, the longest first, and never split at hyphens.
 */
#include "pmu/perf_names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define HW(id) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id
#define SW(id) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##id
#define CYCLES .counts = "cycles", .unit = UNIT_CYCLES
#define NS .counts = "ns", .unit = UNIT_NS

/* The kernel has them on arm64 for 32-bit programs alone, and tells the instruction's address
 * there; on x86 it has none. */
#if defined(__aarch64__)
#define ALIGNMENT_FAULTS_HAVE_ADDR false
#else
#define ALIGNMENT_FAULTS_HAVE_ADDR true
#endif

/* The periods are primes, so that no loop of a round length falls in step with them. */
const struct perf_name perf_names[] = {
	{"cpu-cycles", "cycles", "CPU cycles", HW(CPU_CYCLES), CYCLES, .period = 2000003},
	{"instructions", NULL, "instructions retired", "instructions", HW(INSTRUCTIONS),
	 .period = 2000003},
	{"cache-references", NULL, "cache accesses, as the CPU's maker defines them", "events",
	 HW(CACHE_REFERENCES), .period = 100003},
	{"cache-misses", NULL, "cache misses, as the CPU's maker defines them", "events",
	 HW(CACHE_MISSES), .period = 10007},
	{"branch-instructions", "branches", "branches retired", "events", HW(BRANCH_INSTRUCTIONS),
	 .period = 400009},
	{"branch-misses", NULL, "branches mispredicted", "events", HW(BRANCH_MISSES),
	 .period = 10007},
	{"bus-cycles", NULL, "bus cycles", "bus cycles", HW(BUS_CYCLES), .period = 100003},
	{"stalled-cycles-frontend", "idle-cycles-frontend", "cycles without new instructions",
	 HW(STALLED_CYCLES_FRONTEND), CYCLES, .period = 1000003},
	{"stalled-cycles-backend", "idle-cycles-backend", "cycles waiting for data or units",
	 HW(STALLED_CYCLES_BACKEND), CYCLES, .period = 1000003},
	{"ref-cycles", NULL, "CPU cycles at the reference rate", HW(REF_CPU_CYCLES), CYCLES,
	 .period = 2000003},
	{"cpu-clock", NULL, "time, by a timer on each CPU", SW(CPU_CLOCK), NS, .period = 1013009},
	{"task-clock", NULL, "time that tasks ran", SW(TASK_CLOCK), NS, .period = 1013009},
	{"page-faults", "faults", "page faults", "faults", SW(PAGE_FAULTS), .period = 101,
	 .has_addr = true},
	{"minor-faults", NULL, "page faults without I/O", "faults", SW(PAGE_FAULTS_MIN),
	 .period = 101, .has_addr = true},
	{"major-faults", NULL, "page faults that needed I/O", "faults", SW(PAGE_FAULTS_MAJ),
	 .period = 2, .has_addr = true},
	{"context-switches", "cs", "context switches", "switches", SW(CONTEXT_SWITCHES),
	 .period = 101},
	{"cpu-migrations", "migrations", "moves to another CPU", "migrations", SW(CPU_MIGRATIONS),
	 .period = 2},
	{"alignment-faults", NULL, "unaligned accesses fixed by the kernel", "faults",
	 SW(ALIGNMENT_FAULTS), .period = 101, .has_addr = ALIGNMENT_FAULTS_HAVE_ADDR},
	{"emulation-faults", NULL, "instructions emulated by the kernel", "faults",
	 SW(EMULATION_FAULTS), .period = 101},
	{"cgroup-switches", NULL, "switches to a task of another cgroup", "switches",
	 .type = PERF_TYPE_SOFTWARE, .config = 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, 5.13 */,
	 .period = 101},
};
const size_t n_perf_names = ARRAY_SIZE(perf_names);

const struct perf_name *perf_name__find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_names); i++) {
		const struct perf_name *p = &perf_names[i];

		if (strcmp(p->name, name) == 0 || (p->synonym && strcmp(p->synonym, name) == 0))
			return p;
	}
	return NULL;
}

const char *perf_name__why_none(const char *name)
{
	static const struct {
		const char *name, *why;
	} names[] = {
#define NOTHING "never overflows and counts nothing: leave it out"
#define TIME "is a time that perf takes itself; `pmubpf stat` ends with it: "
		{"dummy", NOTHING},
		{"bpf-output", NOTHING},
		{"duration_time", TIME "seconds elapsed"},
		{"user_time", TIME "seconds user"},
		{"system_time", TIME "seconds system"},
#undef NOTHING
#undef TIME
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, name) == 0)
			return names[i].why;
	}
	return NULL;
}

#define MAX_WORDS 6

/* Canonical spelling first. */
static const char *const cache_words[][MAX_WORDS] = {
	[PERF_COUNT_HW_CACHE_L1D] = {"L1-dcache", "l1-d", "l1d", "L1-data", "l1-dcache"},
	[PERF_COUNT_HW_CACHE_L1I] = {"L1-icache", "l1-i", "l1i", "L1-instruction", "l1-icache"},
	[PERF_COUNT_HW_CACHE_LL] = {"LLC", "L2"},
	[PERF_COUNT_HW_CACHE_DTLB] = {"dTLB", "d-tlb", "Data-TLB"},
	[PERF_COUNT_HW_CACHE_ITLB] = {"iTLB", "i-tlb", "Instruction-TLB"},
	[PERF_COUNT_HW_CACHE_BPU] = {"branch", "branches", "bpu", "btb", "bpc"},
	[PERF_COUNT_HW_CACHE_NODE] = {"node"},
};

static const char *const op_words[][MAX_WORDS] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"load", "loads", "read"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"store", "stores", "write"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetch", "prefetches", "speculative-read",
					     "speculative-load"},
};

static const char *const result_words[][MAX_WORDS] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {"refs", "Reference", "reference", "ops", "access"},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {"misses", "miss"},
};

#define R (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define W (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define P (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

static const unsigned char valid_ops[] = {
	[PERF_COUNT_HW_CACHE_L1D] = R | W | P,  [PERF_COUNT_HW_CACHE_L1I] = R | P,
	[PERF_COUNT_HW_CACHE_LL] = R | W | P,   [PERF_COUNT_HW_CACHE_DTLB] = R | W | P,
	[PERF_COUNT_HW_CACHE_ITLB] = R,         [PERF_COUNT_HW_CACHE_BPU] = R,
	[PERF_COUNT_HW_CACHE_NODE] = R | W | P,
};

/*
 * The entry of which a word stands at *p, followed by '-' or the end; moves *p behind it. A word
 * that ends there can't be the beginning of a longer one, except with a hyphen in it, and no word
 * here continues another so.
 */
static int take_word(const char **p, const char *const words[][MAX_WORDS], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t w = 0; w < MAX_WORDS && words[i][w]; w++) {
			size_t len = strlen(words[i][w]);

			if (strncmp(*p, words[i][w], len) != 0)
				continue;
			if ((*p)[len] != '\0' && (*p)[len] != '-')
				continue;
			*p += len;
			return (int)i;
		}
	}
	return -1;
}

/* As `perf list` has it: L1-dcache-loads, L1-dcache-load-misses, LLC-prefetches. */
static void cache_event__fill(struct cache_event *event, unsigned cache, unsigned op, bool miss)
{
	static const char *const counts[] = {"load events", "store events", "prefetch events"};
	const char *plural = op == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s";

	*event = (struct cache_event){
		.config = cache | op << 8 | (uint64_t)miss << 16,
		.miss = miss,
		.counts = counts[op],
	};
	snprintf(event->name, sizeof(event->name), "%s-%s%s", cache_words[cache][0],
		 op_words[op][0], miss ? "-misses" : plural);
}

int cache_event__parse(const char *text, struct cache_event *ret)
{
	int op = -1, result = -1, cache = take_word(&text, cache_words, ARRAY_SIZE(cache_words));

	if (cache < 0)
		return -ENOENT;
	/* Operation and result each at most once, in either order: perf takes L1d-misses-loads. */
	while (*text == '-') {
		text++;
		if (op < 0 && (op = take_word(&text, op_words, ARRAY_SIZE(op_words))) >= 0)
			continue;
		if (result < 0 &&
		    (result = take_word(&text, result_words, ARRAY_SIZE(result_words))) >= 0)
			continue;
		return -ENOENT;
	}
	if (*text)
		return -ENOENT;
	op = op < 0 ? PERF_COUNT_HW_CACHE_OP_READ : op;
	if (!(valid_ops[cache] & 1 << op))
		return -EOPNOTSUPP;
	cache_event__fill(ret, (unsigned)cache, (unsigned)op,
			  result == PERF_COUNT_HW_CACHE_RESULT_MISS);
	return 0;
}

bool cache_event__nth(size_t i, struct cache_event *ret)
{
	for (unsigned cache = 0; cache < ARRAY_SIZE(cache_words); cache++) {
		for (unsigned op = 0; op < ARRAY_SIZE(op_words); op++) {
			if (!(valid_ops[cache] & 1 << op))
				continue;
			if (i < 2) {
				cache_event__fill(ret, cache, op, i == 1);
				return true;
			}
			i -= 2;
		}
	}
	return false;
}
