// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fair_room.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "own_maps.h"
#include "proc/files.h"
#include "sys/procfs.h"

enum { MANY = 40 };

static struct files *files;
static char dir[] = "/tmp/pmb-files.XXXXXX";

static void begin(void)
{
	files = files__new(NULL);
	cr_assert_not_null(mkdtemp(dir));
}

static void end(void)
{
	_cleanup_free_ char *path = xasprintf("%s/x", dir);

	unlink(path);
	for (unsigned i = 0; i < MANY; i++) {
		_cleanup_free_ char *nth = xasprintf("%s-%u", path, i);

		unlink(nth);
	}
	rmdir(dir);
	files__free(files);
}

TestSuite(files, .init = begin, .fini = end, .timeout = 10);

static char *in_dir(void)
{
	return xasprintf("%s/x", dir);
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0, "%s", path);
	return st.st_ino;
}

/* The kernel says the path behind /proc/self/exe in mappings, never that link. */
static const char *own_path(void)
{
	static char path[4096];

	cr_assert_not_null(realpath("/proc/self/exe", path));
	return path;
}

static void pin_file(struct files *all, uint32_t number, pid_t tgid, uint64_t start, uint64_t end)
{
	files__pin(all, number, &(struct fair_who){(uint64_t)tgid, 1}, start, end);
}

/* Each of another program: they don't share. */
static uint32_t elf(unsigned major, unsigned minor, uint64_t inode, uint64_t generation,
		    const char *path)
{
	const struct mapped_file which = {inode, generation, makedev(major, minor), path};

	return files__elf(files, &which, &(struct fair_who){inode, inode});
}

/* Pins a path through ourselves, at a place where nothing is mapped; the descriptor, -1 for
 * none. */
static int pin(const char *path, uint64_t inode)
{
	uint32_t number = elf(0, 0, inode, 0, path);

	pin_file(files, number, getpid(), 0x1000, 0x2000);
	return files__get(files, number)->fd;
}

Test(files, a_file_is_its_device_and_inode)
{
	uint32_t a = elf(8, 1, 42, 0, "/a");

	cr_expect_eq(a, 1, "numbers start at 1");
	cr_expect_eq(elf(8, 1, 42, 0, "/another/name"), a);
	cr_expect_neq(elf(8, 2, 42, 0, "/a"), a);
	cr_expect_neq(elf(9, 1, 42, 0, "/a"), a);
	cr_expect_neq(elf(8, 1, 43, 0, "/a"), a);
	cr_expect_str_eq(files__get(files, a)->path, "/a");
	cr_expect_eq(files__get(files, a)->fd, -1, "nothing is opened before it is pinned");
	cr_expect_eq(files__count(files), 5);
}

Test(files, numbers_that_are_none)
{
	cr_expect_null(files__get(files, 0));
	cr_expect_null(files__get(files, 1));
	cr_expect_null(files__get(files, UINT32_MAX));
	pin_file(files, 0, getpid(), 0, 1);
	pin_file(files, 99, getpid(), 0, 1);
	cr_expect_null(files__free(NULL));
}

static void pin_own_code(void *ctx, const struct map_line *line)
{
	uint64_t here = (uintptr_t)pin_own_code;

	if (here < line->start || here >= line->end)
		return;
	*(uint32_t *)ctx = elf(line->dev_major, line->dev_minor, line->inode, 0, line->path);
	pin_file(files, *(uint32_t *)ctx, getpid(), line->start, line->end);
}

Test(files, our_own_executable)
{
	uint32_t number = 0;
	struct stat st;
	int fd;

	each_own_map(pin_own_code, &number);
	cr_assert_neq(number, 0);
	fd = files__get(files, number)->fd;
	cr_assert_geq(fd, 0);
	fstat(fd, &st);
	cr_expect_eq(st.st_ino, inode_of("/proc/self/exe"));
	cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	cr_expect_eq(files__get(files, number)->root_fd, -1, "our own mount namespace");
	pin_file(files, number, getpid(), 0x1000, 0x2000);
	cr_expect_eq(files__get(files, number)->fd, fd, "once is enough");
}

Test(files, by_its_name_when_it_is_the_right_inode)
{
	cr_expect_geq(pin(own_path(), inode_of(own_path())), 0);
}

Test(files, another_inode_under_its_name_is_refused)
{
	cr_expect_eq(pin(own_path(), inode_of(own_path()) + 1), -1);
}

Test(files, a_fifo_does_not_stop_us)
{
	_cleanup_free_ char *path = in_dir();

	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(pin(path, inode_of(path)), -1);
}

Test(files, neither_folders_nor_devices)
{
	cr_expect_eq(pin("/", inode_of("/")), -1);
	cr_expect_eq(pin("/dev/null", inode_of("/dev/null")), -1);
}

