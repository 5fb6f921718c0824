// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/cpus.h"

static void expect_list(const char *text, int n, const int *want)
{
	struct cpus cpus = {0};

	cr_assert_eq(cpus__parse(text, &cpus), 0, "%s", text);
	cr_assert_eq(cpus.n, n, "%s", text);
	for (int i = 0; i < n; i++)
		cr_expect_eq(cpus.cpu[i], want[i], "%s", text);
	cpus__done(&cpus);
	cr_expect_null(cpus.cpu);
}

static void expect_error(const char *text, int error)
{
	struct cpus cpus = {0};

	cr_expect_eq(cpus__parse(text, &cpus), error, "'%s'", text);
	cr_expect_null(cpus.cpu, "'%s'", text);
	cr_expect_eq(cpus.n, 0);
}

Test(cpus, lists_as_the_kernel_writes_them)
{
	expect_list("0", 1, (int[]){0});
	expect_list("0\n", 1, (int[]){0});
	expect_list("0-3,8\n", 5, (int[]){0, 1, 2, 3, 8});
	expect_list("5-5", 1, (int[]){5});
	expect_list("65535", 1, (int[]){65535});
}

Test(cpus, sorted_and_distinct_however_written)
{
	expect_list("8,0-2,1-3,8", 5, (int[]){0, 1, 2, 3, 8});
}

Test(cpus, what_is_no_list)
{
	expect_error("", -EINVAL);
	expect_error("\n", -EINVAL);
	expect_error(",", -EINVAL);
	expect_error("1,", -EINVAL);
	expect_error("1,,2", -EINVAL);
	expect_error("1-", -EINVAL);
	expect_error("-1", -EINVAL);
	expect_error("1-2-3", -EINVAL);
	expect_error(" 1", -EINVAL);
	expect_error("1 ", -EINVAL);
	expect_error("1\n\n", -EINVAL);
	expect_error("0x1", -EINVAL);
	expect_error("all", -EINVAL);
}

Test(cpus, ranges_are_bounded)
{
	expect_error("3-1", -ERANGE);
	expect_error("65536", -ERANGE);
	expect_error("0-4294967295", -ERANGE);
	expect_error("99999999999999999999999", -EINVAL);
}

Test(cpus, membership)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};

	cpus__parse("1-3,8", &cpus);
	cr_expect(cpus__has(&cpus, 1));
	cr_expect(cpus__has(&cpus, 8));
	cr_expect(!cpus__has(&cpus, 0));
	cr_expect(!cpus__has(&cpus, 5));
	cr_expect(!cpus__has(&cpus, -1));
}

Test(cpus, this_machine)
{
	_cleanup_(cpus__done) struct cpus cpus = {0};
	struct err err;

	cr_assert_eq(cpus__online(&cpus, &err), 0);
	cr_expect_eq(cpus.n, sysconf(_SC_NPROCESSORS_ONLN));
	cr_expect_gt(cpus_possible(), cpus.cpu[cpus.n - 1]);
}

Test(cpus, both)
{
	struct cpus a, b, both;

	cr_assert_eq(cpus__parse("0-3,8", &a), 0);
	cr_assert_eq(cpus__parse("2-8", &b), 0);
	cpus__both(&a, &b, &both);
	cr_expect(both.n == 3 && both.cpu[0] == 2 && both.cpu[1] == 3 && both.cpu[2] == 8);
	cpus__done(&both);
	cpus__done(&b);
	cr_assert_eq(cpus__parse("4-7", &b), 0);
	cpus__both(&a, &b, &both);
	cr_expect_eq(both.n, 0);
	cpus__done(&both);
	cpus__done(&a);
	cpus__done(&b);
}
