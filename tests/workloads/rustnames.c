// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rustnames [SECONDS=1]: names as rustc mangles them, without rustc.
 *
 * Known answer: the leaves are in equal parts
 *   v0      _RNvNtCs1234_7mycrate3foo4spin                 mycrate::foo::spin
 *   v0      _RINvNtCs1234_7mycrate3foo3genmE               mycrate::foo::gen::<u32>
 *   legacy  _ZN7mycrate3bar4spin17h0123456789abcdefE       mycrate::bar::spin, without its hash
 */
#include "spin.h"

WORK void v0_spin(uint64_t rounds) __asm__("_RNvNtCs1234_7mycrate3foo4spin");
WORK void v0_generic(uint64_t rounds) __asm__("_RINvNtCs1234_7mycrate3foo3genmE");
WORK void legacy_spin(uint64_t rounds) __asm__("_ZN7mycrate3bar4spin17h0123456789abcdefE");

void v0_spin(uint64_t rounds)
{
	burn(rounds);
}

void v0_generic(uint64_t rounds)
{
	burn(rounds);
}

void legacy_spin(uint64_t rounds)
{
	burn(rounds);
}

WORK static void mix(void)
{
	uint64_t rounds = 10000 * jitter();

	v0_spin(rounds);
	v0_generic(rounds);
	legacy_spin(rounds);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);

	while (thread_cpu_ns() < end_ns)
		mix();
	return 0;
}
