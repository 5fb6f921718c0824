/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The PMUs that the kernel lists in sysfs: what each can count and how its terms are laid out in
 * perf_event_attr. Files are small, written by drivers, and trusted with nothing: one that can't be
 * read or understood is left out, the rest of its PMU stays.
 *
 *	cpu/type		"4"
 *	cpu/format/umask	"config:8-15"
 *	cpu/format/event	"config:0-7,32-35"	first range takes the lowest bits of a value
 *	cpu/events/cpu-cycles	"event=0x3c"
 */
#ifndef PMUBPF_SYS_PMUS_H
#define PMUBPF_SYS_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMUS_ROOT "/sys/bus/event_source/devices"
#define PMU_CONFIGS 4 /* config, config1, config2, config3 */
#define PMU_FIELD_RANGES 16

/* A term of a PMU: bits of one of the config words. */
struct pmu_field {
	char *name;
	unsigned config; /* index of the config word, < PMU_CONFIGS */
	unsigned n_ranges;
	struct {
		uint8_t lo, hi; /* lo <= hi < 64 */
	} ranges[PMU_FIELD_RANGES];
};

/* A named event of a PMU: "event=0x3c,umask=0x0". */
struct pmu_event {
	char *name;
	char *text;
	char *unit; /* what a count becomes when it is multiplied by scale ("Joules"), else NULL */
	double scale; /* 0: not told */
};

struct pmu {
	char *name;
	uint32_t type; /* perf_event_attr.type */
	struct pmu_field *fields;
	size_t n_fields, cap_fields;
	struct pmu_event *events;
	size_t n_events, cap_events;
	char *cpus;      /* "0-7" where it counts only on some CPUs (hybrid, ARM), else NULL */
	char *cpumask;   /* "0" for PMUs outside the cores (uncore, RAPL), else NULL */
	int max_precise; /* highest precise_ip by caps/max_precise, -1 if not told */
};

struct pmus {
	struct pmu *pmus; /* sorted by name */
	size_t n, cap;
	bool recorded; /* read from another place than this machine's sysfs */
};

/* Reads the tree at root (NULL: PMUS_ROOT). Fails only if the folder itself can't be read. */
int pmus__read(struct pmus *pmus, const char *root);
void pmus__done(struct pmus *pmus);

/* NULL if there is none. */
const struct pmu *pmus__find(const struct pmus *pmus, const char *name);
/* The first PMU that counts what the cores do ("cpu", "cpu_core", "armv8_pmuv3_0"), else NULL. */
const struct pmu *pmus__core(const struct pmus *pmus);

bool pmu__is_core(const struct pmu *pmu);
/* Whether it is one of those that perf means by a name without their number: "uncore_imc" or "imc"
 * for uncore_imc_0, uncore_imc_1… */
bool pmu__is_numbered(const struct pmu *pmu, const char *name);
const struct pmu_field *pmu__field(const struct pmu *pmu, const char *name);
/* Case does not matter, as in perf. */
const struct pmu_event *pmu__event(const struct pmu *pmu, const char *name);

/* How many bits the field has, at most 64. */
unsigned pmu_field__width(const struct pmu_field *field);
/* Puts value into the field's bits of *word, whatever was there; -ERANGE if it does not fit. */
int pmu_field__put(const struct pmu_field *field, uint64_t value, uint64_t *word);
/* "config:0-7,32-35"; for tests and for the reader of a tree. */
int pmu_field__parse(const char *text, struct pmu_field *ret);

#endif
