// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * unoptimised [MS=400]: a vector that is added up by code without optimisation.
 *
 * Known answer: most of it is in functions of <vector>, which are calls.
 */
#pragma GCC optimize("O0")
#include <cstdlib>
#include <ctime>
#include <vector>

static long add_up(const std::vector<long> &numbers)
{
	long sum = 0;

	for (std::vector<long>::const_iterator i = numbers.begin(); i != numbers.end(); ++i)
		sum += *i;
	for (size_t i = 0; i < numbers.size(); i++)
		sum += numbers[i];
	return sum;
}

int main(int argc, char **argv)
{
	clock_t end = (argc > 1 ? strtol(argv[1], nullptr, 10) : 400) * (CLOCKS_PER_SEC / 1000);
	std::vector<long> numbers(1000, 1);
	long sum = 0;

	while (clock() < end)
		sum += add_up(numbers);
	return sum == 1;
}
