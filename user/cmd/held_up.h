/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What held a target up while it was recorded, by the kernel's accounts, as comments of its profile
 * (beside those of cmd/remarks.h):
 *
 *	pressure: cpu 12.31 0.00, memory 0.00 0.00, io 1.20 0.80, of the machine
 *		percent of the time in which some task, and all of them, waited
 *	pressure: cpu …, of /sys/fs/cgroup/web.slice
 *	quota: 84 of 100 periods, 6.312 s, 0.50 CPUs, of /sys/fs/cgroup/web.slice
 *		was held back in 84, for 6.312 s of all its CPUs together
 */
#ifndef PMUBPF_CMD_HELD_UP_H
#define PMUBPF_CMD_HELD_UP_H

#include "proc/cgroups.h"
#include "prof/prof.h"
#include "session/target.h"
#include "sys/pressure.h"

struct held_up {
	struct pressures pressures;
	bool named; /* its groups are those of processes and cgroups that were given */
	bool whole; /* the target is the whole machine */
};

void held_up__begin(struct held_up *held, const struct target *whom);
void held_up__end(struct held_up *held);
/* cgroups: those of samples; NULL: not known. */
void held_up__remarks(const struct held_up *held, const struct cgroups *cgroups, struct prof *prof);
void held_up__done(struct held_up *held);

#endif
