/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's own accounts say of how programs were held up while something ran: pressure
 * (PSI: part of the time in which some task, or all of them, waited for CPUs, memory, I/O), of the
 * machine and of cgroups; periods of CPU quotas in which a cgroup was held back (cpu.stat), v1 and
 * v2. root: "" or a folder with the files of some machine.
 */
#ifndef PMUBPF_SYS_PRESSURE_H
#define PMUBPF_SYS_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum pressure_kind { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, N_PRESSURES };
/* As the files are called. */
extern const char *const pressure_keys[N_PRESSURES];

struct pressure {
	bool known;
	uint64_t some_us[N_PRESSURES], full_us[N_PRESSURES];
};

/* A folder that has a quota, or pressure that somebody asked for. */
struct pressure_group {
	char *path;      /* below the mount point */
	size_t root_len; /* of folder: the machine's root */
	char *folder;    /* with the mount point */
	double cpus;     /* its quota; 0: none */
	uint64_t periods, throttled, throttled_ns;
	bool asked; /* for its pressure */
	struct pressure pressure;
};

enum { PRESSURE_GROUPS_MAX = 1024 };

/* Until pressure__since() it has the accounts as they were, then what was added to them. */
struct pressures {
	const char *root;
	uint64_t begin_ns, span_ns; /* CLOCK_MONOTONIC */
	struct pressure machine;
	struct pressure_group *groups;
	size_t n, cap;
};

/* What isn't there is no error: it holds nobody up. Takes the machine's. */
void pressures__begin(struct pressures *p, const char *root);
/* The cgroup of a process (0: ours), its pressure, and the quotas of those above it. */
void pressures__add_process(struct pressures *p, pid_t pid);
/* The same of a cgroup by its path in its hierarchy. */
void pressures__add_cgroup(struct pressures *p, const char *cgroup);
/* All that have a quota, as far as PRESSURE_GROUPS_MAX folders go. */
void pressures__add_all(struct pressures *p);
void pressures__since(struct pressures *p);
/* Percent of the time. */
double pressures__percent(const struct pressures *p, uint64_t us);
void pressures__done(struct pressures *p);

#endif
