// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files that a hostile program has prepared, opened by somebody who may open everything: nothing
 * but a regular file inside the root is, and nothing is waited for (each test has two seconds).
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/open.h"

static char dir[] = "/tmp/pmb-open.XXXXXX";
static int root = -1;

static char *at(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void write_file(const char *name)
{
	_cleanup_free_ char *path = at(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0);
	close(fd);
}

static void make_link(const char *to)
{
	_cleanup_free_ char *path = at("x");

	cr_assert_eq(symlink(to, path), 0);
}

static void begin(void)
{
	cr_assert_not_null(mkdtemp(dir));
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	write_file("good");
}

static void end(void)
{
	unlinkat(root, "x", 0);
	unlinkat(root, "good", 0);
	close(root);
	rmdir(dir);
}

TestSuite(open, .init = begin, .fini = end, .timeout = 2);

/* Inside of the root, and by its whole path. */
static void expect(int in_root, int by_path)
{
	_cleanup_free_ char *path = at("x");
	int fd = open_regular(root, "/x");

	cr_expect(in_root ? fd == in_root : fd >= 0, "in the root: %d", fd);
	if (fd >= 0)
		close(fd);
	fd = open_regular(-1, path);
	cr_expect(by_path ? fd == by_path : fd >= 0, "by its path: %d", fd);
	if (fd >= 0)
		close(fd);
}

Test(open, a_link_to_a_file_beside_it)
{
	make_link("good");
	expect(0, 0);
}

Test(open, an_absolute_link_begins_at_the_root)
{
	make_link("/good");
	expect(0, -ENOENT);
}

Test(open, a_link_out_of_the_root)
{
	make_link("/etc/passwd");
	expect(-ENOENT, 0);
}

Test(open, a_climbing_link)
{
	make_link("../../../../../../etc/passwd");
	expect(-ENOENT, 0);
}

/* To what somebody has open, and into others' roots. */
Test(open, doors_in_proc)
{
	_cleanup_free_ char *fd_path = xasprintf("/proc/self/fd/%d", root);
	_cleanup_free_ char *path = xasprintf("%s/good", fd_path);
	int whole = open("/", O_PATH | O_CLOEXEC);

	cr_expect_eq(open_regular(-1, path), -ELOOP);
	cr_expect_eq(open_regular(-1, "/proc/self/root/etc/passwd"), -ELOOP);
	cr_expect_eq(open_regular(whole, "/proc/self/root/etc/passwd"), -ELOOP);
	cr_expect_eq(open_regular(-1, "/proc/self/exe"), -ELOOP);
	make_link("/proc/self/exe");
	expect(-ENOENT, -ELOOP);
	close(whole);
}

Test(open, a_link_to_itself)
{
	make_link("x");
	expect(-ELOOP, -ELOOP);
}

Test(open, a_fifo)
{
	cr_assert_eq(mkfifoat(root, "x", 0600), 0);
	expect(-EINVAL, -EINVAL);
}

Test(open, a_folder)
{
	cr_assert_eq(mkdirat(root, "x", 0700), 0);
	expect(-EINVAL, -EINVAL);
	unlinkat(root, "x", AT_REMOVEDIR);
}

Test(open, a_device)
{
	if (mknodat(root, "x", S_IFCHR | 0600, makedev(1, 5)) < 0)
		cr_skip_test("making a device wants root");
	expect(-EINVAL, -EINVAL);
}

Test(open, owned_files_have_one_name)
{
	int fd = find_owned(root, "/good", geteuid());

	cr_expect_geq(fd, 0);
	close(fd);
	cr_expect_eq(find_owned(root, "/good", geteuid() + 1), -EPERM);
	cr_assert_eq(linkat(root, "good", root, "x", 0), 0);
	cr_expect_eq(find_owned(root, "/good", geteuid()), -EPERM);
}

Test(open, owned_files_are_no_links)
{
	make_link("good");
	cr_expect_eq(find_owned(root, "/x", geteuid()), -EPERM);
	cr_expect_eq(open_no_link(root, "/x"), -EINVAL);
}

/* What nobody has looked up is not at hand: an automounter would be asked for it. */
Test(open, at_hand)
{
	int fd = find_at_hand("/proc/self/exe"), r;

	cr_expect_lt(fd, 0, "a link of /proc");
	r = find_at_hand("/nonexistent/file");
	cr_expect(r == -ENOENT || r == -EAGAIN, "%d", r);
	r = find_at_hand("/");
	cr_expect_eq(r, -EINVAL, "%d", r);
	cr_assert_eq(access("/bin/sh", X_OK), 0);
	fd = find_at_hand("/bin/sh");
	cr_expect_geq(fd, 0, "%d", fd);
	close(fd);
}
