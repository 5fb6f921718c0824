// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * goner RUNS PROGRAM [ARGUMENT]…: runs a program as configure scripts and test runners do: RUNS
 * times, each time a new copy (./goner.N in the working directory), which is deleted as soon as it
 * has been executed.
 *
 * Known answer: every run is another file, which has no name from the moment that the program
 * begins; what runs in it is PROGRAM's.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what)
{
	fprintf(stderr, "goner: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat st;
	off_t off = 0;

	if (in < 0 || out < 0 || fstat(in, &st) < 0)
		fail(to);
	while (off < st.st_size) {
		if (sendfile(out, in, &off, (size_t)(st.st_size - off)) <= 0)
			fail(to);
	}
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;

	if (runs <= 0) {
		fprintf(stderr, "usage: goner RUNS PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	for (int i = 0; i < runs; i++) {
		char name[32];
		pid_t pid;

		snprintf(name, sizeof(name), "./goner.%d", i);
		copy(argv[2], name);
		/* returns after the exec */
		errno = posix_spawn(&pid, name, NULL, NULL, argv + 2, environ);
		if (errno)
			fail(name);
		unlink(name);
		waitpid(pid, NULL, 0);
	}
	return 0;
}
