// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * apart FILE ROUNDS FAULTS [ROUNDS FAULTS]…: as related, in two processes.
 *
 * Known answer: in each of ROUNDS rounds this process calls getppid() 20 times, and then its child
 * causes FAULTS page faults, in fresh pages of its own, and this process none; it waits for that,
 * and sleeps 1 to 16 times 0.1 ms. The child's number is in FILE, and the rounds begin when FILE.go
 * exists.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spin.h"

enum { CALLS = 20, SLEEP_US = 100 };

WORK static void cause(long faults)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), n = (size_t)faults;
	char *pages = mmap(NULL, (n + 1) * page_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	madvise(pages, n * page_size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * page_size] = 1;
	munmap(pages, (n + 1) * page_size);
}

/* Answers each number when so many faults have been. */
static int serve(int in, int out)
{
	long faults;

	while (read(in, &faults, sizeof(faults)) == sizeof(faults)) {
		cause(faults);
		if (write(out, &faults, sizeof(faults)) != sizeof(faults))
			return 1;
	}
	return 0;
}

static void tell(const char *path, pid_t child)
{
	char go[4096];
	FILE *file = fopen(path, "w");

	if (!file)
		exit(1);
	fprintf(file, "%d\n", child);
	fclose(file);
	snprintf(go, sizeof(go), "%s.go", path);
	while (access(go, F_OK) < 0)
		usleep(10000);
}

static void one_round(int out, int in, long faults)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	if (write(out, &faults, sizeof(faults)) != sizeof(faults) ||
	    read(in, &faults, sizeof(faults)) != sizeof(faults))
		exit(1);
}

int main(int argc, char **argv)
{
	int there[2], back[2];
	pid_t child;

	if (argc < 4 || pipe(there) < 0 || pipe(back) < 0)
		return 2;
	child = fork();
	if (child == 0) {
		close(there[1]);
		return serve(there[0], back[1]);
	}
	tell(argv[1], child);
	for (int i = 2; i + 1 < argc; i += 2) {
		long rounds = strtol(argv[i], NULL, 10), faults = strtol(argv[i + 1], NULL, 10);

		for (long k = 0; k < rounds; k++) {
			one_round(there[1], back[0], faults);
			usleep((useconds_t)(jitter() * SLEEP_US));
		}
	}
	close(there[1]);
	waitpid(child, NULL, 0);
	return 0;
}