Test(files, a_process_that_has_gone)
{
	uint32_t number = elf(0, 0, 42, 0, "/nonexistent");

	pin_file(files, number, INT32_MAX, 0x1000, 0x2000);
	cr_expect_eq(files__get(files, number)->fd, -1);
	cr_expect(files__get(files, number)->tried);
}

/* The mapping outlives the name: map_files still leads to it. */
Test(files, a_deleted_file)
{
	_cleanup_free_ char *path = in_dir(), *exact = NULL;
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700), again = -1;
	struct stat st;
	uint32_t number;
	uint64_t start;
	void *p;

	cr_assert_eq(ftruncate(fd, 4096), 0);
	fstat(fd, &st);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	cr_assert_neq(p, MAP_FAILED);
	unlink(path);
	start = (uintptr_t)p;
	exact = xasprintf("/proc/self/map_files/%lx-%lx", start, start + 4096);
	again = open(exact, O_RDONLY | O_CLOEXEC);
	if (again < 0)
		cr_skip_test("map_files wants CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE");
	number = elf(0, 0, st.st_ino, 0, path);
	pin_file(files, number, getpid(), start, start + 4096);
	cr_expect_geq(files__get(files, number)->fd, 0);
	munmap(p, 4096);
}

/* What is mapped there by now is another file than the kernel's record said. */
Test(files, a_mapping_that_has_become_another)
{
	_cleanup_free_ char *path = in_dir();
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	struct stat st;
	uint32_t number;
	uint64_t start;

	cr_assert_eq(ftruncate(fd, 4096), 0);
	fstat(fd, &st);
	start = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	unlink(path);
	number = elf(0, 0, st.st_ino + 1, 0, path);
	pin_file(files, number, getpid(), start, start + 4096);
	cr_expect_eq(files__get(files, number)->fd, -1);
	munmap((void *)(uintptr_t)start, 4096);
}

Test(files, the_vdso_is_an_elf_file)
{
	uint32_t number = files__vdso(files);
	char magic[4] = "";

	cr_expect_eq(files__vdso(files), number);
	if (files__get(files, number)->fd < 0)
		cr_skip_test("no vDSO");
	cr_assert_eq(pread(files__get(files, number)->fd, magic, 4, 0), 4);
	cr_expect_arr_eq(magic, "\177ELF", 4);
}

Test(files, anonymous_code_is_of_one_process)
{
	uint32_t a = files__jit(files, 10, 1, 0);

	cr_expect_eq(files__jit(files, 10, 1, 0), a);
	cr_expect_neq(files__jit(files, 10, 2, 0), a, "the same number, another process");
}

/* The path of our perf map, which doesn't exist yet; caller frees. */
static char *perf_map(void)
{
	char *path = xasprintf("/tmp/perf-%d.map", getpid());

	unlink(path);
	return path;
}

Test(files, a_perf_map_of_our_own)
{
	_cleanup_free_ char *path = perf_map();
	uint32_t number = files__jit(files, getpid(), 1, 0);
	_cleanup_close_ int fd = -1;

	pin_file(files, number, getpid(), 0, 0);
	cr_expect_eq(files__get(files, number)->fd, -1, "not written yet");
	cr_expect_eq(files__reopen(files, number), -ENOENT);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	pin_file(files, number, getpid(), 0, 0);
	cr_expect_geq(files__get(files, number)->fd, 0, "tried again, and found");
	unlink(path);
}

Test(files, a_perf_map_that_is_a_fifo)
{
	_cleanup_free_ char *path = perf_map();
	uint32_t number = files__jit(files, getpid(), 1, 0);

	cr_assert_eq(mkfifo(path, 0600), 0);
	pin_file(files, number, getpid(), 0, 0);
	cr_expect_eq(files__get(files, number)->fd, -1);
	cr_expect_eq(files__reopen(files, number), -EPERM);
	unlink(path);
}

/* Also to a file of our own: whoever made the link chose what is read. */
Test(files, a_perf_map_that_is_a_link)
{
	_cleanup_free_ char *path = perf_map();
	uint32_t number = files__jit(files, getpid(), 1, 0);

	cr_assert_eq(symlink("/proc/self/exe", path), 0);
	pin_file(files, number, getpid(), 0, 0);
	cr_expect_eq(files__get(files, number)->fd, -1);
	cr_expect_eq(files__reopen(files, number), -EPERM);
	unlink(path);
}

