// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "own_maps.h"
#include "sys/procfs.h"

static bool parse(const char *text, struct map_line *ret, char *line, size_t size)
{
	snprintf(line, size, "%s", text);
	return procfs_parse_map(line, ret);
}

static void expect_path(const char *text, const char *want)
{
	struct map_line map;
	char line[256];

	cr_assert(parse(text, &map, line, sizeof(line)), "%s", text);
	cr_expect_str_eq(map.path, want);
}

static void expect_bad(const char *text)
{
	struct map_line map;
	char line[256];

	cr_expect(!parse(text, &map, line, sizeof(line)), "'%s' was taken", text);
}

Test(procfs, a_line_of_maps)
{
	struct map_line map;
	char line[256];

	cr_assert(parse("55d0c1a2b000-55d0c1a2d000 r-xp 00002000 fd:1f 1234      /usr/bin/true",
			&map, line, sizeof(line)));
	cr_expect_eq(map.start, 0x55d0c1a2b000);
	cr_expect_eq(map.end, 0x55d0c1a2d000);
	cr_expect_eq(map.file_off, 0x2000);
	cr_expect_eq(map.dev_major, 0xfd);
	cr_expect_eq(map.dev_minor, 0x1f);
	cr_expect_eq(map.inode, 1234, "the inode is decimal");
	cr_expect_str_eq(map.path, "/usr/bin/true");
}

Test(procfs, paths_of_all_kinds)
{
	expect_path("1000-2000 rwxp 00000000 00:00 0 ", "");
	expect_path("1000-2000 rwxp 00000000 00:00 0", "");
	expect_path("1000-2000 r-xp 00000000 00:00 0    [vdso]", "[vdso]");
	expect_path("1000-2000 r-xs 00000000 00:00 7    /a b  c", "/a b  c");
	expect_path("1000-2000 r-xp 00000000 00:00 7    /line\\012break", "/line\nbreak");
	expect_path("1000-2000 r-xp 00000000 00:00 7    /no\\0escape\\999\\",
		    "/no\\0escape\\999\\");
	expect_path("1000-2000 r-xp 00000000 00:00 7    /usr/lib/a.so (deleted)", "/usr/lib/a.so");
	expect_path("1000-2000 r-xp 00000000 00:00 7    /a (deleted) (deleted)", "/a (deleted)");
	expect_path("1000-2000 r-xp 00000000 00:00 7    /a (deleted)x", "/a (deleted)x");
}

Test(procfs, only_what_can_be_executed)
{
	expect_bad("1000-2000 rw-p 00000000 00:00 7    /bin/true");
	expect_bad("1000-2000 ---p 00000000 00:00 7    /bin/true");
	expect_bad("ffffffffff600000-ffffffffff601000 r--p 00000000 00:00 0 [vsyscall]");
}

Test(procfs, what_is_no_line_of_maps)
{
	expect_bad("");
	expect_bad("1000");
	expect_bad("1000-");
	expect_bad("1000-2000");
	expect_bad("1000-2000 r-x");
	expect_bad("1000-2000 r-xp");
	expect_bad("1000-2000 r-xp ");
	expect_bad("1000-2000 r-xp 0");
	expect_bad("1000-2000 r-xp 0 00");
	expect_bad("1000-2000 r-xp 0 00:00");
	expect_bad("1000-2000 r-xp 0 00:00 ");
	expect_bad("1000-2000 r-xp 0 00:00 x");
	expect_bad("1000-2000  r-xp 0 00:00 1");
	expect_bad("-1000-2000 r-xp 0 00:00 1");
	expect_bad("zzzz-2000 r-xp 0 00:00 1");
	expect_bad("Size:                  4 kB");
}

Test(procfs, ranges_that_make_no_sense)
{
	expect_bad("2000-1000 r-xp 0 00:00 1 /x");
	expect_bad("1000-1000 r-xp 0 00:00 1 /x");
}

