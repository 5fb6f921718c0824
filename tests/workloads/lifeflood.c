// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lifeflood mmap|fork|thread|exec|name [PROCESSES=1] [SECONDS=60] [FOLDER]: does nothing but what
 * the kernel tells profilers: maps its own file, by a path of 3,600 bytes that is made below
 * FOLDER; forks; starts threads; executes itself; gives itself another name.
 *
 * Known answer: none of its own: what others' samples are called must not depend on it.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"

enum { LEVELS = 14, LEVEL = 255, PAGE = 4096 };

/* The path of the executable, at the end of folders with long names. */
static int long_path(const char *folder)
{
	char name[LEVEL + 1], exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fd, in, n;

	if (len < 0 || chdir(folder) < 0)
		return -1;
	exe[len] = '\0';
	memset(name, 'x', LEVEL);
	name[LEVEL] = '\0';
	for (int i = 0; i < LEVELS; i++) {
		mkdir(name, 0755);
		if (chdir(name) < 0)
			return -1;
	}
	in = open(exe, O_RDONLY | O_CLOEXEC);
	fd = open("f", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	while ((n = (int)read(in, exe, sizeof(exe))) > 0) {
		if (write(fd, exe, (size_t)n) != n)
			return -1;
	}
	close(in);
	close(fd);
	return open("f", O_RDONLY | O_CLOEXEC);
}

static void map(int fd)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (p != MAP_FAILED)
		munmap(p, PAGE);
}

static void *nothing(void *arg)
{
	return arg;
}

static void once(char kind, int fd)
{
	static unsigned int n;
	char name[16];
	pthread_t thread;

	switch (kind) {
	case 'm':
		map(fd);
		break;
	case 't':
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
		break;
	case 'n':
		snprintf(name, sizeof(name), "n%u", n++);
		prctl(PR_SET_NAME, name);
		break;
	default: {
		pid_t pid = vfork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	}
}

int main(int argc, char **argv)
{
	int n = (int)arg_num(argc, argv, 2, 1), fd = -1;
	double seconds = arg_num(argc, argv, 3, 60);
	char kind = argc > 1 ? argv[1][0] : 'f', left[32];
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);

	if (kind == 'm' && argc > 4)
		fd = long_path(argv[4]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (n-- > 1) {
		if (fork() == 0)
			break;
	}
	if (kind == 'e' && seconds > 0) {
		/* one's own time passes by then: 1,000 times, or it ends with its parent */
		snprintf(left, sizeof(left), "%f", seconds - 0.0003);
		execl("/proc/self/exe", "lifeflood", "exec", "1", left, (char *)NULL);
	}
	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		once(kind, fd);
	return 0;
}
