// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A spool's windows: what they are called, which have to go, which times they cover; and the folder
 * itself. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "spool/coverage.h"
#include "spool/folder.h"
#include "spool/retention.h"
#include "spool/times.h"
#include "spool/window_name.h"

#define BOOT_A "0123456789abcdef0123456789abcdef"
#define BOOT_B "f123456789abcdef0123456789abcdef"
#define S 1000000000LL

/* ---------------------------------------------------------------- names */

Test(window_name, is_read_as_it_was_written)
{
	struct window_id id = {.boot = BOOT_A, .seq = 42}, back;
	char name[WINDOW_NAME_SIZE], temp[WINDOW_TEMP_SIZE];

	window_name(&id, name);
	cr_expect_str_eq(name, BOOT_A "-0000000042.pb.gz");
	cr_assert(window_name__parse(name, &back));
	cr_expect_str_eq(back.boot, BOOT_A);
	cr_expect_eq(back.seq, 42);
	window_temp_name(&id, temp);
	cr_expect(window_temp_name__is(temp));
	cr_expect_not(window_temp_name__is(name));
	cr_expect_not(window_name__parse(temp, &back));
}

Test(window_name, dates_are_rounded_outwards)
{
	static const struct window_id id = {.boot = BOOT_A, .seq = 42};
	static const struct {
		int64_t time_ns, duration_ns;
		const char *name;
		struct window_when when;
	} cases[] = {
		{1764269280123456789,
		 60000000001,
		 BOOT_A "-0000000042-1764269280123-1764269340124.pb.gz",
		 {1764269280123000000, 1764269340124000000}},
		{1764269280123000000,
		 60000000000,
		 BOOT_A "-0000000042-1764269280123-1764269340123.pb.gz",
		 {1764269280123000000, 1764269340123000000}},
		{0, 60000000000, BOOT_A "-0000000042.pb.gz", {0}},
		{-1, 5, BOOT_A "-0000000042.pb.gz", {0}},
		{INT64_MAX, 5, BOOT_A "-0000000042.pb.gz", {0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[WINDOW_DATED_SIZE];
		struct window_when when;
		struct window_id back;

		window_dated_name(&id, cases[i].time_ns, cases[i].duration_ns, name);
		cr_expect_str_eq(name, cases[i].name);
		cr_assert(window_dated_name__parse(name, &back, &when), "%s", name);
		cr_expect_eq(back.seq, 42);
		cr_expect_eq(when.from_ns, cases[i].when.from_ns);
		cr_expect_eq(when.to_ns, cases[i].when.to_ns);
	}
}

Test(window_name, sorts_by_number)
{
	char nine[WINDOW_NAME_SIZE], ten[WINDOW_NAME_SIZE];

	window_name(&(struct window_id){BOOT_A, 9}, nine);
	window_name(&(struct window_id){BOOT_A, 10}, ten);
	cr_expect_lt(strcmp(nine, ten), 0);
}

Test(window_name, others_names_are_none)
{
	static const char *const others[] = {
		"",
		"x.pb.gz",
		"../../etc/passwd",
		BOOT_A "-42.pb.gz",
		BOOT_A "-00000000x2.pb.gz",
		BOOT_A "-0000000042.pb.gz ",
		BOOT_A "-0000000042.pb_gz",
		BOOT_A "-0000000042-1764269340123-176426928012x.pb.gz",
		BOOT_A "-0000000042-1764269340123_1764269440123.pb.gz",
		BOOT_A "_0000000042.pb.gz",
		"0123456789ABCDEF0123456789abcdef-0000000042.pb.gz",
		"0123456789abcdef/123456789abcdef-0000000042.pb.gz",
	};
	struct window_when when;
	struct window_id id;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		cr_expect_not(window_name__parse(others[i], &id), "%s", others[i]);
		cr_expect_not(window_dated_name__parse(others[i], &id, &when), "%s", others[i]);
		cr_expect_not(window_temp_name__is(others[i]), "%s", others[i]);
	}
}

Test(window_name, boot_ids)
{
	char boot[BOOT_ID_SIZE];

	cr_assert(boot_id__parse("01234567-89ab-cdef-0123-456789abcdef\n", boot));
	cr_expect_str_eq(boot, BOOT_A);
	cr_expect_not(boot_id__parse("01234567-89ab-cdef-0123-456789abcde", boot));
	cr_expect_not(boot_id__parse("01234567-89ab-cdef-0123-456789abcdef0", boot));
	cr_expect_not(boot_id__parse("01234567-89ab-cdef-0123-456789abcdeg", boot));
}

/* ---------------------------------------------------------------- retention */

static void add(struct retention *r, const char *boot, uint64_t seq, uint64_t bytes, int64_t ended)
{
	struct kept_window w = {.id.seq = seq, .bytes = bytes, .ended_ns = ended};

	memcpy(w.id.boot, boot, sizeof(w.id.boot));
	retention__add(r, &w);
}

Test(retention, the_oldest_go_first)
{
	_cleanup_(retention__done) struct retention r = {.max_bytes = 100};

	add(&r, BOOT_A, 7, 40, 30);
	add(&r, BOOT_B, 3, 30, -20);
	add(&r, BOOT_A, 6, 20, 10);
	retention__sort(&r);
	cr_expect_eq(r.list[0].id.seq, 3);
	cr_expect_eq(r.list[2].id.seq, 7);
	cr_expect_eq(retention__over(&r, 0), 0);
	cr_expect_eq(retention__over(&r, 10), 0, "exactly that fits");
	cr_expect_eq(retention__over(&r, 11), 1);
	cr_expect_eq(retention__over(&r, 41), 2);
	cr_expect_eq(retention__over(&r, 100), 3);
	cr_expect_eq(retention__over(&r, 101), SIZE_MAX, "it never fits");
	retention__drop(&r);
	cr_expect_eq(r.bytes, 60);
	cr_expect_eq(r.list[0].id.seq, 6);
}

Test(retention, too_old_is_older_than_that)
{
	_cleanup_(retention__done) struct retention r = {.keep_ns = 100};

	for (int i = 0; i < 4; i++)
		add(&r, BOOT_A, (uint64_t)i, 1, -50 + i * 10);
	cr_expect_eq(retention__expired(&r, 50), 0, "as old as that may stay");
	cr_expect_eq(retention__expired(&r, 51), 1);
	cr_expect_eq(retention__expired(&r, 71), 3);
	cr_expect_eq(retention__expired(&r, 1000), 3, "the newest says what the next is called");
	cr_expect_eq(retention__expired(&r, -1000), 0, "before it was written");
}

Test(retention, numbers_are_of_a_boot)
{
	_cleanup_(retention__done) struct retention r = {0};

	cr_expect_eq(retention__last(&r, BOOT_A), -1);
	add(&r, BOOT_A, 7, 1, 0);
	add(&r, BOOT_B, 9, 1, 0);
	add(&r, BOOT_A, 3, 1, 0);
	cr_expect_eq(retention__last(&r, BOOT_A), 7);
	cr_expect_eq(retention__last(&r, BOOT_B), 9);
	cr_expect_eq(retention__expired(&r, 1LL << 60), 0, "without a bound of age");
	cr_expect_eq(retention__over(&r, 1ULL << 60), 0, "without a bound of bytes");
}

/* ---------------------------------------------------------------- times */

#define T0 1795804200LL /* 2026-11-27T18:30:00Z */

Test(times, of_each_kind)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"now", T0 * S},
		{"1h", (T0 - 3600) * S},
		{"90s", (T0 - 90) * S},
		{"2d", (T0 - 2 * 86400) * S},
		{"1.5m", (T0 - 90) * S},
		{"2026-11-27T18:30:00Z", T0 * S},
		{"2026-11-27 18:30:00z", T0 * S},
		{"2026-11-27T19:30:00+01:00", T0 * S},
		{"2026-11-27T12:00:00-06:30", T0 * S},
		{"2026-11-27T18:30:00.25Z", T0 * S + S / 4},
		{"1970-01-01T00:00:00Z", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t ns = -1;

		cr_expect_eq(time__parse(cases[i].text, T0 * S, &ns), 0, "%s", cases[i].text);
		cr_expect_eq(ns, cases[i].ns, "%s: %lld", cases[i].text, (long long)ns);
	}
}

