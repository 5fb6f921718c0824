// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files that are renewed: whole each time, and what else may have their name. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/procfs.h"
#include "sys/renewal.h"

enum { WAIT_MS = 60000 };

static char *folder, *path, *other;
static struct renewal r;

static void begin(void)
{
	folder = xstrdup("/tmp/pmb-renewal.XXXXXX");
	cr_assert(mkdtemp(folder));
	path = xasprintf("%s/list", folder);
	other = xasprintf("%s/other", folder);
}

static void end(void)
{
	renewal__done(&r);
	unlink(path);
	rmdir(path);
	unlink(other);
	cr_expect_eq(rmdir(folder), 0, "something is left in the folder");
	free(folder);
	free(path);
	free(other);
}

TestSuite(renewal, .init = begin, .fini = end, .timeout = 120);

static int renew(const char *text)
{
	_cleanup_(buf__done) struct buf b = {0};

	buf__puts(&b, text);
	renewal__write(&r, &b);
	return renewal__settle(&r, WAIT_MS);
}

#define EXPECT_TEXT(where, text)                             \
	do {                                                 \
		_cleanup_free_ char *is_ = file_read(where); \
		cr_assert(is_, "there is no file");          \
		cr_expect_str_eq(is_, (text));               \
	} while (0)

static void put(const char *where, mode_t mode)
{
	_cleanup_close_ int fd = open(where, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_eq(write(fd, "before", 6), 6);
	fchmod(fd, mode);
}

static mode_t mode_of(const char *where)
{
	struct stat st;

	cr_assert_eq(lstat(where, &st), 0);
	return st.st_mode;
}

Test(renewal, each_time_another_file)
{
	_cleanup_close_ int old = -1;
	char byte;

	cr_assert_eq(renewal__start(&r, path, NULL), 0);
	cr_expect_eq(access(path, F_OK), -1, "before the first text");
	cr_expect_eq(renew("one\n"), 0);
	EXPECT_TEXT(path, "one\n");
	cr_expect_eq(mode_of(path), S_IFREG | 0600);
	old = open(path, O_RDONLY | O_CLOEXEC);
	cr_expect_eq(renew("two"), 0);
	EXPECT_TEXT(path, "two");
	cr_expect_eq(read(old, &byte, 1), 1);
	cr_expect_eq(byte, 'o', "who reads the old one reads on");
	cr_expect_eq(r.written, 2);
}

Test(renewal, mode_stays)
{
	put(path, 0644);
	cr_assert_eq(renewal__start(&r, path, NULL), 0);
	EXPECT_TEXT(path, "before");
	cr_expect_eq(renew("after"), 0);
	EXPECT_TEXT(path, "after");
	cr_expect_eq(mode_of(path), S_IFREG | 0644);
}

static void expect_refused(const char *words)
{
	struct err err = {0};

	cr_expect_lt(renewal__start(&r, path, &err), 0);
	cr_expect(strstr(err.text, words), "'%s'", err.text);
	cr_expect_eq(r.pid, 0);
}

Test(renewal, links_are_not_followed)
{
	put(other, 0600);
	cr_assert_eq(symlink(other, path), 0);
	expect_refused("no regular file");
	EXPECT_TEXT(other, "before");
}

Test(renewal, fifos_are_not_waited_for)
{
	cr_assert_eq(mkfifo(path, 0600), 0);
	expect_refused("no regular file");
}

Test(renewal, folders)
{
	cr_assert_eq(mkdir(path, 0700), 0);
	expect_refused("no regular file");
}

Test(renewal, no_folder)
{
	free(path);
	path = xasprintf("%s/none/list", folder);
	expect_refused("No such file");
}

/* Somebody puts a link there while it is renewed. */
Test(renewal, a_link_comes_meanwhile)
{
	put(other, 0600);
	cr_assert_eq(renewal__start(&r, path, NULL), 0);
	cr_expect_eq(renew("one"), 0);
	unlink(path);
	cr_assert_eq(symlink(other, path), 0);
	cr_expect_eq(renew("two"), -EINVAL);
	EXPECT_TEXT(other, "before");
	cr_expect_eq(r.failed, 1);
	unlink(path);
	cr_expect_eq(renew("three"), 0, "and goes");
	EXPECT_TEXT(path, "three");
}

Test(renewal, large_texts)
{
	enum { BYTES = 5000000 };
	_cleanup_free_ char *text = xcalloc(1, BYTES + 1);

	memset(text, 'x', BYTES);
	cr_assert_eq(renewal__start(&r, path, NULL), 0);
	cr_expect_eq(renew(text), 0);
	EXPECT_TEXT(path, text);
}
