/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The time stamp counter's rate, at which MPERF ticks, too (x86). */
#ifndef PMUBPF_SYS_TSC_H
#define PMUBPF_SYS_TSC_H

#include <stdint.h>

/* Hz, as the kernel has calibrated it; 0: this machine has none, or its rate changes. */
uint64_t tsc_hz(void);

#endif
