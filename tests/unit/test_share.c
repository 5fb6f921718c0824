// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One window of several for all of them: which one, what it weighs then, and what is said of it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "cmd/share_arg.h"
#include "prof_build.h"
#include "ship/binary.h"
#include "ship/rows.h"

enum { WINDOWS = 2000 };

static struct prof *p;

static void begin(void)
{
	p = build_clock_and_misses();
	prof__comment(p, "pmubpf: 1");
	BUILD_SAMPLE(p, "f,main", build_labels(p, 1, "a"), 3, 5000, 0);
	BUILD_SAMPLE(p, "g,main", build_labels(p, 1, "a"), 0, 0, 7);
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(share, .init = begin, .fini = end);

/* Of all rows: samples, weight and time, which are the last three numbers of each. */
static void add_values(const struct rows *r, int64_t sums[3])
{
	for (size_t i = 0; i < rows__samples(r); i++) {
		_cleanup_(buf__done) struct buf row = {0};
		uint64_t values[3];

		rows__put_samples(r, i, i + 1, 1, &row);
		memcpy(values, row.data + row.len - sizeof(values), sizeof(values));
		for (int v = 0; v < 3; v++)
			sums[v] += (int64_t)values[v];
	}
}

static bool says_so(const struct rows *r, const char *text)
{
	_cleanup_(buf__done) struct buf row = {0};

	rows__put_window(r, &row);
	return memmem(row.data, row.len, text, strlen(text)) != NULL;
}

/* How many of the windows have rows, and what these add up to. */
static size_t shared(unsigned one_of, const char *host, int64_t sums[3])
{
	size_t n = 0;

	for (uint64_t seq = 0; seq < WINDOWS; seq++) {
		const struct rows_window window = {host, "00112233445566778899aabbccddeeff", seq};
		struct rows *r = rows__new(p, &window, &(struct rows_opts){.one_of = one_of});

		n += rows__samples(r) > 0;
		cr_expect_eq(rows__stacks(r) > 0, rows__samples(r) > 0);
		cr_expect_eq(says_so(r, "counts for all of them"), one_of > 1);
		cr_expect(says_so(r, "pmubpf: 1"));
		add_values(r, sums);
		rows__free(r);
	}
	return n;
}

Test(share, all_of_them)
{
	int64_t sums[3] = {0};

	cr_expect_eq(shared(0, "h", sums), WINDOWS);
	cr_expect_eq(shared(1, "h", sums), WINDOWS);
	cr_expect_eq(sums[0], 2 * WINDOWS * 3);
	cr_expect_eq(sums[1], 2 * WINDOWS * 7);
	cr_expect_eq(sums[2], 2 * WINDOWS * 5000);
}

Test(share, one_of_ten)
{
	int64_t sums[3] = {0};
	size_t n = shared(10, "h", sums);

	/* four sigmas of 200 */
	cr_expect(n > 146 && n < 254, "%zu", n);
	cr_expect_eq(sums[0], (int64_t)n * 10 * 3);
	cr_expect_eq(sums[1], (int64_t)n * 10 * 7);
	cr_expect_eq(sums[2], (int64_t)n * 10 * 5000);
}

/* Not all hosts at the same times. */
Test(share, hosts_differ)
{
	size_t both = 0;

	for (uint64_t seq = 0; seq < WINDOWS; seq++) {
		const struct rows_window a = {"a", "b", seq}, b = {"c", "b", seq};

		both += rows_window__hash(&a) % 10 == 0 && rows_window__hash(&b) % 10 == 0;
	}
	cr_expect_lt(both, 40);
}

static int parse(const char *text, unsigned *ret)
{
	struct err err = {0};

	return share_arg__parse(text, ret, &err);
}

Test(share, percents)
{
	static const char *const bad[] = {"0", "101", "30%", "3", "-1", "", "10 %", "10%%", "x"};
	unsigned n = 0;

	cr_expect_eq(parse("10%", &n), 0);
	cr_expect_eq(n, 10);
	cr_expect_eq(parse("4", &n), 0);
	cr_expect_eq(n, 25);
	cr_expect_eq(parse("100%", &n), 0);
	cr_expect_eq(n, 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_eq(parse(bad[i], &n), -EINVAL, "%s", bad[i]);
}
