/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What held targets up (cmd/held_up.h) in several windows, as what one would say that is all of
 * them: periods and time of quotas are added up by cgroup, pressure is the mean by the windows'
 * length. Pure.
 */
#ifndef PMUBPF_PROF_HELD_SUM_H
#define PMUBPF_PROF_HELD_SUM_H

#include <stdbool.h>

#include "prof/prof.h"

enum { HELD_SUM_MOST = 64 /* cgroups; those that come later are left out */, HELD_NUMBERS = 6 };

struct held_sum {
	struct held_quota {
		char *whose;
		double held, periods, seconds, cpus; /* the quota is the first's */
	} * quotas;
	size_t n_quotas, cap_quotas;
	struct held_pressure {
		char *whose;
		double of[HELD_NUMBERS], seconds; /* percent × seconds of windows, and these */
	} * pressures;
	size_t n_pressures, cap_pressures;
};

/* A comment of a window that is so long; others are passed over. */
void held_sum__add(struct held_sum *s, const char *comment, double seconds);
/* As comments of `to`. */
void held_sum__put(const struct held_sum *s, struct prof *to);
void held_sum__done(struct held_sum *s);

/* A number with a fraction, and what stands behind it. */
bool remark__take_f64(const char **p, const char *behind, double *ret);
/* "84 of 100 periods, 6.312 s, 0.50 CPUs, of /sys/fs/cgroup/web.slice", what is behind "quota: ".
 * *ret_whose is the path. False: it isn't that, or says what can't be. */
bool remark__quota(const char *text, struct held_quota *ret, const char **ret_whose);

#endif
