// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * circles [SECONDS=1]: functions whose stacks point into themselves while they spin.
 *
 * Known answer: the time is shared equally, as a leaf, between to_itself (its saved frame pointer
 * is where it is stored), to_each_other (two frames that name each other), to_nowhere (an address
 * that nothing is mapped at), downwards (a frame below the stack pointer) and returns_to_itself
 * (its return address is in itself).
 */
#include "spin.h"

#define FRAME ((volatile uintptr_t *)__builtin_frame_address(0))
/* Another frame pointer, or another return address, for as long as the work takes. */
#define SPIN_WITH(slot, value)                       \
	do {                                         \
		volatile uintptr_t *frame = FRAME;   \
		uintptr_t kept = frame[slot];        \
                                                     \
		frame[slot] = (uintptr_t)(value);    \
		for (int i = 0; i < 1000; i++)       \
			burn(100);                   \
		frame[slot] = kept;                  \
		__asm__ volatile("" : : : "memory"); \
	} while (0)

WORK static void to_itself(void)
{
	SPIN_WITH(0, frame);
}

WORK static void to_each_other(void)
{
	volatile uintptr_t other[2] = {(uintptr_t)FRAME, (uintptr_t)to_itself};

	SPIN_WITH(0, other);
}

WORK static void to_nowhere(void)
{
	SPIN_WITH(0, 0x7f0000001000);
}

WORK static void downwards(void)
{
	SPIN_WITH(0, (uintptr_t)frame - 65536);
}

WORK static void returns_to_itself(void)
{
	SPIN_WITH(1, (uintptr_t)returns_to_itself + 16);
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);

	while (thread_cpu_ns() < end_ns) {
		to_itself();
		to_each_other();
		to_nowhere();
		downwards();
		returns_to_itself();
	}
	return 0;
}
