// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A kernel that is slow to enter: each system call, page fault and timer interrupt takes some
 * microseconds more, as on machines whose hypervisor has a hand in them. tests/prove.sh loads it.
 */
#include <linux/types.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { MORE_NS = 5000 };

static long is_over(__u32 i, void *end_ns)
{
	(void)i;
	return bpf_ktime_get_ns() > *(__u64 *)end_ns;
}

/* slow.c attaches it to what is to be slow. */
SEC("raw_tp")
int slow(void *ctx)
{
	__u64 end_ns = bpf_ktime_get_ns() + MORE_NS;

	(void)ctx;
	bpf_loop(MORE_NS, is_over, &end_ns, 0);
	return 0;
}
