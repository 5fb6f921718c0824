/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The vendors' event names, by libpfm4 (MEM_LOAD_RETIRED:L1_MISS, skx::…, perf::…). The library is
 * loaded when a name is first asked for; a machine without it has every other name all the same.
 */
#ifndef PMUBPF_PMU_LIBPFM_H
#define PMUBPF_PMU_LIBPFM_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/nearest.h"

/* What the library says of an event; all strings ours. Parts that it didn't get to are NULL. */
struct libpfm_event {
	char *name;                  /* the event's own: "MEM_LOAD_RETIRED" */
	char *pmu;                   /* the library's name of its PMU: "skx" */
	char *pmu_title;             /* "Intel Skylake X" */
	char *title;                 /* in the vendor's words */
	char *why;                   /* why it could not be encoded */
	bool generic;                /* the kernel's own event by another name (perf::CYCLES) */
	struct perf_event_attr attr; /* type, config*, exclude_*; nothing else */
};

/* False if the library can't be loaded. */
bool libpfm__available(void);

/*
 * 0; -ENOSYS: no library; -ENOENT: it knows no such event; -ENODEV: it does, but the event's PMU is
 * not in this machine; -EINVAL: the event is there, what follows its name is wrong (see why).
 */
int libpfm__encode(const char *text, struct libpfm_event *ret);
void libpfm_event__done(struct libpfm_event *event);

/* The PMUs that it finds in this machine, "skx, skx_unc_imc0", without the kernel's generic
 * ones; in words if these are all: a CPU that is newer than the library, a virtual one. */
void libpfm__present(struct buf *out);
/* The unit masks of the event of that name, "L1_HIT, L1_MISS", the first of many; nothing if `text`
 * has one already, or there are none. */
void libpfm__unit_masks(const char *text, struct buf *out);
/* Offers the names of those PMUs, and of the PMU that is named in `wanted` ("skx::…"). */
void libpfm__offer(struct nearest *nearest, const char *wanted);

#endif
