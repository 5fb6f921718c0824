// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "symd/perf_map.h"

static struct perf_map map;

static void parse(const char *text)
{
	perf_map__parse(xstrdup(text), strlen(text), &map);
}

static void expect(uint64_t addr, const char *name)
{
	const struct segment *s = symtab__find(&map.symbols, addr);

	if (!name) {
		cr_expect_null(s, "%#lx should have no name", (unsigned long)addr);
		return;
	}
	cr_expect_not_null(s, "%#lx should be %s", (unsigned long)addr, name);
	if (s)
		cr_expect(s->len == strlen(name) && !memcmp(s->name, name, s->len),
			  "%#lx is %.*s, not %s", (unsigned long)addr, (int)s->len, s->name, name);
}

static void done(void)
{
	perf_map__done(&map);
}

/* Quadratic work would not end within the time. */
TestSuite(perf_map, .fini = done, .timeout = 60);

Test(perf_map, lines_with_and_without_0x)
{
	parse("1000 10 first\n0x2000 0x20 LazyCompile:*second with spaces\n3000 1 last");
	expect(0xfff, NULL);
	expect(0x1000, "first");
	expect(0x100f, "first");
	expect(0x1010, NULL);
	expect(0x201f, "LazyCompile:*second with spaces");
	expect(0x3000, "last");
	expect(UINT64_MAX, NULL);
}

Test(perf_map, the_last_line_wins)
{
	parse("1000 100 old\n1040 20 new\n1000 10 newest\n2000 10 a\n1ff0 30 b\n");
	expect(0x1000, "newest");
	expect(0x1010, "old");
	expect(0x1040, "new");
	expect(0x105f, "new");
	expect(0x1060, "old");
	expect(0x1ff0, "b");
	expect(0x2000, "b");
	expect(0x201f, "b");
	expect(0x2020, NULL);
}

Test(perf_map, garbage_lines_are_skipped)
{
	parse("\n \nhello\n1000\n1000 \n1000 10\n1000 10 \n-1 10 x\n1000 zz x\n"
	      "11111111111111111111 10 x\nffffffffffffffff 10 wraps\n1000 0 empty\n"
	      "\xff\xfe 10 x\n0x 10 x\n5000 10\nname-on-next-line\n2000 10 good\r\n");
	expect(0x1000, NULL);
	expect(0x1001, NULL);
	expect(0x5000, NULL);
	expect(UINT64_MAX, NULL);
	expect(0x2000, "good");
	cr_assert_eq(map.symbols.n_segments, 1);
}

Test(perf_map, long_names_are_cut)
{
	const size_t len = 100000;
	char *text = xcalloc(1, len + 1);

	memset(text, 'x', len);
	memcpy(text, "1000 10 ", 8);
	perf_map__parse(text, len, &map);
	cr_assert_eq(symtab__find(&map.symbols, 0x1000)->len, PERF_MAP_NAME_MAX);
}

Test(perf_map, many_nested_ranges_stay_fast)
{
	const uint64_t n = 100000;
	struct buf b = {0};
	size_t len;

	for (uint64_t i = 0; i < n; i++)
		buf__printf(&b, "%lx %lx f%lu\n", (unsigned long)(0x1000 + i),
			    (unsigned long)(4 * n - 2 * i), (unsigned long)i);
	len = b.len;
	perf_map__parse(buf__take(&b), len, &map);
	expect(0x1000, "f0");
	expect(0x1001, "f1");
	expect(0x1000 + n, "f99999");
}

Test(perf_map, reads_from_the_start_and_only_regular_files)
{
	static const char text[] = "1000 10 f\n";
	int fd = memfd_create("map", MFD_CLOEXEC), pipes[2];

	cr_assert_eq(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
	cr_assert_eq(perf_map__read(fd, &map), 0);
	expect(0x1000, "f");
	close(fd);

	perf_map__done(&map);
	cr_assert_eq(pipe(pipes), 0);
	cr_assert_lt(perf_map__read(pipes[0], &map), 0);
	close(pipes[0]);
	close(pipes[1]);
}

Test(perf_map, an_endless_file_is_read_up_to_a_limit)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	cr_assert_eq(ftruncate(fd, (off_t)1 << 40), 0);
	cr_assert_eq(perf_map__read(fd, &map), 0);
	expect(0, NULL);
	close(fd);
}

/* Of more lines than it reads it takes the last. */
Test(perf_map, too_many_lines)
{
	static const char first[] = "9000 10 first\n", last[] = "1000 10 last\n";
	struct buf text = {0};
	size_t len;

	buf__puts(&text, first);
	for (unsigned i = 1; i < PERF_MAP_LINES_MAX; i++)
		buf__putc(&text, '\n');
	buf__puts(&text, last);
	len = text.len;
	perf_map__parse(buf__take(&text), len, &map);
	expect(0x9000, NULL);
	expect(0x1000, "last");
	perf_map__done(&map);

	buf__puts(&text, first);
	for (unsigned i = 2; i < PERF_MAP_LINES_MAX; i++)
		buf__putc(&text, '\n');
	buf__puts(&text, last);
	len = text.len;
	perf_map__parse(buf__take(&text), len, &map);
	expect(0x9000, "first");
}
