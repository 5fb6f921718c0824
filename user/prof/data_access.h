/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether a sample's access loads or stores: what its instruction does, if that is known (lock add
 * does both, whichever half the event counts), or else what the PMU says of it.
 */
#ifndef PMUBPF_PROF_DATA_ACCESS_H
#define PMUBPF_PROF_DATA_ACCESS_H

#include <stdbool.h>

#include "prof/prof.h"

struct data_access {
	bool loads, stores; /* neither: nobody says */
};

struct data_access prof__data_access(const struct prof *p, uint32_t labels);

#endif