/* Somebody's file may have got a second name where all may write. */
Test(files, a_perf_map_with_a_second_name)
{
	_cleanup_free_ char *path = perf_map(), *other = in_dir();
	_cleanup_close_ int fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	uint32_t number = files__jit(files, getpid(), 1, 0);

	cr_assert_eq(link(other, path), 0);
	pin_file(files, number, getpid(), 0, 0);
	cr_expect_eq(files__get(files, number)->fd, -1);
	cr_expect_eq(files__reopen(files, number), -EPERM);
	unlink(path);
}

/* The JVM writes its map when it ends. */
Test(files, a_perf_map_of_a_process_that_has_ended)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1, late = -1;
	pid_t pid = fork();
	uint32_t number;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	path = xasprintf("/tmp/perf-%d.map", pid);
	unlink(path);
	number = files__jit(files, pid, 1, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_expect_eq(files__reopen(files, number), -ENOENT);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	late = files__reopen(files, number);
	unlink(path);
	cr_expect_geq(late, 0);
}

/* Frames know only the map; the dump must stay with it. */
Test(files, a_jitdump_is_kept_as_long_as_its_process)
{
	uint32_t dump = elf(1, 2, 3, 0, "/tmp/jit-7.dump");
	uint32_t number = files__jit(files, getpid(), 1, dump);

	files__keep(files, number);
	files__sweep(files);
	cr_expect_not_null(files__get(files, dump));
	files__sweep(files);
	cr_expect_null(files__get(files, dump));
}

Test(files, a_perf_map_of_somebody_else)
{
	_cleanup_free_ char *path = perf_map();
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	uint32_t number = files__jit(files, getpid(), 1, 0);
	bool other = fchown(fd, 12345, 12345) == 0;

	pin_file(files, number, getpid(), 0, 0);
	unlink(path);
	if (!other)
		cr_skip_test("giving a file away wants root");
	cr_expect_eq(files__get(files, number)->fd, -1);
}

static int open_files(void)
{
	_cleanup_closedir_ DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	return n;
}

