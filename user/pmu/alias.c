// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The well-known events, named as the Sun Collector named them. Each maps to an event of perf's
 * grammar that the kernel defines for as many CPUs as possible. The periods aim at one overflow
 * per millisecond of a CPU that is busy with that very thing, and are primes, so that loops don't
 * fall in step with them.
 */
#include "base/mem.h"
#include "pmu/event.h"

#define CYCLES "cycles", UNIT_CYCLES
#define LOADS "load events", UNIT_EVENTS
#define STORES "store events", UNIT_EVENTS
#define EVENTS "events", UNIT_EVENTS
#define NS "ns", UNIT_NS

const struct event_alias event_aliases[] = {
	{"cycles", "CPU cycles", "cpu-cycles", CYCLES, 2000003},
	{"insts", "instructions retired", "instructions", "instructions", UNIT_EVENTS, 2000003},
	{"ref-cycles", "CPU cycles at the reference rate", "ref-cycles", CYCLES, 2000003},
	{"dcache-miss", "L1 data-cache load misses", "L1-dcache-load-misses", LOADS, 100003},
	{"dcache-access", "L1 data-cache loads", "L1-dcache-loads", LOADS, 1000003},
	{"dcache-write-miss", "L1 data-cache store misses", "L1-dcache-store-misses", STORES,
	 100003},
	{"icache-miss", "L1 instruction-cache misses", "L1-icache-load-misses", LOADS, 100003},
	{"llc-miss", "last-level cache load misses", "LLC-load-misses", LOADS, 10007},
	{"llc-access", "last-level cache loads", "LLC-loads", LOADS, 100003},
	{"dtlb-miss", "data-TLB load misses", "dTLB-load-misses", LOADS, 10007},
	{"dtlb-write-miss", "data-TLB store misses", "dTLB-store-misses", STORES, 10007},
	{"itlb-miss", "instruction-TLB misses", "iTLB-load-misses", LOADS, 10007},
	{"branches", "branches retired", "branch-instructions", EVENTS, 400009},
	{"branch-miss", "branches mispredicted", "branch-misses", EVENTS, 10007},
	{"stalls-frontend", "cycles without new instructions", "stalled-cycles-frontend", CYCLES,
	 1000003},
	{"stalls-backend", "cycles waiting for data or units", "stalled-cycles-backend", CYCLES,
	 1000003},
	/* not 1 ms: that is in step with the scheduler's tick of 1, 4 or 10 ms */
	{"cpu-clock", "time, by a timer on each CPU", "cpu-clock", NS, 1013009},
	{"task-clock", "time that tasks ran", "task-clock", NS, 1013009},
	{"page-faults", "page faults", "page-faults", "faults", UNIT_EVENTS, 101},
	{"minor-faults", "page faults without I/O", "minor-faults", "faults", UNIT_EVENTS, 101},
	{"major-faults", "page faults that needed I/O", "major-faults", "faults", UNIT_EVENTS, 2},
	{"context-switches", "context switches", "context-switches", "switches", UNIT_EVENTS, 101},
	{"off-cpu", "time that threads had no CPU", "context-switches", NS, 1},
	{"migrations", "moves to another CPU", "cpu-migrations", "migrations", UNIT_EVENTS, 2},
	{"alignment-faults", "unaligned accesses fixed by the kernel", "alignment-faults", "faults",
	 UNIT_EVENTS, 101},
};
const size_t n_event_aliases = ARRAY_SIZE(event_aliases);