Test(times, what_is_none)
{
	static const char *const texts[] = {
		"",
		"3600",
		"yesterday",
		"-1h",
		"1x",
		"2026",
		"2026-11-27",
		"2026-13-27T18:30:00Z",
		"2026-11-27T18:30:00",
		"2026-11-27T18:30:00+1",
		"2026-11-27T18:30Z",
		"2026-11-27T25:30:00Z",
		"2026-11-27T18:30:00Zx",
		"2026-11-27T18:30:00.Z",
		"99999999999999999999h",
	};
	int64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		cr_expect_eq(time__parse(texts[i], T0 * S, &ns), -EINVAL, "%s", texts[i]);
}

Test(times, ranges)
{
	struct time_range r;

	cr_assert_eq(time_range__parse("3h..2h", T0 * S, &r), 0);
	cr_expect_eq(r.since_ns, (T0 - 3 * 3600) * S);
	cr_expect_eq(r.until_ns, (T0 - 2 * 3600) * S);
	cr_assert_eq(time_range__parse("1h..", T0 * S, &r), 0);
	cr_expect_eq(r.until_ns, INT64_MAX);
	cr_assert_eq(time_range__parse("..2026-11-27T18:30:00Z", T0 * S, &r), 0);
	cr_expect_eq(r.since_ns, INT64_MIN);
	cr_expect_eq(time_range__parse("2h..3h", T0 * S, &r), -ERANGE);
	cr_expect_eq(time_range__parse("now..now", T0 * S, &r), -ERANGE);
	cr_expect_eq(time_range__parse("..", T0 * S, &r), -EINVAL);
	cr_expect_eq(time_range__parse("3h", T0 * S, &r), -EINVAL);
}

