// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "base/mem.h"
#include "base/num.h"

#define UNTOUCHED 4711

struct vector {
	const char *text;
	int ret;
	uint64_t value;
};

static void run(int (*parse)(const char *, uint64_t *), const struct vector *vectors, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct vector *v = &vectors[i];
		uint64_t value = UNTOUCHED;

		cr_expect_eq(parse(v->text, &value), v->ret, "'%s'", v->text);
		cr_expect_eq(value, v->ret < 0 ? UNTOUCHED : v->value, "'%s' gave %" PRIu64,
			     v->text, value);
	}
}

Test(num, f64)
{
	static const struct {
		const char *text;
		int ret;
		double value;
	} vectors[] = {
		{"0", 0, 0},
		{"1", 0, 1},
		{"2.3283064365386962890625e-10", 0, 0x1p-32},
		{"6.103515625e-5", 0, 0x1p-14},
		{"1E3", 0, 1000},
		{".5", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1e", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"1e999", -ERANGE, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		double value = UNTOUCHED;

		cr_expect_eq(num__parse_f64(vectors[i].text, &value), vectors[i].ret, "'%s'",
			     vectors[i].text);
		cr_expect(value == (vectors[i].ret < 0 ? UNTOUCHED : vectors[i].value),
			  "'%s' gave %g", vectors[i].text, value);
	}
}

Test(num, u64)
{
	static const struct vector vectors[] = {
		{"0", 0, 0},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"0x0", 0, 0},
		{"0XfF", 0, 255},
		{"0xffffffffffffffff", 0, UINT64_MAX},
		{"0x10000000000000000", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"f", -EINVAL, 0},
		{"0x1g", -EINVAL, 0},
	};

	run(num__parse_u64, vectors, ARRAY_SIZE(vectors));
}

Test(num, hex)
{
	static const struct vector vectors[] = {
		{"0", 0, 0},
		{"1a2", 0, 0x1a2},
		{"FFFFffffFFFFffff", 0, UINT64_MAX},
		{"10000000000000000", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"0x1", -EINVAL, 0},
		{"g", -EINVAL, 0},
	};

	run(num__parse_hex, vectors, ARRAY_SIZE(vectors));
}

static int parse_seconds(const char *text, uint64_t *ret)
{
	return num__parse_time(text, 1000000000, ret);
}

Test(num, seconds)
{
	static const struct vector vectors[] = {
		{"1", 0, 1000000000},
		{"0.25", 0, 250000000},
		{".5", 0, 500000000},
		{"10.", 0, 10000000000},
		{"0.000000001", 0, 1},
		{"1.0000000019", 0, 1000000001},
		{"0", -EINVAL, 0},
		{"0.0", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"1s", 0, 1000000000},
		{"99999999999999", -ERANGE, 0},
		{"500ms", 0, 500000000},
		{"1.5us", 0, 1500},
		{"2m", 0, 120000000000},
		{".5h", 0, 1800000000000},
		{"ms", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1msx", -EINVAL, 0},
		{"0.0001us", -EINVAL, 0},
		{"9999999999h", -ERANGE, 0},
		{"1.5d", 0, 129600000000000},
	};

	run(parse_seconds, vectors, ARRAY_SIZE(vectors));
}

Test(num, size)
{
	static const struct vector vectors[] = {
		{"0", 0, 0},        {"7B", 0, 7},          {"4K", 0, 4096},
		{"3M", 0, 3 << 20}, {"2G", 0, 2ULL << 30}, {"17179869184G", -ERANGE, 0},
		{"1T", -EINVAL, 0}, {"1KB", -EINVAL, 0},   {"K", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	run(num__parse_size, vectors, ARRAY_SIZE(vectors));
}

Test(num, int_within_bounds)
{
	int value = UNTOUCHED;

	cr_expect_eq(num__parse_int("5", 6, 10, &value), -ERANGE);
	cr_expect_eq(num__parse_int("11", 6, 10, &value), -ERANGE);
	cr_expect_eq(num__parse_int("2147483648", 0, INT_MAX, &value), -ERANGE);
	cr_expect_eq(num__parse_int("-1", -5, 10, &value), -EINVAL);
	cr_expect_eq(num__parse_int("0x5", 0, 10, &value), -EINVAL);
	cr_expect_eq(value, UNTOUCHED);
	cr_expect_eq(num__parse_int("6", 6, 10, &value), 0);
	cr_expect_eq(value, 6);
	cr_expect_eq(num__parse_int("2147483647", 0, INT_MAX, &value), 0);
	cr_expect_eq(value, INT_MAX);
}

Test(num, take_advances_only_over_digits)
{
	const char *p = "12ab-", *none = "-1", *large = "99999999999999999999";
	uint64_t value = 0;

	cr_expect(num__take_u64(&p, &value));
	cr_expect_eq(value, 12);
	cr_expect(num__take_hex(&p, &value));
	cr_expect_eq(value, 0xab);
	cr_expect_str_eq(p, "-");
	cr_expect_not(num__take_u64(&none, &value));
	cr_expect_str_eq(none, "-1");
	cr_expect_not(num__take_u64(&large, &value));
	cr_expect_eq(strlen(large), 20);
}

Test(num, primes)
{
	static const uint64_t primes[] = {2, 3, 5, 101, 10007, 2000003, 4294967291};
	static const uint64_t others[] = {0, 1, 4, 9, 100, 10001, 2000001, 4294967295};

	for (size_t i = 0; i < ARRAY_SIZE(primes); i++)
		cr_expect(num__is_prime(primes[i]), "%" PRIu64, primes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(num__is_prime(others[i]), "%" PRIu64, others[i]);
}

Test(num, a_part_in_percent)
{
	cr_expect_float_eq(num__percent(1, 4), 25, 1e-9);
	cr_expect_float_eq(num__percent(UINT64_MAX, UINT64_MAX), 100, 1e-9);
	cr_expect_eq(num__percent(0, 0), 0);
}
