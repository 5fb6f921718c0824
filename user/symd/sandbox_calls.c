// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The list was found by running (every mode of tests/e2e/sandbox.sh under strace), on three
 * architectures: a call that one of them lacks is left out there. Where a call takes more than it
 * needs to, its arguments are looked at: no memory becomes code, no socket but the client's is
 * written to as one.
 */
#include "symd/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/mem.h"

static const char *const calls[] = {
	/* files that were handed over */
	"read",
	"pread64",
	"lseek",
	"close",
	"fstat",
	"recvmsg", /* from the client, and a file out of the socket that it came in */
	/* memory */
	"brk",
	"munmap",
	"mremap",
	"madvise",
	"sysinfo",
	/* into the file in memory that an answer goes to */
	"write",
	/* time, locks, randomness of hashes; the end */
	"clock_gettime",
	"futex",
	"getrandom",
	"restart_syscall",
	"rt_sigreturn",
	"exit",
	"exit_group",
#ifdef __SANITIZE_ADDRESS__ /* which asks about itself */
	"getpid",
	"gettid",
	"sigaltstack",
	"rt_sigprocmask",
	"rt_sigaction",
	"sched_yield",
	"getrusage",
	"readlink",
	"readlinkat",
	"getuid",
	"geteuid",
	"prlimit64",
	"sched_getaffinity",
#endif
};

/*
 * What libdw does with honest files, too: it asks for the path of the descriptor, and tries to open
 * the files of split DWARF and shared debug files. It goes on without; so it is refused, and does
 * not end the process.
 */
static const char *const refused[] = {"readlink", "readlinkat", "open", "openat"};

/* Calls of which one argument is looked at. */
static const struct {
	const char *name;
	unsigned argument;
	scmp_datum_t mask, value;
} narrow[] = {
	{"mmap", 2, PROT_EXEC, 0},
	{"mprotect", 2, PROT_EXEC, 0},
	{"newfstatat", 3, UINT32_MAX, AT_EMPTY_PATH}, /* fstat() of glibc 2.33 to 2.38 */
	{"fcntl", 1, UINT32_MAX, F_GETFD},            /* libelf */
};

static int add_rule(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned n,
		    const struct scmp_arg_cmp *arguments)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number < 0) /* not of this architecture */
		return 0;
	return seccomp_rule_add_exact_array(filter, action, number, n, arguments);
}

static int add_rules(scmp_filter_ctx filter, int sock)
{
	const struct scmp_arg_cmp client = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)sock);
	int r = add_rule(filter, SCMP_ACT_ALLOW, "sendmsg", 1, &client);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(calls); i++)
		r = add_rule(filter, SCMP_ACT_ALLOW, calls[i], 0, NULL);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(refused); i++)
		r = add_rule(filter, SCMP_ACT_ERRNO(EACCES), refused[i], 0, NULL);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(narrow); i++) {
		const struct scmp_arg_cmp one = SCMP_CMP(narrow[i].argument, SCMP_CMP_MASKED_EQ,
							 narrow[i].mask, narrow[i].value);

		r = add_rule(filter, SCMP_ACT_ALLOW, narrow[i].name, 1, &one);
	}
	return r;
}

int sandbox_filter_calls(int sock)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int r;

	if (!filter)
		return -ENOSYS;
	/* of another architecture (32-bit calls on x86) */
	r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = add_rules(filter, sock);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}
