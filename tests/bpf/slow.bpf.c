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

static int spend(void)
{
	__u64 end_ns = bpf_ktime_get_ns() + MORE_NS;

	bpf_loop(MORE_NS, is_over, &end_ns, 0);
	return 0;
}

SEC("raw_tp/sys_enter")
int slow_call(void *ctx)
{
	(void)ctx;
	return spend();
}

SEC("raw_tp/page_fault_user")
int slow_fault(void *ctx)
{
	(void)ctx;
	return spend();
}

SEC("raw_tp/local_timer_entry")
int slow_timer(void *ctx)
{
	(void)ctx;
	return spend();
}
