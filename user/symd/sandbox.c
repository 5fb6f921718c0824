// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is the order. Memory, descriptors and the root first, while it may still do that;
 * then the capabilities go, then all ways to get some; and what forbids asking for more comes last.
 */
#include "symd/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/drop.h"
#include "sys/landlock.h"

/* Standard error too: an exploited helper must not write to the user's terminal. */
static int close_others(int sock)
{
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
#ifdef __SANITIZE_ADDRESS__ /* which reports there */
		if (fd == STDERR_FILENO)
			continue;
#endif
		if (null < 0 || dup2(null, fd) < 0)
			return -errno;
	}
	if (sock > STDERR_FILENO + 1 && close_range(STDERR_FILENO + 1, (unsigned)sock - 1, 0) < 0)
		return -errno;
	if (close_range((unsigned)sock + 1, ~0U, 0) < 0)
		return -errno;
	null = -1; /* it was among them */
	return 0;
}

static void write_file(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		return;
}

static int limit(__rlimit_resource_t what, uint64_t value)
{
	struct rlimit now;

	if (getrlimit(what, &now) < 0)
		return -errno;
	if (now.rlim_max > value)
		now.rlim_max = value;
	now.rlim_cur = now.rlim_max;
	return setrlimit(what, &now) < 0 ? -errno : 0;
}

/* Line tables, symbols and names: a file may make more of a few bytes than there is memory. */
static int limit_memory(void)
{
#ifdef __SANITIZE_ADDRESS__ /* whose shadow counts */
	return 0;
#else
	struct sysinfo machine;
	uint64_t half = SANDBOX_MEMORY_MAX;

	if (sysinfo(&machine) == 0)
		half = (uint64_t)machine.totalram * machine.mem_unit / 2;
	return limit(RLIMIT_AS, half < SANDBOX_MEMORY_MAX ? half : SANDBOX_MEMORY_MAX);
#endif
}

static int limit_all(void)
{
	int r = limit_memory();

	/* whoever else is to die for memory, the helper first */
	write_file("/proc/self/oom_score_adj", "1000");
	if (r == 0)
		r = limit(RLIMIT_CPU, SANDBOX_CPU_S);
	if (r == 0)
		r = limit(RLIMIT_NOFILE, SANDBOX_FILES);
	if (r == 0)
		r = limit(RLIMIT_FSIZE, (uint64_t)SANDBOX_FILE_MIB << 20);
	if (r == 0)
		r = limit(RLIMIT_NPROC, 0);
	return r < 0 ? r : limit(RLIMIT_CORE, 0);
}

/*
 * stat() by a name is what neither Landlock nor the filter can refuse (libc's fstat() may be the
 * same call). So names mean nothing: the root is a folder that every kernel has, and that is empty
 * for ever. It takes a capability, which a user namespace of its own brings; where a host allows
 * neither, names of files can be asked for, not their bytes.
 */
static void empty_root(void)
{
	if (unshare(CLONE_NEWUSER) < 0)
		errno = 0; /* root may still be able to */
	if (chdir("/proc/tty/ldisc") < 0 || chroot(".") < 0)
		errno = 0;
}

static int compare_bytes(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* What libraries open when they are first used. (glibc's qsort() asks how much memory there is.) */
static void warm_up(void)
{
	enum { BEYOND_THE_STACK = 4096 };
	_cleanup_free_ unsigned char *bytes = xcalloc(1, BEYOND_THE_STACK);

	qsort(bytes, BEYOND_THE_STACK, 1, compare_bytes);
}

int sandbox_enter(int sock)
{
	int r = close_others(sock);

	if (r == 0)
		r = limit_all();
	if (r < 0)
		return r;
	warm_up();
	empty_root();
	r = drop_capabilities(0);
	if (r == 0)
		r = drop_new_privileges();
	if (r < 0)
		return r;
	/* both were changed by becoming less; a client that has died before this has closed the
	 * socket */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	r = landlock_deny_all();
	return r < 0 && r != -ENOSYS ? r : sandbox_filter_calls(sock);
}