Test(times, as_text)
{
	char text[TIME_TEXT];

	time__text(T0 * S + 999999999, text);
	cr_expect_str_eq(text, "2026-11-27T18:30:00Z");
}

/* ---------------------------------------------------------------- what is covered */

/* A minute each: the date, and the boot's own clock. */
static struct window_span span(const char *boot, uint64_t seq, int64_t date_s, uint64_t clock_s)
{
	struct window_span s = {
		.id.seq = seq,
		.begin_ns = clock_s * S,
		.end_ns = (clock_s + 60) * S,
		.time_ns = date_s * S,
		.duration_ns = 60 * S,
	};

	memcpy(s.id.boot, boot, sizeof(s.id.boot));
	return s;
}

static const struct time_range always = {INT64_MIN, INT64_MAX};

Test(coverage, windows_side_by_side_leave_no_gap)
{
	struct window_span spans[] = {span(BOOT_A, 1, T0 + 60, 160), span(BOOT_A, 0, T0, 100),
				      span(BOOT_A, 2, T0 + 120, 220)};
	_cleanup_(coverage__done) struct coverage c = {0};

	window_spans__sort(spans, 3);
	cr_expect_eq(spans[0].id.seq, 0);
	coverage__find(&c, spans, 3, &always);
	cr_expect_eq(c.n, 0);
}

Test(coverage, a_jump_of_the_date_is_no_gap)
{
	struct window_span spans[] = {span(BOOT_A, 0, T0, 100), span(BOOT_A, 1, T0 + 3660, 160)};
	_cleanup_(coverage__done) struct coverage c = {0};

	coverage__find(&c, spans, 2, &always);
	cr_expect_eq(c.n, 0);
}

Test(coverage, a_window_that_is_missing)
{
	struct window_span spans[] = {span(BOOT_A, 0, T0, 100), span(BOOT_A, 2, T0 + 120, 220)};
	_cleanup_(coverage__done) struct coverage c = {0};

	coverage__find(&c, spans, 2, &always);
	cr_assert_eq(c.n, 1);
	cr_expect_eq(c.gaps[0].from_ns, (T0 + 60) * S);
	cr_expect_eq(c.gaps[0].to_ns, (T0 + 120) * S);
	cr_expect_eq(c.gaps[0].span_ns, 60 * S);
	cr_expect_not(c.gaps[0].reboot);
}

Test(coverage, another_boot)
{
	struct window_span spans[] = {span(BOOT_A, 7, T0, 100), span(BOOT_B, 0, T0 + 90, 10)};
	_cleanup_(coverage__done) struct coverage c = {0};

	coverage__find(&c, spans, 2, &always);
	cr_assert_eq(c.n, 1);
	cr_expect(c.gaps[0].reboot);
	cr_expect_eq(c.gaps[0].span_ns, 30 * S);
}

