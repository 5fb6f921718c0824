// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A filter of system calls, and no network namespace: making one needs more than who records has.
 * io_uring makes sockets too, unseen by filters.
 */
#include "sys/no_network.h"

#include <errno.h>
#include <seccomp.h>
#include <sys/socket.h>

#include "base/mem.h"

static int refuse(scmp_filter_ctx filter)
{
	/* what isn't below, between, or above the two */
	const struct scmp_arg_cmp kinds[] = {
		SCMP_A0_32(SCMP_CMP_LT, AF_UNIX),
		SCMP_A0_32(SCMP_CMP_GT, AF_NETLINK),
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(kinds); i++)
		r = seccomp_rule_add_exact_array(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket),
						 1, &kinds[i]);
	for (unsigned kind = AF_UNIX + 1; r == 0 && kind < AF_NETLINK; kind++)
		r = seccomp_rule_add_exact(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
					   SCMP_A0_32(SCMP_CMP_EQ, kind));
	if (r == 0)
		r = seccomp_rule_add_exact(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(io_uring_setup),
					   0);
	return r;
}

int no_network(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int r = filter ? refuse(filter) : -ENOMEM;

	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}
