// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A second thread, which executes this program again: threadexec TIMES. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char left[24];

static void *again(void *arg)
{
	(void)arg;
	execl("/proc/self/exe", "threadexec", left, (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	pthread_t thread;

	if (n <= 0)
		return 0;
	snprintf(left, sizeof(left), "%ld", n - 1);
	if (pthread_create(&thread, NULL, again, NULL))
		return 1;
	for (;;)
		pause();
}
