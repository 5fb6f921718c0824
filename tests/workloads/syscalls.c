// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * syscalls [SECONDS=1]: half in the kernel.
 *
 * Known answer: main → calls → kernel_half → read_once reads /dev/zero 64 KiB at a time, so most of
 * its samples have kernel frames (the kernel zeroes the buffer); user_half spins for as long as
 * that took. libc's read() has no frame: read_once, its caller, is what a walk along frame pointers
 * loses.
 */
#include <fcntl.h>
#include <unistd.h>
#include "spin.h"

static char buf[65536];

WORK static void read_once(int fd)
{
	if (read(fd, buf, sizeof(buf)) < 0)
		exit(1);
}

WORK static uint64_t kernel_half(int fd)
{
	uint64_t start_ns = thread_cpu_ns();

	for (int i = 0; i < 100; i++)
		read_once(fd);
	return thread_cpu_ns() - start_ns;
}

SPINS(user_half)

WORK static void calls(int fd)
{
	user_half(kernel_half(fd));
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);

	while (fd >= 0 && thread_cpu_ns() < end_ns)
		calls(fd);
	return fd < 0;
}
