/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that say in which windows of time to count. */
#ifndef PMUBPF_CMD_WINDOW_ARGS_H
#define PMUBPF_CMD_WINDOW_ARGS_H

#include <argp.h>
#include <stdint.h>

#include "collect/gates.h"
#include "pmu/window_spec.h"
#include "session/session.h"

struct window_args {
	struct window_spec spec; /* WINDOW_NONE: no windows */
	struct window_opts opts;
	uint64_t after_ns;
	bool returns;            /* --unsafe-return-probe */
	bool scoped, by_process; /* --window-scope was given; and is process */
	struct gates gates;      /* after the check */
	struct err *err;
};

extern const struct argp window_argp; /* its input is a struct window_args */

/* Nothing is said of windows without them. */
int window_args__check_alone(const struct window_args *args);
/* What goes together, and what this machine can. */
int window_args__check(struct window_args *args, const struct event_names *names);
/* What is said of windows besides, for gates that are settled; of none, too. */
int window_args__refine(const struct window_args *args, struct gates *gates);
void window_args__done(struct window_args *args);

#endif