/* A process in a mount namespace of its own, where our folder is empty; its id, or -1. */
static pid_t elsewhere(void)
{
	int ready[2];
	char ok = 0;
	pid_t pid;

	cr_assert_eq(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		ok = unshare(CLONE_NEWNS) == 0 &&
		     mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		     mount("none", dir, "tmpfs", 0, NULL) == 0;
		if (write(ready[1], &ok, 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &ok, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (ok)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}

Test(files, what_cannot_be_opened_costs_no_descriptors)
{
	uint32_t number = elf(0, 0, 42, 0, "/nonexistent");
	pid_t pid = elsewhere();
	int before;

	if (pid < 0)
		cr_skip_test("a mount namespace wants CAP_SYS_ADMIN");
	before = open_files();
	for (int i = 0; i < 10; i++)
		pin_file(files, number, pid, 0x1000, 0x2000);
	cr_expect_eq(open_files(), before);
	cr_expect_eq(files__get(files, number)->root_fd, -1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What a program of another mount namespace calls a file is nothing that we look up in ours. */
Test(files, a_name_of_another_mount_namespace)
{
	_cleanup_free_ char *path = in_dir();
	uint32_t number;
	pid_t pid;

	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	number = elf(0, 0, inode_of(path), 0, path);
	pid = elsewhere();
	if (pid < 0)
		cr_skip_test("a mount namespace wants CAP_SYS_ADMIN");
	pin_file(files, number, pid, 0x1000, 0x2000);
	cr_expect_eq(files__get(files, number)->fd, -1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- numbers of inodes are used again */

Test(files, another_generation_is_another_file)
{
	uint32_t known = elf(1, 2, 42, 0, "/a");
	uint32_t first = elf(1, 2, 42, 7, "/a"), second;

	cr_expect_eq(first, known, "nothing says that it isn't");
	cr_expect_eq(elf(1, 2, 42, 7, "/a"), first);
	second = elf(1, 2, 42, 8, "/b");
	cr_expect_neq(second, first);
	cr_expect_eq(elf(1, 2, 42, 8, "/b"), second);
	cr_expect_eq(elf(1, 2, 42, 0, "/b"), second, "the one that is there now");
	cr_expect_str_eq(files__get(files, first)->path, "/a", "who was in it still is");
	cr_expect_eq(files__known(files), 2);
	files__keep(files, first);
	files__sweep(files);
	cr_expect_not_null(files__get(files, first));
	cr_expect_null(files__get(files, second));
}

Test(files, a_file_that_has_gone_is_not_the_one_that_has_its_inode)
{
	_cleanup_free_ char *path = in_dir();
	_cleanup_close_ int created = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	uint32_t gone = elf(0, 0, inode_of(path), 7, path);
	_cleanup_close_ int fd = -1;

	elf(0, 0, inode_of(path), 8, path);
	cr_expect_eq(files__reopen(files, gone), -1);
	pin_file(files, gone, getpid(), 0x1000, 0x2000);
	cr_expect_eq(files__get(files, gone)->fd, -1);
}

/* The i'th of some that are there. */
static uint32_t nth_file(unsigned i)
{
	_cleanup_free_ char *base = in_dir(), *path = xasprintf("%s-%u", base, i);
	_cleanup_close_ int created = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	return elf(0, 0, inode_of(path), 0, path);
}

Test(files, what_nobody_asked_for_yet_leaves_room_for_what_somebody_does)
{
	struct rlimit limit;
	uint32_t last = 0;
	int pinned = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (uint32_t i = 0; i < 20; i++) {
		last = nth_file(i);
		files__pin_early(files, last, &(struct fair_who){(uint64_t)getpid(), i + 1}, 0x1000,
				 0x2000);
		pinned += files__get(files, last)->fd >= 0;
	}
	cr_expect_geq(pinned, 4);
	cr_expect_leq(pinned, 13);
	pin_file(files, last, getpid(), 0x1000, 0x2000);
	cr_expect_geq(files__get(files, last)->fd, 0);
}

/* ---- more files than are wanted */

Test(files, those_that_nobody_refers_to_are_swept_out_and_numbers_used_again)
{
	uint32_t kept[10], number;

	for (uint64_t i = 1; i <= 2000; i++)
		number = elf(1, 2, i, 0, "/x");
	cr_expect(files__many(files));
	for (uint64_t i = 0; i < 10; i++) {
		kept[i] = elf(1, 2, 100 * i + 1, 0, "/x");
		files__keep(files, kept[i]);
	}
	files__keep(files, 0);
	files__keep(files, 99999);
	files__sweep(files);
	cr_expect_eq(files__known(files), 10);
	cr_expect(!files__many(files));
	cr_expect_null(files__get(files, number));
	pin_file(files, number, getpid(), 0x1000, 0x2000);
	files__keep(files, number);
	for (uint64_t i = 0; i < 10; i++)
		cr_expect_eq(elf(1, 2, 100 * i + 1, 0, "/x"), kept[i]);
	for (uint64_t i = 5001; i <= 6990; i++)
		cr_expect_not_null(files__get(files, elf(1, 2, i, 0, "/y")));
	cr_expect_eq(files__count(files), 2001, "1990 numbers were free");
	elf(1, 2, 7000, 0, "/y");
	cr_expect_eq(files__count(files), 2002);
	files__sweep(files);
	cr_expect_eq(files__known(files), 0, "marks hold for one sweep");
}

Test(files, what_nobody_refers_to_for_a_while_is_forgotten)
{
	uint32_t kept = elf(1, 2, 3, 0, "/x");
	uint32_t used_once = elf(1, 2, 4, 0, "/y");
	uint32_t unused = elf(1, 2, 5, 0, "/z");

	cr_expect(!files__age_is_due(files), "not yet");
	files__keep(files, kept);
	files__keep(files, used_once);
	files__age(files);
	cr_expect_not_null(files__get(files, unused), "it may be new");
	files__keep(files, kept);
	files__age(files);
	cr_expect_null(files__get(files, unused));
	cr_expect_not_null(files__get(files, used_once));
	files__keep(files, kept);
	files__age(files);
	cr_expect_null(files__get(files, used_once));
	cr_expect_not_null(files__get(files, kept));
}

Test(files, what_is_swept_out_is_closed)
{
	int fd = pin(own_path(), inode_of(own_path()));

	cr_assert_geq(fd, 0);
	files__sweep(files);
	cr_expect_eq(fcntl(fd, F_GETFD), -1);
}

Test(files, later_it_is_found_by_its_name_if_it_is_the_same)
{
	_cleanup_free_ char *path = in_dir();
	_cleanup_close_ int created = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600), fd = -1;
	uint32_t same = elf(0, 0, inode_of(path), 0, path);
	uint32_t other = elf(0, 0, inode_of(path) + 1, 0, path);

	fd = files__reopen(files, same);
	cr_expect_geq(fd, 0);
	cr_expect_eq(files__get(files, same)->fd, -1, "it is the caller's");
	cr_expect_eq(files__reopen(files, other), -1);
	cr_expect_eq(files__reopen(files, 0), -1);
	cr_expect_eq(files__reopen(files, 77), -1);
}

Test(files, half_of_what_the_limit_leaves_is_pinned)
{
	struct rlimit limit;
	int pinned = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t number = nth_file(i);

		pin_file(files, number, getpid(), 0x1000, 0x2000);
		pinned += files__get(files, number)->fd >= 0;
	}
	cr_expect_geq(pinned, 8);
	cr_expect_leq(pinned, 26);
}
