// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static int take(const char **p, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;
	const char *s = *p;

	if (digit_value(*s) >= (int)base)
		return -EINVAL;
	for (; digit_value(*s) < (int)base; s++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_value(*s), &value))
			return -ERANGE;
	}
	*ret = value;
	*p = s;
	return 0;
}

static int parse_whole(const char *text, unsigned base, uint64_t *ret)
{
	uint64_t value;
	int r = take(&text, base, &value);

	if (r < 0)
		return r;
	if (*text)
		return -EINVAL;
	*ret = value;
	return 0;
}

int num__parse_u64(const char *text, uint64_t *ret)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_whole(text + 2, 16, ret);
	return parse_whole(text, 10, ret);
}

int num__parse_hex(const char *text, uint64_t *ret)
{
	return parse_whole(text, 16, ret);
}

int num__parse_int(const char *text, int min, int max, int *ret)
{
	uint64_t value;
	int r = parse_whole(text, 10, &value);

	if (r < 0)
		return r;
	if (value > (uint64_t)max || (min > 0 && value < (uint64_t)min))
		return -ERANGE;
	*ret = (int)value;
	return 0;
}

/* What a time's suffix means, in ns; unit: there is none. 0: it isn't one. */
static uint64_t time_unit(const char *suffix, uint64_t unit)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = {{"us", 1000},
		     {"ms", 1000000},
		     {"s", 1000000000},
		     {"m", 60 * 1000000000ULL},
		     {"h", 3600 * 1000000000ULL},
		     {"d", 24 * 3600 * 1000000000ULL}};

	if (!*suffix)
		return unit;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(suffix, units[i].suffix) == 0)
			return units[i].ns;
	}
	return 0;
}

int num__parse_time(const char *text, uint64_t unit_ns, uint64_t *ret_ns)
{
	uint64_t whole = 0, ns, scale;
	const char *fraction = NULL;
	bool digits = *text != '.';

	if (digits && take(&text, 10, &whole) < 0)
		return -EINVAL;
	if (*text == '.') {
		fraction = ++text;
		while (digit_value(*text) < 10)
			text++;
		digits |= text > fraction;
	}
	scale = time_unit(text, unit_ns);
	if (!scale || !digits)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, scale, &ns))
		return -ERANGE;
	for (; fraction && digit_value(*fraction) < 10; fraction++) {
		scale /= 10;
		if (__builtin_add_overflow(ns, (uint64_t)digit_value(*fraction) * scale, &ns))
			return -ERANGE;
	}
	if (!ns)
		return -EINVAL;
	*ret_ns = ns;
	return 0;
}

int num__parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char suffixes[] = "BKMG";
	const char *suffix;
	uint64_t value;
	unsigned shift = 0;
	int r = take(&text, 10, &value);

	if (r < 0)
		return r;
	if (*text) {
		suffix = strchr(suffixes, *text);
		if (!suffix || text[1])
			return -EINVAL;
		shift = 10 * (unsigned)(suffix - suffixes);
	}
	if (value << shift >> shift != value)
		return -ERANGE;
	*ret_bytes = value << shift;
	return 0;
}

bool num__take_u64(const char **p, uint64_t *ret)
{
	return take(p, 10, ret) == 0;
}

bool num__take_hex(const char **p, uint64_t *ret)
{
	return take(p, 16, ret) == 0;
}

static uint64_t power_mod(uint64_t base, uint64_t exponent, uint64_t mod)
{
	unsigned __int128 result = 1, b = base % mod;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = result * b % mod;
		b = b * b % mod;
	}
	return (uint64_t)result;
}

/* Miller and Rabin's test: whether n, which is odd, may be prime as far as this base can tell. */
static bool passes_for(uint64_t n, uint64_t base)
{
	int twos = __builtin_ctzll(n - 1);
	uint64_t x = power_mod(base, (n - 1) >> twos, n);

	if (x == 1 || x == n - 1)
		return true;
	while (--twos > 0) {
		x = power_mod(x, 2, n);
		if (x == n - 1)
			return true;
	}
	return false;
}

/* These bases leave no doubt below 2^64 (Sorenson and Webster, 2015). */
bool num__is_prime(uint64_t n)
{
	static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		if (n % bases[i] == 0)
			return n == bases[i];
	}
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		if (n < 2 || !passes_for(n, bases[i]))
			return false;
	}
	return true;
}

uint64_t num__next_prime(uint64_t n)
{
	for (uint64_t p = n < 2 ? 2 : n; p; p++) {
		if (num__is_prime(p))
			return p;
	}
	return n;
}

int num__parse_f64(const char *text, double *ret)
{
	double value;
	char *end;

	if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || digit_value(*text) > 9)
		return -EINVAL;
	value = strtod(text, &end); /* this program sets no locale: the point is a point */
	if (*end)
		return -EINVAL;
	if (!isfinite(value))
		return -ERANGE;
	*ret = value;
	return 0;
}

double num__percent(double part, double all)
{
	return all != 0 ? 100 * part / all : 0;
}
