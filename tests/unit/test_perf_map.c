// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "symd/jit_file.h"
#include "symd/perf_map.h"

static struct jit_file *map;

static int open_text(const char *text, size_t len)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	return fd;
}

static void parse_bytes(const char *text, size_t len)
{
	cr_assert_eq(jit_file__open(open_text(text, len), perf_map__offer, &map), 0);
}

static void parse(const char *text)
{
	parse_bytes(text, strlen(text));
}

static void expect(uint64_t addr, const char *name)
{
	const char *found;
	size_t len;

	if (!jit_file__asked(map, addr))
		jit_file__ask(map, &addr, 1);
	found = jit_file__find(map, addr, &len);
	if (!name) {
		cr_expect_null(found, "%#lx should have no name", (unsigned long)addr);
		return;
	}
	cr_expect_not_null(found, "%#lx should be %s", (unsigned long)addr, name);
	if (found)
		cr_expect(len == strlen(name) && !memcmp(found, name, len), "%#lx is %.*s, not %s",
			  (unsigned long)addr, (int)len, found, name);
}

static void done(void)
{
	map = jit_file__free(map);
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

Test(perf_map, a_line_that_is_being_written_is_the_last_resort)
{
	parse("1000 10 whole_name\n1000 10 whole_na");
	expect(0x1000, "whole_name");
	done();
	parse("1000 10 whole_name\n2000 10 ha");
	expect(0x1000, "whole_name");
	expect(0x2000, "ha");
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
}

Test(perf_map, long_names_are_cut)
{
	const size_t len = 300000; /* and the line is longer than a window */
	struct buf text = {0};
	const uint64_t addr = 0x1000;
	size_t found;

	buf__puts(&text, "3000 10 first\n1000 10 ");
	while (text.len < len)
		buf__putc(&text, 'x');
	buf__puts(&text, "\n2000 10 last");
	parse_bytes(text.data, text.len);
	jit_file__ask(map, &addr, 1);
	cr_assert_not_null(jit_file__find(map, addr, &found));
	cr_expect_eq(found, PERF_MAP_NAME_MAX);
	expect(0x2000, "last");
	expect(0x3000, "first");
	buf__done(&text);
}

/* Lines of every length, so that they lie across the ends of windows in all ways. */
Test(perf_map, lines_across_windows)
{
	const uint64_t n = 1200;
	_cleanup_free_ uint64_t *addrs = xcalloc(n, sizeof(*addrs));
	struct buf text = {0};

	for (uint64_t i = 0; i < n; i++) {
		addrs[i] = 0x1000 + 16 * i;
		buf__printf(&text, "%lx 10 f%0*lu\n", (unsigned long)addrs[i], (int)i + 1,
			    (unsigned long)i);
	}
	parse_bytes(text.data, text.len);
	jit_file__ask(map, addrs, n);
	for (uint64_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = xasprintf("f%0*lu", (int)i + 1, (unsigned long)i);

		expect(addrs[i], name);
	}
	buf__done(&text);
}

Test(perf_map, many_nested_ranges_stay_fast)
{
	const uint64_t n = 100000;
	struct buf b = {0};

	for (uint64_t i = 0; i < n; i++)
		buf__printf(&b, "%lx %lx f%lu\n", (unsigned long)(0x1000 + i),
			    (unsigned long)(4 * n - 2 * i), (unsigned long)i);
	parse_bytes(b.data, b.len);
	buf__done(&b);
	expect(0x1000, "f0");
	expect(0x1001, "f1");
	expect(0x1000 + n, "f99999");
}

Test(perf_map, only_regular_files)
{
	int pipes[2];

	cr_assert_eq(pipe(pipes), 0);
	cr_assert_lt(jit_file__open(pipes[0], perf_map__offer, &map), 0);
	close(pipes[1]);
}

Test(perf_map, an_endless_file_is_read_up_to_a_limit)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	cr_assert_eq(ftruncate(fd, (off_t)1 << 40), 0);
	cr_assert_eq(jit_file__open(fd, perf_map__offer, &map), 0);
	expect(0, NULL);
}

/* What is read of a large file isn't kept: 16 MB of address space is enough for one of 200 MB. */
Test(perf_map, memory_does_not_grow_with_the_file)
{
	static char line[4096];
	struct rlimit room = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
	int fd = open_text("1000 10 first\n", 14);
	const char *at = line;
	uint64_t pages;
	_cleanup_fclose_ FILE *statm = fopen("/proc/self/statm", "re");

	memset(line, 'x', sizeof(line));
	memcpy(line, "5000 10 ", 8);
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 200 * 256; i++)
		cr_assert_eq(write(fd, line, sizeof(line)), (ssize_t)sizeof(line));
	cr_assert_not_null(fgets(line, sizeof(line), statm));
	cr_assert(num__take_u64(&at, &pages));
	room.rlim_cur = pages * 4096 + (16 << 20);
	cr_assert_eq(setrlimit(RLIMIT_AS, &room), 0);
	cr_assert_eq(jit_file__open(fd, perf_map__offer, &map), 0);
	expect(0x1000, "first");
}

/* Of more lines than it reads it takes the last. */
Test(perf_map, too_many_lines)
{
	static const char first[] = "9000 10 first\n", last[] = "1000 10 last\n";

	for (unsigned from = 1; from <= 2; from++) {
		struct buf text = {0};

		buf__puts(&text, first);
		for (unsigned i = from; i < PERF_MAP_LINES_MAX; i++)
			buf__putc(&text, '\n');
		buf__puts(&text, last);
		parse_bytes(text.data, text.len);
		buf__done(&text);
		expect(0x1000, "last");
		expect(0x9000, from == 1 ? NULL : "first");
		map = jit_file__free(map);
	}
}
