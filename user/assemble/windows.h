/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples in windows, until it is known how long their window was. */
#ifndef PMUBPF_ASSEMBLE_WINDOWS_H
#define PMUBPF_ASSEMBLE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

/* Of which windows samples are kept. */
struct window_opts {
	uint64_t longer_ns; /* of those that are as long; 0: any */
	size_t slowest;     /* of so many, the longest; 0: all */
};

struct sampled_window;

struct windows {
	struct sampled_window *by_key;
	struct sampled_window **slowest; /* so far */
	size_t n_slowest;
	size_t bytes, limit; /* of windows and the samples that wait; limit 0: any */
	uint32_t numbers;    /* given to windows so far */
	uint64_t latest_ns;  /* time of all that was seen */
};

#endif