Test(procfs, numbers_too_large_for_their_fields)
{
	expect_path("0-ffffffffffffffff r-xp ffffffffffffffff 00:00 18446744073709551615 /x", "/x");
	expect_bad("0-10000000000000000 r-xp 0 00:00 1 /x");
	expect_bad("11111111111111111-2 r-xp 0 00:00 1 /x");
	expect_bad("0-1000 r-xp 11111111111111111 00:00 1 /x");
	expect_bad("0-1000 r-xp 0 00:00 18446744073709551616 /x");
}

/* Every prefix and every byte replaced: nothing is read past the end (ASan watches). */
Test(procfs, mangled_lines_are_harmless)
{
	static const char good[] =
		"55d0c1a2b000-55d0c1a2d000 r-xp 00002000 fd:01 1234 /a\\012 (deleted)";
	struct map_line map;

	for (size_t i = 0; i < sizeof(good); i++) {
		_cleanup_free_ char *cut = xstrndup(good, i);

		procfs_parse_map(cut, &map);
		for (int c = 1; c < 256 && i < sizeof(good) - 1; c++) {
			_cleanup_free_ char *changed = xstrdup(good);

			changed[i] = (char)c;
			procfs_parse_map(changed, &map);
		}
	}
}

static void find_this_function(void *ctx, const struct map_line *line)
{
	uint64_t here = (uintptr_t)find_this_function;

	if (here >= line->start && here < line->end) {
		cr_expect_neq(line->inode, 0);
		cr_expect_eq(line->path[0], '/');
		*(int *)ctx += 1;
	}
}

Test(procfs, our_own_maps)
{
	int found = 0;

	each_own_map(find_this_function, &found);
	cr_expect_eq(found, 1);
}

Test(procfs, our_own_status)
{
	struct proc_status status;

	cr_assert_eq(procfs_status(getpid(), &status), 0);
	cr_expect_eq(status.tgid, getpid());
	cr_expect_eq(status.ns_tgid, getpid());
	cr_expect_eq(status.euid, geteuid());
	cr_expect_eq(procfs_status(INT32_MAX, &status), -ESRCH);
	cr_expect(procfs_task_exists(getpid()));
	cr_expect(!procfs_task_exists(INT32_MAX));
}

Test(procfs, our_own_threads)
{
	_cleanup_free_ pid_t *tids = NULL;
	int n = procfs_threads(getpid(), &tids);

	cr_assert_geq(n, 1);
	for (int i = 1; i < n; i++)
		cr_expect_lt(tids[i - 1], tids[i]);
	cr_expect_eq(tids[0], getpid());
}

/* Some kernels don't say; more than all of it is never true. */
Test(procfs, the_time_that_a_thread_ran)
{
	const uint64_t before = procfs_ran_ns(gettid());
	struct timespec now = {0};
	uint64_t ran;

	while (now.tv_nsec < 50000000 && !now.tv_sec)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	ran = procfs_ran_ns(gettid());
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	cr_expect_leq(ran, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	cr_expect(!before || ran > before);
	cr_expect_eq(procfs_ran_ns(INT32_MAX), 0);
}

Test(procfs, whole_files)
{
	_cleanup_free_ char *comm = file_read("/proc/self/comm");

	cr_assert_not_null(comm);
	cr_expect_eq(comm[strlen(comm) - 1], '\n');
	cr_expect_null(file_read("/nonexistent"));
	cr_expect_eq(errno, ENOENT);
	cr_expect_null(file_read("/"));
	cr_expect_eq(errno, EISDIR);
	cr_expect_eq(file_read_u64("/nonexistent", 7), 7);
	cr_expect_eq(file_read_u64("/proc/self/comm", 7), 7);
	cr_expect_gt(file_read_u64("/proc/sys/kernel/pid_max", 0), 0);
}

Test(procfs, idle_time_of_each_cpu)
{
	uint64_t idle[1] = {UINT64_MAX};

	cr_assert_eq(procfs_idle_ns(idle, 1), 0);
	cr_expect_neq(idle[0], UINT64_MAX,
		      "CPU 0 is in /proc/stat, and no CPU behind the array is written");
}
