// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Says of itself that it is HotSpot, as libjvm.so does, and is not: fakejvm WHAT SECONDS [FILE]
 *
 *	empty	its description has nothing in it
 *	seldom	the same, and it spins a twentieth of the time
 *	loop	its description leads from itself to itself, without end
 *	wait	whoever reads its description waits for a page that nobody brings
 *	file	its description lies in FILE, of which nothing is in memory; and who started it is
 *		told to answer no more (fusehang.c)
 *
 * Meanwhile it spins in leaf_spin(), for SECONDS; what does so seldom does so without end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "spin.h"

enum { SKIPPED = 77, BYTES = 1024 * 1024, ENTRY = 48 };

const void *gHotSpotVMStructs, *gHotSpotVMTypes;

SPINS(leaf_spin)

static void *memory(void)
{
	void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

/* Each entry is called after itself. */
static void fill(char *at)
{
	for (size_t i = 0; i + ENTRY <= BYTES; i += ENTRY) {
		const void *words[ENTRY / 8] = {at + i, at + i, at + i, at + i, at + i, at + i};

		memcpy(at + i, words, sizeof(words));
	}
}

static void never_bring(void *at)
{
	struct uffdio_register where = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	where.range.start = (uintptr_t)at;
	where.range.len = BYTES;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &where) < 0) {
		fprintf(stderr, "fakejvm: userfaultfd: %s\n", strerror(errno));
		exit(SKIPPED);
	}
}

static void *of_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at;

	if (fd < 0 || kill(getppid(), SIGUSR1) < 0)
		exit(1);
	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		exit(1);
	at = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static void spin_seldom(void)
{
	for (;;) {
		leaf_spin(1000000);
		nanosleep(&(struct timespec){.tv_nsec = 19000000}, NULL);
	}
}

int main(int argc, char **argv)
{
	void *at;

	if (argc < 3)
		return 1;
	at = argc > 3 ? of_file(argv[3]) : memory();
	if (strcmp(argv[1], "loop") == 0)
		fill(at);
	else if (strcmp(argv[1], "wait") == 0)
		never_bring(at);
	gHotSpotVMStructs = gHotSpotVMTypes = at;
	if (strcmp(argv[1], "seldom") == 0)
		spin_seldom();
	leaf_spin((uint64_t)(strtod(argv[2], NULL) * 1e9));
	return 0;
}
