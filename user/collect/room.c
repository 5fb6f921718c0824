// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/room.h"

#include <unistd.h>

/* CPUs of a virtual machine come with the next higher numbers. */
enum { TO_COME = 8 };

size_t room_ring_bytes(int n_cpus)
{
	size_t bytes = ROOM_RING_BYTES, least = (size_t)sysconf(_SC_PAGESIZE);

	if (least < ROOM_RING_LEAST)
		least = ROOM_RING_LEAST;
	while (bytes > least && bytes * (size_t)n_cpus > ROOM_RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

uint32_t room_dumps(int highest_cpu, int n_possible, size_t dump_bytes)
{
	size_t most = ROOM_DUMPS_BYTES / dump_bytes;
	int n = highest_cpu + 1 + TO_COME;

	if (n > n_possible)
		n = n_possible;
	return (uint32_t)((size_t)n < most ? (size_t)n : most);
}

int room_sideband_halvings(size_t bytes, int n_cpus, int at_most)
{
	int halvings = 0;

	while (halvings < at_most && (bytes >> halvings) * (size_t)n_cpus > ROOM_SIDEBAND_BYTES)
		halvings++;
	return halvings;
}