Test(coverage, the_ends_of_the_range)
{
	struct window_span spans[] = {span(BOOT_A, 0, T0, 100)};
	const struct time_range range = {(T0 - 30) * S, (T0 + 200) * S};
	const struct time_range near = {T0 * S, (T0 + 110) * S};
	_cleanup_(coverage__done) struct coverage c = {0}, d = {0};

	coverage__find(&c, spans, 1, &range);
	cr_assert_eq(c.n, 2);
	cr_expect_eq(c.gaps[0].span_ns, 30 * S);
	cr_expect_eq(c.gaps[1].span_ns, 140 * S);
	coverage__find(&d, spans, 1, &near);
	cr_expect_eq(d.n, 0, "the next window may not be complete yet");
}

Test(coverage, what_overlaps)
{
	const struct window_span s = span(BOOT_A, 0, T0, 100);

	cr_expect(window_span__overlaps(&s, &always));
	cr_expect(window_span__overlaps(&s, &(struct time_range){(T0 + 59) * S, INT64_MAX}));
	cr_expect_not(window_span__overlaps(&s, &(struct time_range){(T0 + 60) * S, INT64_MAX}));
	cr_expect(window_span__overlaps(&s, &(struct time_range){INT64_MIN, (T0 + 1) * S}));
	cr_expect_not(window_span__overlaps(&s, &(struct time_range){INT64_MIN, T0 * S}));
}

/* ---------------------------------------------------------------- the folder */

static char *path;
static struct folder folder;
static struct folder_news news;

static void make(void)
{
	path = xstrdup("/tmp/pmb-spool.XXXXXX");
	cr_assert(mkdtemp(path));
}

static void unmake(void)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	folder__done(&folder);
	while (dir && (e = readdir(dir)))
		unlinkat(dirfd(dir), e->d_name, 0);
	cleanup_closedir(&dir);
	rmdir(path);
	free(path);
}

TestSuite(folder, .init = make, .fini = unmake, .timeout = 60);

static void begin(uint64_t max_bytes)
{
	struct err err;
	int dir = folder__open(path, &err);

	cr_assert_geq(dir, 0, "%s", err.text);
	news = (struct folder_news){0};
	cr_assert_eq(folder__begin(&folder, dir, &(struct retention){.max_bytes = max_bytes},
				   &news),
		     0);
}

static int put(uint64_t seq, size_t bytes)
{
	_cleanup_close_ int text = memfd_create("text", 0);

	cr_assert_eq(ftruncate(text, (off_t)bytes), 0);
	return folder__put(&folder, seq, text, 0, &news);
}

static bool is_there(uint64_t seq)
{
	struct window_id id = {.seq = seq};
	char name[WINDOW_NAME_SIZE];

	memcpy(id.boot, folder.boot, sizeof(id.boot));
	window_name(&id, name);
	return faccessat(folder.dir, name, F_OK, 0) == 0;
}

Test(folder, numbers_go_on)
{
	begin(0);
	cr_expect_eq(news.next_seq, 0);
	cr_expect_eq(put(0, 10), 0);
	cr_expect_eq(put(1, 10), 0);
	cr_expect_eq(put(1, 10), -EEXIST, "what is there is never replaced");
	folder__done(&folder);
	begin(0);
	cr_expect_eq(news.next_seq, 2);
	cr_expect_eq(news.windows, 2);
}

Test(folder, never_holds_more_than_it_may)
{
	begin(40960); /* ten blocks */
	for (uint64_t i = 0; i < 12; i++) {
		cr_expect_eq(put(i, 8192), 0);
		cr_expect_leq(news.bytes + TURN_BYTES, 40960);
	}
	cr_expect_eq(news.over, 8);
	cr_expect_not(is_there(7));
	cr_expect(is_there(8));
	cr_expect_eq(put(12, 36865), -EFBIG);
	cr_expect_eq(news.windows, 4, "nothing goes for what never fits");
	folder__done(&folder);
	begin(12288);
	cr_expect_eq(news.windows, 1, "a bound that is smaller now");
	cr_expect(is_there(11));
}

Test(folder, leftovers_go_and_others_files_stay)
{
	static const char left[] = "." BOOT_A "-0000000042.pb.gz.part";
	struct stat st;
	int fd;

	begin(0);
	fd = openat(folder.dir, left, O_CREAT | O_WRONLY, 0600);
	close(fd);
	fd = openat(folder.dir, "notes.txt", O_CREAT | O_WRONLY, 0600);
	close(fd);
	folder__done(&folder);
	begin(1);
	cr_expect_eq(news.leftovers, 1);
	cr_expect_lt(fstatat(folder.dir, left, &st, 0), 0);
	cr_expect_eq(fstatat(folder.dir, "notes.txt", &st, 0), 0);
}

