// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What CPUs get of the kernel's memory, by their number. */
#include <criterion/criterion.h>
#include <unistd.h>

#include "collect/room.h"

enum { DUMP = 70000, SIDEBAND = 384 * 1024 };

Test(room, few_cpus_have_full_rings)
{
	cr_expect_eq(room_ring_bytes(1), ROOM_RING_BYTES);
	cr_expect_eq(room_ring_bytes(192), ROOM_RING_BYTES);
}

Test(room, rings_together_have_a_bound)
{
	for (int n = 1; n <= 3072 && sysconf(_SC_PAGESIZE) <= ROOM_RING_LEAST; n++) {
		size_t bytes = room_ring_bytes(n);

		cr_assert_leq(bytes * (size_t)n, ROOM_RINGS_BYTES, "%d CPUs", n);
		cr_assert_eq(bytes & (bytes - 1), 0, "%d CPUs", n);
		/* and no smaller than that wants */
		cr_assert(bytes == ROOM_RING_BYTES || 2 * bytes * (size_t)n > ROOM_RINGS_BYTES);
	}
	cr_expect_eq(room_ring_bytes(256), ROOM_RING_BYTES / 2);
	cr_expect_eq(room_ring_bytes(1024), ROOM_RING_BYTES / 8);
}

Test(room, a_ring_has_room_for_a_few_records)
{
	cr_expect_geq(room_ring_bytes(65536), ROOM_RING_LEAST);
}

Test(room, dumps_are_for_cpus_that_are_here_or_may_come)
{
	cr_expect_eq(room_dumps(1, 2, DUMP), 2);
	cr_expect_eq(room_dumps(1, 256, DUMP), 10);
	cr_expect_eq(room_dumps(254, 256, DUMP), 256);
	cr_expect_leq((size_t)room_dumps(65535, 65536, DUMP) * DUMP, ROOM_DUMPS_BYTES);
}

Test(room, sideband_rings_are_halved)
{
	cr_expect_eq(room_sideband_halvings(SIDEBAND, 2, 4), 0);
	cr_expect_eq(room_sideband_halvings(SIDEBAND, 170, 4), 0);
	cr_expect_eq(room_sideband_halvings(SIDEBAND, 171, 4), 1);
	cr_expect_eq(room_sideband_halvings(SIDEBAND, 1024, 4), 3);
	cr_expect_eq(room_sideband_halvings(SIDEBAND, 65536, 4), 4);
}
