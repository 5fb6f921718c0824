// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cxxnames [SECONDS=1]: names as C++ mangles them.
 *
 * Known answer: the leaves are, in equal parts, outer::inner::spin<int, 3>, the same in <long, 5>,
 * and outer::Engine::operator() and outer::operator<<, each demangled with its parameters.
 */
#include "spin.h"

namespace outer {
namespace inner {

template <typename T, int N> WORK T spin(T rounds)
{
	burn(static_cast<uint64_t>(rounds));
	return N;
}

} // namespace inner

struct Engine {
	WORK void operator()(uint64_t rounds) const;
};

void Engine::operator()(uint64_t rounds) const
{
	burn(rounds);
}

WORK const Engine &operator<<(const Engine &e, uint64_t rounds)
{
	burn(rounds);
	return e;
}

WORK static void mix(const Engine &e)
{
	uint64_t rounds = 10000 * jitter();

	inner::spin<int, 3>(static_cast<int>(rounds));
	inner::spin<long, 5>(static_cast<long>(rounds));
	e(rounds);
	e << rounds;
	__asm__ volatile("");
}

} // namespace outer

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + static_cast<uint64_t>(arg_num(argc, argv, 1, 1) * 1e9);
	outer::Engine e;

	while (thread_cpu_ns() < end_ns)
		outer::mix(e);
	return 0;
}