static int replace(struct folder *f, uint64_t seq, size_t bytes, struct folder_news *what)
{
	_cleanup_close_ int text = memfd_create("text", 0);
	struct window_id id = {.seq = seq};

	memcpy(id.boot, folder.boot, sizeof(id.boot));
	cr_assert_eq(ftruncate(text, (off_t)bytes), 0);
	return folder__replace(f, &id, text, what);
}

static int join(struct folder *f)
{
	struct err err;
	int dir = folder__open_there(path, &err);

	cr_assert_geq(dir, 0, "%s", err.text);
	return folder__join(f, dir);
}

static uint64_t bytes_there(void)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	uint64_t sum = 0;
	struct stat st;

	while ((e = readdir(dir))) {
		if (fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
			sum += ((uint64_t)st.st_size + 4095) / 4096 * 4096;
	}
	closedir(dir);
	return sum;
}

/* The writer and who rewrites each know what the other one did. */
Test(folder, windows_are_replaced_beside_their_writer)
{
	struct folder other;
	struct folder_news what = {0};
	struct stat before, after;
	char name[WINDOW_NAME_SIZE];

	begin(40960);
	for (uint64_t i = 0; i < 4; i++)
		cr_assert_eq(put(i, 8192), 0);
	cr_assert_eq(join(&other), 0);
	window_name(&(struct window_id){BOOT_A, 3}, name);
	memcpy(name, folder.boot, BOOT_ID_SIZE - 1);
	cr_assert_eq(fstatat(folder.dir, name, &before, 0), 0);
	cr_expect_eq(replace(&other, 3, 16384, &what), 0, "it takes two, and then one, away");
	cr_expect_eq(what.over, 2);
	cr_expect_not(is_there(1));
	cr_expect(is_there(2));
	cr_assert_eq(fstatat(folder.dir, name, &after, 0), 0);
	cr_expect_eq(after.st_size, 16384);
	cr_expect_eq(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec, "its date stays");
	cr_expect_eq(bytes_there(), 8192 + 16384 + 4096);
	cr_expect_eq(put(4, 8192), 0);
	cr_expect_eq(put(5, 8192), 0);
	cr_expect_leq(bytes_there(), 40960);
	cr_expect_not(is_there(2), "the writer knows that one has grown");
	cr_expect_eq(replace(&other, 0, 8192, &what), -ENOENT, "nothing comes back");
	cr_expect_not(is_there(0));
	cr_expect_eq(replace(&other, 3, 24576, &what), -EFBIG);
	cr_expect_eq(replace(&other, 5, 8192, &what), 0);
	cr_expect_leq(bytes_there(), 40960);
	folder__done(&other);
}

Test(folder, who_is_killed_gives_up_its_turn)
{
	struct folder other;
	struct folder_news what = {0};

	begin(0);
	cr_assert_eq(put(0, 8192), 0);
	cr_assert_eq(join(&other), 0);
	cr_assert_eq(turn__take(&other.turn, 0), 0);
	cr_expect_eq(put(1, 8192), -EBUSY);
	folder__done(&other);
	cr_expect_eq(put(1, 8192), 0);
	cr_assert_eq(join(&other), 0);
	cr_expect_eq(replace(&other, 1, 4096, &what), 0);
	folder__done(&other);
}

/* One of an older version takes no turns. */
Test(folder, writers_without_turns)
{
	struct folder other;

	begin(0);
	cr_assert_eq(unlinkat(folder.dir, ".turn", 0), 0);
	cr_expect_eq(join(&other), -EBUSY);
	folder__done(&other);
	folder__done(&folder);
	cr_expect_eq(join(&other), 0, "a copy, of which there is no agent");
	folder__done(&other);
	begin(0);
}

Test(folder, has_one_writer_and_no_strangers)
{
	struct err err;
	int second;

	begin(0);
	second = folder__open(path, &err);
	cr_expect_eq(second, -EBUSY);
	cr_expect(strstr(err.text, "another agent"), "%s", err.text);
	folder__done(&folder);
	cr_assert_eq(chmod(path, 0720), 0);
	cr_expect_eq(folder__open(path, &err), -EPERM);
	cr_expect(strstr(err.text, "others may write"), "%s", err.text);
	cr_assert_eq(chmod(path, 0755), 0);
	second = folder__open(path, &err);
	cr_expect_geq(second, 0);
	close(second);
}
