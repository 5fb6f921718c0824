/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Intel's public tables of events (github.com/intel/perfmon), where the user has them:
 *
 *	mapfile.csv	GenuineIntel-6-55-[01234],V1.37,/SKX/events/skylakex_core.json,core,,,
 *	SKX/events/…	{"Header": {…}, "Events": [{"EventName": "MEM_LOAD_RETIRED.L1_MISS", …}]}
 *			or, as it was until 2021, the array alone
 *
 * Only the tables of the cores are read. They are trusted with nothing but words: an event that
 * can't be understood is left out.
 */
#ifndef PMUBPF_PMU_EVENT_DB_H
#define PMUBPF_PMU_EVENT_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct event;
struct nearest;

enum db_precise {
	DB_IMPRECISE,
	DB_PRECISE,      /* has a precise form */
	DB_PRECISE_ONLY, /* counts only in its precise form */
};

/* Strings are the database's. */
struct event_db_entry {
	const struct event_db *db; /* that it is of */
	const char *name;          /* "MEM_LOAD_RETIRED.L1_MISS" */
	const char *title;         /* one line */
	const char *about; /* as the manual has it, may be long; NULL if no more than the title */
	const char *counters; /* the counters that can count it: "0,1,2,3", "Fixed counter 1" */
	const char *errata;   /* "SKL091, SKL044"; NULL: none */
	const char *pmu;      /* "cpu", "cpu_core", "cpu_atom" */
	char *terms;          /* "event=0xd1,umask=0x8"; ours */
	uint64_t config, config1;
	uint64_t period; /* SampleAfterValue, not yet a prime; 0 if not told */
	enum db_precise precise;
	bool has_addr; /* its precise form carries a data address */
	bool alone;    /* must be counted alone */
	bool cycles;   /* one count is a cycle */
	bool clock;    /* and every cycle counts, of the core's or of the reference clock */
	bool deprecated;
};

struct event_db {
	char *dir;
	char *cpu;     /* "GenuineIntel-6-55-4" */
	char *about;   /* "skylakex_core.json V1.37" */
	char *metrics; /* path of what is told of metrics (pmu/topdown_table.h); NULL: nothing is */
	struct event_db_entry *entries;
	size_t n, cap;
	void *documents[4]; /* the parsed files, to which the entries' strings belong */
	size_t n_documents;
};

/*
 * Reads what dir has for a CPU ("vendor-family-model-stepping" as mapfile.csv writes it; NULL:
 * $PMUBPF_CPUID, or this machine's). Fails with -ENOENT if dir or its mapfile.csv is not there or
 * has no line for this CPU, -ENOSYS without libjansson, else if a file can't be understood.
 */
int event_db__read(struct event_db **ret, const char *dir, const char *cpu, struct err *err);
void event_db__free(struct event_db *db);

/* By name (case does not matter), on one PMU or on any (NULL). NULL if there is none; db may be. */
const struct event_db_entry *event_db__find(const struct event_db *db, const char *name,
					    const char *pmu);
/* By what would be programmed. */
const struct event_db_entry *event_db__match(const struct event_db *db, const char *pmu,
					     uint64_t config, uint64_t config1);

/*
 * The database that event texts are looked up in. dir NULL: $PMUBPF_EVENT_DB if set, else
 * /usr/local/share/pmubpf/perfmon or /usr/share/pmubpf/perfmon, which may be missing, unfit or not
 * for this CPU: then *ret is NULL, and trouble->text says what is wrong with the one that is there.
 * One that is named by dir must be usable.
 */
int event_db__open(struct event_db **ret, const char *dir, struct err *trouble, struct err *err);
/* All its names; db may be NULL. */
void event_db__offer(const struct event_db *db, struct nearest *nearest);

/* "GenuineIntel-6-55-4" from the text of /proc/cpuinfo; NULL if it doesn't say (not x86). */
char *event_db_cpu(const char *cpuinfo);
/* A name of mapfile.csv's first column, against a CPU. */
bool event_db_cpu_matches(const char *pattern, const char *cpu);

/* Turns an entry into an event, as if its terms had been written. */
void event__from_db(struct event *event, const struct event_db_entry *entry, uint32_t pmu_type);
/* Adds what the entry knows to an event that means the same. */
void event__enrich(struct event *event, const struct event_db_entry *entry);

#endif
