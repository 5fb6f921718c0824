/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What units of work were bound by in an interval: of the time that they lasted, which part they
 * ran, were held by a quota, waited for a CPU that others had, or were blocked, by I/O, a device or
 * otherwise; and what more CPU could gain at most, if all that was waited for it were gone and
 * nothing else took its place.
 */
#ifndef PMUBPF_MODEL_VERDICT_H
#define PMUBPF_MODEL_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, key, words) */
#define BOUNDS(X)                                          \
	X(NOTHING, "none", "nothing: no unit ended")       \
	X(CPU, "cpu", "CPU")                               \
	X(QUOTA, "quota", "the quota of its cgroup")       \
	X(RUN_QUEUE, "run_queue", "CPUs that others have") \
	X(DEVICE, "device", "a GPU")                       \
	X(IO, "io", "I/O")                                 \
	X(BLOCKED, "blocked", "what it waits for (locks, messages, time)")

enum bound {
#define X(id, key, words) BOUND_##id,
	BOUNDS(X) N_BOUNDS
#undef X
};

extern const char *const bound_keys[N_BOUNDS];
extern const char *const bound_words[N_BOUNDS];

/* Of an interval, in ns. */
struct verdict_times {
	uint64_t span;
	uint64_t duration, cpu, wait, off; /* sums of the units' */
	uint64_t io;                       /* of off */
	uint64_t throttled; /* how long CPUs were withheld from the cgroup by its quota */
	uint64_t gpu;       /* how long its busiest engine of a GPU was busy for it */
};

struct verdict {
	enum bound bound;
	/* Parts of the units' time, in percent; held by the quota and queued are the wait. */
	double cpu, quota, queue, off, io; /* io is a part of off */
	double gpu;                        /* of the interval */
	double at_a_time;                  /* units, as a mean */
	/* At most, by how many percent more units would end; INFINITY: they never ran. */
	double gain_quota; /* without the quota */
	double gain_cpu;   /* without any wait for a CPU */
};

struct verdict verdict_of(const struct verdict_times *times);

#endif
