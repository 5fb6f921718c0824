/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a recording, one after the other: as lines, or on the screen. */
#ifndef PMUBPF_CMD_TOP_RUN_H
#define PMUBPF_CMD_TOP_RUN_H

#include "cmd/live.h"
#include "cmd/top_args.h"
#include "cmd/top_view.h"

/* Until its target, its duration or a signal ends it, or so many parts were asked for: what remains
 * is the last one, so that all of them are all that happened. */
int top__in_lines(struct live *live, const struct top_args *args, const struct top_view *view,
		  struct err *err);
/* The same, or until a key ends it. The terminal is open, and closed behind it. words are those
 * behind `pmubpf top', for what is saved. */
int top__on_screen(struct live *live, const struct top_args *args, const struct top_view *view,
		   char *const *words, struct err *err);

#endif
