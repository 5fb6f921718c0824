// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * strict [CALLS=300]: a program that the kernel would kill for any system call but four.
 *
 * Known answer: it calls `handle` CALLS times, then goes under strict seccomp, calls it CALLS times
 * more, and prints "done".
 */
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "spin.h"

WORK static unsigned long handle(unsigned long n)
{
	burn(1000);
	return n + 1;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 300, n = 0;

	while (n < calls)
		n = handle(n);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
		return 77;
	while (n < 2 * calls)
		n = handle(n);
	if (write(1, "done\n", 5) != 5)
		n = 0;
	syscall(SYS_exit, n != 2 * calls);
}
