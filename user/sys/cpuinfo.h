/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* /proc/cpuinfo: what the CPU says it is. */
#ifndef PMUBPF_SYS_CPUINFO_H
#define PMUBPF_SYS_CPUINFO_H

/* The value of "key : value" in the text of /proc/cpuinfo, of its first CPU; NULL: none. Ours. */
char *cpuinfo_value(const char *cpuinfo, const char *key);
/* "Intel(R) Xeon(R) Platinum 8259CL, family 6 model 85 stepping 7, microcode 0x5003605, 2 CPUs
 * online at 2500.000 MHz, 2 threads a core, 1 NUMA node"; ours. */
char *cpuinfo_describe(void);

#endif
