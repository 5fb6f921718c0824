/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What to count: the text of `-e` becomes a perf_event_attr and the words that explain it. Parsing
 * asks sysfs which PMUs exist but opens no event; whether this machine has it is probe.h's
 * business.
 */
#ifndef PMUBPF_PMU_EVENT_H
#define PMUBPF_PMU_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct event_db_entry;

/* What one count of an event is; it decides whether a weight can be turned into time. */
enum event_unit {
	UNIT_EVENTS,
	UNIT_CYCLES, /* convertible through a clock rate */
	UNIT_NS,     /* time already (cpu-clock, task-clock) */
};

/* How its count reaches the profile. */
enum collection_mode {
	EVENT_OVERFLOWS, /* it interrupts: sampled */
	EVENT_READ,      /* it can't interrupt: read at the overflows of a clock on the same CPU */
	EVENT_SYSTEM, /* it counts for a part of the machine, not for a program (its PMU has a cpumask): read now and
		       * then, charged to [not-program-related] */
};

struct event {
	char *name;    /* as the user wrote it, without rate terms: "dcache-miss:u"; ours */
	char *title;   /* "L1 data-cache misses" */
	char *maps_to; /* "L1-dcache-load-misses", "cpu/config=0x1a2/", "software cpu-clock" */
	char *counts;  /* what one count is, for people: "cycles", "load events", "ns" */
	char *pmu;     /* "cpu", "software", "breakpoint", … */
	char *cpus;    /* "0-7": the CPUs that have its PMU; NULL: all of them */
	enum collection_mode mode;
	bool added; /* not asked for: a clock at which others are read; its lines aren't printed */
	double scale;     /* count x scale = scale_unit ("Joules"), if the driver says so; else 0 */
	char *scale_unit; /* NULL: not told */
	/* Index in its list of the event in whose name it is printed: itself, or on CPUs with
	 * several core PMUs the first of those that were opened for the same text. */
	size_t lead;
	char *label; /* the name with its PMU, if the text stands for several: "cycles "
		"[cpu_core]" */
	enum event_unit unit;
	bool is_users;               /* defined in an event file */
	bool is_clock;               /* goes up with every cycle of its CPU: tells the clock rate */
	struct perf_event_attr attr; /* type, config*, bp_*, exclude_*, precise_ip, and the rate */
	uint64_t
		/* default period, prime; used when neither text nor option names a rate */
		period;
	bool rate_given; /* the text had period= or freq= */
	bool adaptive;   /* its period may be lengthened to stay within a budget */
	uint64_t detail; /* its period, or frequency, while it is recorded in detail; 0: as ever */
	/* the text wants it read at a clock's overflows, whether it interrupts or not */
	bool at_clock;
	bool precise_max; /* :P — the highest precise_ip that the kernel takes */
	bool has_addr;    /* its overflows carry a data address by nature (faults, breakpoints) */
	bool off_cpu;     /* its weights are time without a CPU, from a switch to the next run */
	uint64_t off_min_ns; /* shorter ones aren't wanted */
	bool is_breakpoint;  /* counts only inside tasks: opened per task */
	bool sliced;         /* of a breakpoint: in place as long as its hits stay in the budget */
	size_t group; /* counts together with the others of that number, or not at all; 0: none */
	bool taken_alone; /* with no other event beside it, says the database */
	/* What the database says of it (pmu/event_db.h), which must outlive it; NULL: nothing. */
	const struct event_db_entry *db;
};

struct event_list {
	struct event *events;
	size_t n, cap;
};

void event__done(struct event *event);

/* Whether it is one of the kernel's clocks, by whatever text. They count all code, whatever :u and
 * :k say: only their overflows, which a timer makes, heed it. */
static inline bool event__counts_all_code(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* User code only, as :u asks for; the name says so, and can be given to -e as it is. */
void event__exclude_kernel(struct event *event);

/* What to call it where the events of one text must be told apart; borrowed. */
static inline const char *event__label(const struct event *event)
{
	return event->label ? event->label : event->name;
}

enum { N_CONFIGS = 4 };
/* The config word of that index (0: config, 1: config1…); 0 for one that this build doesn't
 * know. */
uint64_t event__config(const struct event *event, unsigned i);

/*
 * Appends the events of one -e argument: perf's grammar and this tool's aliases, separated by
 * commas (commas inside pmu/a=1,b=2/ belong to the event). On error nothing is appended and err
 * says which event, why, and the nearest names. sysfs is the PMUs' folder, NULL for the machine's
 * own (/sys/bus/event_source/devices); tests pass a recorded tree.
 */
int event_list__parse(struct event_list *list, const char *text, const char *sysfs,
		      struct err *err);
/* The same with PMUs that were read already, for those who parse many texts. To parse as `record`
 * does, with the user's own names, see pmu/event_names.h. */
struct pmus;
int event_list__parse_with(struct event_list *list, const char *text, const struct pmus *pmus,
			   struct err *err);
void event_list__done(struct event_list *list);
/* Appends copies of all of them. */
void event_list__copy(struct event_list *to, const struct event_list *from);

/*
 * Of the CPU's own events the kernel bounds what overflows take, but not of its clocks: with as
 * many as kernel.perf_event_max_sample_rate allows each overflow's end is the next one's beginning,
 * and the program stands still.
 */
enum { CLOCK_MOST_HZ = 10000 };

/* How often, for events whose text names no rate. At most one of the three is given. */
enum rate_preset { RATE_DEFAULT, RATE_LO, RATE_ON, RATE_HI };
struct rate {
	uint64_t freq_hz; /* 0: not given */
	bool most;        /* …and is what the kernel allows: of clocks CLOCK_MOST_HZ */
	bool own;         /* …and is ours, for those that it can be of: nobody said -F */
	uint64_t period;  /* 0: not given */
	enum rate_preset preset;
};

/* "lo", "on", "hi": about 100, 10 and 1 ms. -1 if it is none of them. */
int rate_preset__parse(const char *text, enum rate_preset *ret);
/* The smallest prime that is not below, or the largest period that the kernel takes. */
uint64_t period__prime(uint64_t about);
/* The preset's period, a prime, for an event with that default period. */
uint64_t rate_preset__period(enum rate_preset preset, uint64_t period);

/* Whether the options go together. */
int rate__check(const struct rate *rate, struct err *err);
/* Gives every event a rate: its own if its text named one, else `rate`, else its default
 * period. */
int event_list__set_rates(struct event_list *list, const struct rate *rate, struct err *err);

/* The well-known names, in the order of `pmubpf list`. */
struct event_alias {
	const char *name;
	const char *title;
	const char *maps_to; /* an event text in perf's grammar, parsed like a user's */
	const char *counts;
	enum event_unit unit;
	uint64_t period;
};
extern const struct event_alias event_aliases[];
extern const size_t n_event_aliases;
const struct event_alias *event_alias__find(const char *name);

#endif
