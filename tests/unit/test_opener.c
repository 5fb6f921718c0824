// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is opened in this process. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "opener/keeps.h"
#include "opener/opener.h"
#include "sys/clock.h"
#include "sys/usage.h"

/* Private, as programs map it. */
static int ask_for_mapped(const char *path, uint64_t inode)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t start = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), mnt_ns;
	const struct mapped_file file = {.inode = inode, .path = path};
	int r = opener__mapped(NULL, getpid(), start, start + 4096, &file, &mnt_ns);

	munmap((void *)(uintptr_t)start, 4096);
	return r;
}

static bool map_files_can_be_read(void)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc/self/map_files");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		_cleanup_close_ int fd = openat(dirfd(dir), d->d_name, O_PATH | O_CLOEXEC);

		if (d->d_name[0] != '.')
			return fd >= 0;
	}
	return false;
}

/* The same answer at any time; not so what has another inode, which is another file. */
Test(opener, a_device_is_no_file)
{
	struct stat st;

	if (!map_files_can_be_read())
		cr_skip_test("map_files wants CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE");
	cr_assert_eq(stat("/dev/zero", &st), 0);
	cr_expect_eq(ask_for_mapped("/dev/zero", st.st_ino), -OPENER_NO_FILE);
	cr_expect_neq(ask_for_mapped("/dev/zero", st.st_ino + 1), -OPENER_NO_FILE);
	cr_expect_lt(ask_for_mapped("/dev/zero", st.st_ino + 1), 0);
}

enum { BYTES = 8 * 1024 * 1024 };

static pid_t busy;

static void end_busy(void)
{
	if (busy > 0) {
		kill(busy, SIGKILL);
		waitpid(busy, NULL, 0);
	}
}

TestSuite(opener, .fini = end_busy, .timeout = 60);

/* Alone with one that has 60 times its part, on one CPU; in a process of its own, for the test is
 * to be in time. */
static int copy_beside_busy(int file)
{
	cpu_set_t one;
	uint64_t began;
	int copy;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0)
		return 77;
	busy = fork();
	if (busy == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			__asm__ volatile("");
	}
	setpriority(PRIO_PROCESS, 0, 19);
	began = now_ns();
	copy = opener__copy(NULL, file, 0, BYTES);
	if (now_ns() - began < 100000000 || !usage_delayed_ns(getpid()))
		return 77; /* nothing was in its way, or the kernel doesn't say */
	return copy < 0;
}

Test(opener, waiting_for_a_cpu_is_no_fault_of_a_file)
{
	_cleanup_close_ int file = memfd_create("file", MFD_CLOEXEC);
	int status;
	pid_t pid;

	cr_assert_eq(ftruncate(file, BYTES), 0);
	pid = fork();
	if (pid == 0) {
		int r = copy_beside_busy(file);

		end_busy();
		_exit(r);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		cr_skip_test("nothing was in its way");
	cr_expect_eq(WEXITSTATUS(status), 0);
}

static void count(void *n)
{
	++*(int *)n;
}

/* Whoever waits for its end sees it when the last copy is closed. */
Test(opener, keeps_until_all_are_to_be_closed)
{
	struct opener_keeps keeps = {.lent = -1};
	int ends[2], n = 0;
	char byte;

	cr_assert_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	cr_expect_eq(opener_keeps__add(&keeps, -1), -EBADF);
	for (int i = 0; i < OPENER_KEPT_MAX; i++)
		cr_assert_eq(opener_keeps__add(&keeps, ends[1]), 0);
	cr_expect_eq(opener_keeps__add(&keeps, ends[1]), -EMFILE);
	close(ends[1]);
	cr_expect_eq(read(ends[0], &byte, 1), -1);
	opener_keeps__close(&keeps, count, &n);
	cr_expect_eq(n, OPENER_KEPT_MAX);
	cr_expect_eq(read(ends[0], &byte, 1), 0);
	cr_expect_eq(keeps.n_kept, 0);
	close(ends[0]);
	/* who opens in its own process has nobody who could */
	cr_expect_eq(opener__keep(NULL, 0), -ENOTSUP);
	cr_expect_eq(opener__close_kept(NULL), 0);
}
