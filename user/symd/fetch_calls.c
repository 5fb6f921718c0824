// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What asks servers needs files, sockets and threads, by libraries that differ from host to host;
 * so this is a list of what it must not do, not of what it may: other programs, other processes,
 * and the kernel's wide doors.
 */
#include "symd/fetch.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>

#include "base/mem.h"

static const char *const forbidden[] = {
	"execve",
	"execveat",
	"fork",
	"vfork",
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"pidfd_getfd",
	"pidfd_send_signal",
	"kill",
	"tkill",
	"bpf",
	"perf_event_open",
	"io_uring_setup",
	"userfaultfd",
	"keyctl",
	"add_key",
	"request_key",
	"mount",
	"umount2",
	"move_mount",
	"fsopen",
	"open_tree",
	"pivot_root",
	"chroot",
	"unshare",
	"setns",
	"open_by_handle_at",
	"init_module",
	"finit_module",
	"kexec_load",
	"kexec_file_load",
	"swapon",
	"acct",
	"quotactl",
	"personality",
};

/* A library's threads begin with clone, and so does another process, which is forbidden. What
 * clone3 is to do can't be seen by a filter: it isn't there, and clone is taken instead. */
static int allow_threads_only(scmp_filter_ctx filter)
{
	int r = seccomp_rule_add_exact(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
				       SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));

	if (r == 0)
		r = seccomp_rule_add_exact(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return r;
}

int fetch_forbid_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int r = filter ? 0 : -ENOSYS;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(forbidden); i++) {
		int number = seccomp_syscall_resolve_name(forbidden[i]);

		if (number >= 0)
			r = seccomp_rule_add_exact(filter, SCMP_ACT_KILL_PROCESS, number, 0);
	}
	if (r == 0)
		r = allow_threads_only(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}
