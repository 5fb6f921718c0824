// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * throwing: exceptions that leave a function whose jumps are probed. Waits for a line, calls it
 * 4,000 times, of which 1,000 throw, and says how many did; then waits for the end of its input.
 */
#include <cstdio>
#include <stdexcept>

namespace app
{

__attribute__((noipa)) int risky(int x)
{
	if (__builtin_expect(x % 4 == 0, 0))
		throw std::runtime_error("every fourth");
	return x + 1;
}

__attribute__((noipa)) int risky(long x, long y)
{
	return x > y ? 1 : 2;
}

template <typename T> __attribute__((noipa)) int pick(T x)
{
	int n = 0;

	for (T i = 0; i < x; i++)
		n += i & 1;
	return n ? 1 : 2;
}

template int pick<int>(int);

} // namespace app

int main()
{
	char line[64];
	int caught = 0, sum = 0;

	if (!std::fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < 4000; i++) {
		try {
			sum += app::risky(i) > 0;
		} catch (const std::runtime_error &) {
			caught++;
		}
	}
	std::printf("caught %d sum %d %d\n", caught, sum, app::risky(1L, 2L) + app::pick(8));
	std::fflush(stdout);
	while (std::fgets(line, sizeof(line), stdin))
		;
	return 0;
}
