// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sleepy exit N [MS=0] | sleepy signal N [MS=0]: ends as told.
 *
 * Known answer: after sleeping MS it exits with status N, or kills itself with signal N. Before
 * that it prints its pid.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "spin.h"

int main(int argc, char **argv)
{
	int n = (int)arg_num(argc, argv, 2, 0);

	if (argc < 3)
		return 99;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	usleep((useconds_t)(arg_num(argc, argv, 3, 0) * 1000));
	if (strcmp(argv[1], "exit") == 0)
		return n;
	sigaction(n, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	kill(getpid(), n);
	pause();
	return 99;
}
