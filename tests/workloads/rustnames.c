// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rustnames [SECONDS=1]: names as rustc mangles them, without rustc.
 *
 * Known answer: the leaves, about a third each
 *   v0      _RNvNtCs1234_7mycrate3foo4spin                 mycrate::foo::spin
 *   v0      _RINvNtCs1234_7mycrate3foo3genmE               mycrate::foo::gen::<u32>
 *   legacy  _ZN7mycrate3bar4spin17h0123456789abcdefE       mycrate::bar::spin, without its hash
 * stdout: "spin NS generic NS legacy NS": the CPU time of each as this thread's clock saw it.
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

static uint64_t ns[3];

WORK static void mix(void)
{
	uint64_t rounds = 10000 * jitter();
	uint64_t t[4];

	t[0] = thread_cpu_ns();
	v0_spin(rounds);
	t[1] = thread_cpu_ns();
	v0_generic(rounds);
	t[2] = thread_cpu_ns();
	legacy_spin(rounds);
	t[3] = thread_cpu_ns();
	for (int i = 0; i < 3; i++)
		ns[i] += t[i + 1] - t[i];
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);

	while (thread_cpu_ns() < end_ns)
		mix();
	printf("spin %llu generic %llu legacy %llu\n", (unsigned long long)ns[0],
	       (unsigned long long)ns[1], (unsigned long long)ns[2]);
	return 0;
}
