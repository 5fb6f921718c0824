/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between counting.c and counting_*.c. */
#ifndef PMUBPF_SESSION_COUNTING_INTERNAL_H
#define PMUBPF_SESSION_COUNTING_INTERNAL_H

#include "base/hash.h"
#include "session/counting.h"
#include "session/signals.h"
#include "session/tasks.h"
#include "sys/held.h"
#include "sys/pmus.h"

/* Where an event is opened. */
struct count_target {
	pid_t tid;  /* -1: whatever runs on cpu */
	int cpu;    /* -1: wherever tid runs */
	int cgroup; /* index; -1: none */
	size_t row;
};

/* How long a task ran on a CPU. An event that is bound to both is enabled all the time that the
 * task runs, elsewhere too: what it missed by sharing its counter can't be told from that. */
struct presence {
	struct presence_key {
		pid_t tid;
		int cpu;
	} key;
	int fd;
	uint64_t before_ns, delta_ns;
	UT_hash_handle hh;
};

struct counting_fd {
	int fd;
	size_t event;
	struct count_target target;
	const struct presence *presence; /* NULL: it is enabled only where it could run */
	bool leads;                      /* those of its group at its target were opened into it */
	struct perf_count before;        /* what it said at the end of the previous interval */
};

struct counting_work;
struct counting_owners;
struct counting_side;

struct counting {
	const struct counting_opts *opts;
	struct counting_result *result;
	struct cpus online;
	struct pmus pmus;
	struct tasks tasks;
	struct signals signals;
	int *cgroup_fds;
	struct count_target *targets;
	size_t n_targets, cap_targets;
	struct counting_fd *fds;
	size_t n_fds, cap_fds;
	size_t leader_hint; /* where the next leader of a group is likely */
	struct presence *presences;
	uint64_t start_ns;
	uint64_t usage_before[2];       /* user, system: of children before this one */
	struct counting_work *work;     /* NULL: units of work aren't counted */
	struct held held;               /* of units of work, by interval */
	struct counting_owners *owners; /* NULL: CPUs' counts aren't told apart */
	struct counting_side *sides;    /* other targets */
	size_t n_sides;
};

/* Opens every event that can be, disabled; lays out the rows. */
int counting__open(struct counting *c, struct err *err);
void counting__close(struct counting *c);
/* But for those of a command that is the target: its exec enables them. */
int counting__enable(struct counting *c, struct err *err);
/* Of what was counted since it was called before, until so long after the start. */
void counting__read(struct counting *c, uint64_t to_ns);

/* Only the CPUs that have its PMU, or, of a PMU outside the cores, those that speak for the others:
 * it would count twice on more. False: on any. */
bool counting__event_cpus(const struct counting *c, const struct event *event, struct cpus *ret);

/* Empty, with a copy of the events. */
void counting_result__begin(struct counting_result *result, const struct event_list *events);

/* The same of the other targets. */
int counting_beside__open(struct counting *c, struct err *err);
int counting_beside__enable(struct counting *c, struct err *err);
void counting_beside__read(struct counting *c, uint64_t to_ns);
void counting_beside__close(struct counting *c);

/* The CPU time of targets that are tasks; of others 0. */
struct counting_clock {
	int *fds;
	size_t n, cap;
};
void counting_clock__open(struct counting_clock *clock, const struct counting *c);
uint64_t counting_clock__read(const struct counting_clock *clock);
void counting_clock__close(struct counting_clock *clock);

/* Opens and loads what counts units of work, after the events. */
int counting_work__open(struct counting *c, struct err *err);
/* From here on they are counted. */
int counting_work__start(struct counting *c, struct err *err);
/* Probes in programs come and go: when to look at them, and that. */
uint64_t counting_work__due(const struct counting *c);
void counting_work__look(struct counting *c);
/* Into the result: since the last time. The last time no probe is in place any more. */
void counting_work__read(struct counting *c, bool last);
void counting_work__close(struct counting *c);

/* The same for whose the CPUs' counts are. The last reading is of counters that have stopped: its
 * rows are all that was counted. */
int counting_owners__open(struct counting *c, struct err *err);
int counting_owners__start(struct counting *c, struct err *err);
void counting_owners__read(struct counting *c, bool last);
/* Now and then, in between. */
void counting_owners__tell(struct counting *c, uint64_t now);
void counting_owners__close(struct counting *c);

#endif
