/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From counts to figures: instructions per cycle, miss ratios, CPUs used. A figure exists only
 * where both of its parts were counted, over the same code (user, kernel) and by the same PMU. Pure
 * arithmetic.
 */
#ifndef PMUBPF_MODEL_DERIVE_H
#define PMUBPF_MODEL_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/perf.h"

/* What an event is to the figures. X(id, key): saved profiles have the key. */
#define DERIVE_ROLES(X)                                                          \
	X(OTHER, "other")                                                        \
	X(TASK_CLOCK, "task-clock") /* ns */                                     \
	X(CYCLES, "cycles")                                                      \
	X(INSTRUCTIONS, "instructions")                                          \
	X(BRANCHES, "branches")                                                  \
	X(BRANCH_MISSES, "branch-misses")                                        \
	X(ACCESSES, "accesses") /* of the cache that `cache` names */            \
	X(MISSES, "misses")                                                      \
	X(OTHER_MISSES, "other-misses") /* without a known number of accesses */ \
	X(STALLS, "stalls")             /* cycles of a kind */                   \
	X(CORE_CLOCK, "core-clock")     /* ticks as fast as the core runs */     \
	X(BASE_CLOCK, "base-clock")     /* ticks at its base rate, as long */    \
	X(OCCURRENCES, "occurrences")   /* faults, switches: how many a second says something */

enum derive_role {
#define X(id, key) ROLE_##id,
	DERIVE_ROLES(X)
#undef X
};
#define ONE(id, key) +1
enum { N_ROLES = DERIVE_ROLES(ONE) };
#undef ONE
extern const char *const derive_role_keys[N_ROLES];

struct derive_event {
	enum derive_role role;
	uint32_t cache; /* equal for the accesses and misses of one cache */
	uint32_t set;   /* equal for events of one PMU that leave the same code out */
	bool all_code;  /* leaves none out: user, kernel, hypervisor */
	uint32_t khz;   /* a base clock's rate; 0: not known */
};

/* Name, JSON key, the words after the number, a column's title, what the quotient is multiplied
 * by. */
#define DERIVED(X)                                                                \
	X(CPUS_USED, "cpus_used", "CPUs used", "CPUs", 1)                         \
	X(GHZ, "effective_ghz", "GHz effective", "GHz", 1)                        \
	X(GHZ_IDLE, "ghz_with_idle", "GHz with idle time", "GHz", 1)              \
	X(GHZ_RUNNING, "running_ghz", "GHz while running", "GHz run", 1)          \
	X(IPC, "ipc", "insn per cycle", "IPC", 1)                                 \
	X(CPI, "cpi", "cycles per insn", "CPI", 1)                                \
	X(MISPREDICTED, "mispredict_percent", "% of branches", "% mispred.", 100) \
	X(MISS_RATIO, "miss_percent", "% of accesses", "% missed", 100)           \
	X(MPKI, "misses_per_1000_insn", "per 1000 insn", "/1000 insn", 1000)      \
	X(STALLED, "stalled_percent", "% of cycles", "% stalled", 100)            \
	X(PER_SECOND, "per_second", "per second", "/s", 1e9)

enum derived_kind {
#define X(name, ...) DERIVED_##name,
	DERIVED(X)
#undef X
		N_DERIVED,
};
extern const char *const derived_keys[N_DERIVED];
extern const char *const derived_texts[N_DERIVED];
extern const char *const derived_titles[N_DERIVED];

#define DERIVE_ELAPSED SIZE_MAX /* the other part is the time that passed */

struct derived {
	size_t event; /* beside which it is printed: its first part */
	size_t other; /* its second part, or DERIVE_ELAPSED */
	enum derived_kind kind;
	double factor; /* what the quotient was multiplied by */
	double value;
	/* The parts did not run together all the time: one of them shared its counter, or they were
	 * enabled for different times. Each is scaled by its own time, and the figure is a
	 * guess. */
	bool apart;
};

/* What a count would be if it had run all the time that it was enabled; 0 if it never ran. */
double count__scaled(const struct perf_count *count);
/* The percentage of its enabled time that it ran; 100 if it was never enabled. */
double count__share(const struct perf_count *count);

/* Instructions per cycle, and clock rates: of the others less is better. */
bool derived__more_is_better(enum derived_kind kind);

/* Of two counts, and no time: what samples can be compared by, too. */
bool derived__is_ratio(const struct derived *derived);

/*
 * All figures of one row, in the order of events; ret has room for DERIVE_MAX of each event. A
 * count that never ran ({0} for an event that could not be opened) takes no part. idle: the clocks
 * went on while CPUs were idle, as those of whole CPUs do.
 */
enum { DERIVE_MAX = 2 };
size_t derive(const struct derive_event *events, const struct perf_count *counts, size_t n,
	      uint64_t elapsed_ns, bool idle, struct derived *ret);

/* It ran, and it can't be that there was nothing to count: the hypervisor took the event and
 * doesn't count it. */
bool derive__zero_is_false(const struct derive_event *event, const struct perf_count *count);

/* Mean and spread of repeated counts. */
struct spread {
	uint64_t n;
	double mean, m2;
};
void spread__add(struct spread *spread, double value);
/* The standard error of the mean in percent of it, as perf has it; 0 for fewer than two. */
double spread__percent(const struct spread *spread);

#endif
