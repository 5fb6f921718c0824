// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of sources, and files that are none. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/sources.h"

static char dir[] = "/tmp/pmb-sources.XXXXXX";

static void begin(void)
{
	cr_assert_not_null(mkdtemp(dir));
}

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void write_file(const char *name, const char *text, size_t len, mode_t mode)
{
	_cleanup_free_ char *path = path_of(name);
	_cleanup_fclose_ FILE *file = fopen(path, "we");

	cr_assert_not_null(file);
	fwrite(text, 1, len, file);
	fchmod(fileno(file), mode);
}

static void end(void)
{
	_cleanup_free_ char *command = xasprintf("%s/sub/a.c", dir);
	static const char *const names[] = {"a.c",     "secret.c", "binary.c",
					    "empty.c", "fifo",     "sub"};

	unlink(command);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = path_of(names[i]);

		remove(path);
	}
	rmdir(dir);
}

static void expect_line(struct sources *s, const char *path, uint32_t line, const char *text)
{
	_cleanup_free_ char *got = sources__line(s, path, line);

	if (text)
		cr_expect_str_eq(got ? got : "(none)", text, "%s:%u", path, line);
	else
		cr_expect_null(got, "%s:%u is '%s'", path, line, got);
}

TestSuite(sources, .init = begin, .fini = end);

Test(sources, lines)
{
	static const char text[] = "one\r\n\ntwo";
	_cleanup_free_ char *path = path_of("a.c");
	struct sources s = {0};

	write_file("a.c", text, strlen(text), 0644);
	expect_line(&s, path, 1, "one");
	expect_line(&s, path, 2, "");
	expect_line(&s, path, 3, "two");
	expect_line(&s, path, 4, NULL);
	expect_line(&s, path, 0, NULL);
	expect_line(&s, "a.c", 1, NULL);
	expect_line(&s, NULL, 1, NULL);
	sources__done(&s);
}

Test(sources, in_a_folder)
{
	_cleanup_free_ char *sub = path_of("sub"), *path = path_of("sub/a.c");
	struct sources s = {.dir = dir, .only_dir = true};

	cr_assert_eq(mkdir(sub, 0755), 0);
	write_file("a.c", "outer", 5, 0644);
	write_file("sub/a.c", "inner", 5, 0644);
	expect_line(&s, "/build/x/sub/a.c", 1, "inner");
	expect_line(&s, "/build/x/a.c", 1, "outer");
	expect_line(&s, "../../../../etc/passwd", 1, NULL);
	expect_line(&s, "/etc/passwd", 1, NULL);
	expect_line(&s, path, 1, "inner");
	sources__done(&s);
}

Test(sources, what_is_none)
{
	static const char *const names[] = {"binary.c", "empty.c", "fifo", "secret.c"};
	struct sources s = {.only_public = true};
	_cleanup_free_ char *fifo = path_of("fifo");
	_cleanup_(buf__done) struct buf notes = {0};

	write_file("binary.c", "a\0b", 3, 0644);
	write_file("empty.c", "", 0, 0644);
	write_file("secret.c", "secret", 6, 0600);
	cr_assert_eq(mkfifo(fifo, 0644), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = path_of(names[i]);

		expect_line(&s, path, 1, NULL);
	}
	sources__notes(&s, &notes);
	cr_expect_not_null(strstr(notes.data, "/binary.c and 2 more: not a text file\n"));
	cr_expect_not_null(strstr(notes.data, "/secret.c: not for who called to read\n"));
	expect_line(&s, "/dev/zero", 1, NULL);
	expect_line(&s, "/proc/self/environ", 1, NULL);
	expect_line(&s, dir, 1, NULL);
	sources__done(&s);
}

Test(sources, no_more_than_there_is_room_for)
{
	_cleanup_(buf__done) struct buf notes = {0};
	struct sources s = {0};

	for (int i = 0; i < 2 * SOURCES_MAX; i++) {
		_cleanup_free_ char *path = xasprintf("/nowhere/%d.c", i);

		expect_line(&s, path, 1, NULL);
	}
	cr_expect_eq(s.n, SOURCES_MAX);
	cr_expect(s.full);
	sources__notes(&s, &notes);
	cr_expect_str_eq(notes.data,
			 "source /nowhere/0.c and 63 more: not there; --source DIR looks "
			 "for it in DIR\nsources: of more than 64 files none is "
			 "shown\n");
	sources__done(&s);
}
