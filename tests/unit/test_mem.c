// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When memory is refused the reserve is given up, then the last of it, then all ends. */
#include "base/mem.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "address_room.h"
#include "pmubpf/budgets.h"

enum { MIB = 1024 * 1024, LAST_MIB = 4, SOME_MIB = 8 };

/* So much of it, in MiB, until something becomes of it. */
static size_t use_up(enum mem_state before)
{
	size_t n = 0;

	for (; mem_state() == before; n++)
		xcalloc(1, MIB);
	return n;
}

Test(mem, a_reserve_is_given_up_and_held_again, .disabled = NEVER_SHORT)
{
	mem_hold();
	cr_expect_eq(mem_state(), MEM_HELD);
	cr_expect_eq(mem_times_short(), 0);
	bound_address_room((size_t)SOME_MIB * MIB);
	cr_expect_leq(use_up(MEM_HELD), SOME_MIB + 1);
	cr_expect_eq(mem_state(), MEM_SHORT);
	cr_expect_eq(mem_times_short(), 1);
	mem_hold(); /* what there is is enough for half of it, and as much besides */
	cr_expect_eq(mem_state(), MEM_HELD);
	cr_expect_geq(use_up(MEM_HELD), BUDGET_SPARE_MIB / 4);
	cr_expect_eq(mem_times_short(), 2);
	cr_expect_geq(use_up(MEM_SHORT), BUDGET_SPARE_MIB / 8);
	cr_expect_eq(mem_state(), MEM_OUT);
	for (int i = 0; i < LAST_MIB - 2; i++)
		xcalloc(1, MIB); /* what is left is for the end */
}

Test(mem, what_was_there_stays, .disabled = NEVER_SHORT)
{
	size_t n = 0, cap = 0;
	uint32_t *numbers = NULL;

	mem_hold();
	bound_address_room((size_t)SOME_MIB * MIB);
	while (mem_state() == MEM_HELD) {
		GROW(numbers, n, cap);
		numbers[n] = (uint32_t)n;
		n++;
	}
	cr_expect_geq(n, MIB);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(numbers[i], i);
}

Test(mem, without_a_reserve_it_ends, .exit_code = 1, .disabled = NEVER_SHORT)
{
	bound_address_room((size_t)SOME_MIB * MIB);
	for (int i = 0; i <= 2 * SOME_MIB; i++)
		xcalloc(1, MIB);
}

Test(mem, with_all_used_up_it_ends, .exit_code = 1, .disabled = NEVER_SHORT)
{
	mem_hold();
	bound_address_room((size_t)SOME_MIB * MIB);
	for (int i = 0; i <= 2 * (SOME_MIB + BUDGET_SPARE_MIB + LAST_MIB); i++)
		xcalloc(1, MIB);
}
