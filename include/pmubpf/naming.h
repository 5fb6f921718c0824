/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses for the kernel to name, and its answers: what bpf/names.bpf.c and collect/kernel_ask.c
 * say to each other. Who includes it brings __u32 and __u64. */
#ifndef PMUBPF_NAMING_H
#define PMUBPF_NAMING_H

enum { PMB_NAMING_MAX = 64, PMB_NAMING_TEXT = 320 };

struct pmb_naming {
	__u32 n;
	__u32 pad;
	__u64 addrs[PMB_NAMING_MAX];
	/* "symbol+0x1f/0x80 [module]", "0x…" where there is none; NUL-terminated; cut off if it is
	 * longer */
	char texts[PMB_NAMING_MAX][PMB_NAMING_TEXT];
};

#endif
