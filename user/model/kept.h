/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is kept of a recording that waits for an alarm: the seconds before it, and what follows. */
#ifndef PMUBPF_MODEL_KEPT_H
#define PMUBPF_MODEL_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times in seconds since the beginning of the recording. */
struct kept {
	bool asked;  /* else all of it is kept */
	bool raised; /* else nothing is */
	/* The first alarm. */
	const char *relation; /* borrowed */
	double at_s, since_s, percent;
	double from_s, to_s; /* what is kept */
	size_t given_up;     /* parts, of about a second, before that */
	size_t no_room;      /* of these, those that the lookback would have had */
};

#endif
