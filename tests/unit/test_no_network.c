// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a process can't have any more once it has given it up: asked in a child. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/drop.h"
#include "sys/landlock.h"
#include "sys/no_network.h"

/* The child's exit status; 77: the kernel has none of it. */
static int in_child(int (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(drop_new_privileges() < 0 ? 100 : what());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int refused(int family, int type)
{
	return socket(family, type, 0) < 0 && errno == EACCES;
}

static int give_up_network(void)
{
	static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6, AF_PACKET, AF_VSOCK, AF_MAX};
	int pair[2];

	if (no_network() < 0)
		return 1;
	for (int i = 0; i < (int)(sizeof(families) / sizeof(*families)); i++) {
		if (!refused(families[i], SOCK_STREAM) || !refused(families[i], SOCK_RAW))
			return 2 + i;
	}
	if (socket(AF_UNIX, SOCK_DGRAM, 0) < 0 || socket(AF_NETLINK, SOCK_RAW, 0) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
		return 20;
	return 0;
}

Test(no_network, sockets)
{
	int r = in_child(give_up_network);

	cr_expect_eq(r, 0, "%d", r);
}

static char readable[] = "/tmp/pmb-read.XXXXXX", writable[] = "/tmp/pmb-write.XXXXXX";

static bool makes(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	return fd >= 0 && close(fd) == 0;
}

static int stay_in_two_folders(void)
{
	int from = open(readable, O_RDONLY | O_DIRECTORY),
	    to = open(writable, O_RDONLY | O_DIRECTORY);
	int r;

	if (!makes(from, "there"))
		return 1;
	r = landlock_two_folders(from, to);
	if (r == -ENOSYS)
		return 77;
	if (r < 0)
		return 2;
	if (openat(from, "there", O_RDONLY) < 0 || openat(from, ".", O_RDONLY | O_DIRECTORY) < 0)
		return 3;
	if (makes(from, "new") || makes(from, "there") || unlinkat(from, "there", 0) == 0)
		return 4;
	if (!makes(to, "new") || !makes(to, "new") || renameat(to, "new", to, "other") < 0 ||
	    fsync(to) < 0 || unlinkat(to, "other", 0) < 0)
		return 5;
	return open("/etc/passwd", O_RDONLY) >= 0 ? 6 : 0;
}

Test(no_network, two_folders)
{
	int r;

	cr_assert(mkdtemp(readable) && mkdtemp(writable));
	r = in_child(stay_in_two_folders);
	cr_expect(r == 0 || r == 77, "%d", r);
	cr_expect_eq(in_child(stay_in_two_folders), r); /* what was given up was the child's */
	for (const char **dir = (const char *[]){readable, writable, NULL}; *dir; dir++) {
		int fd = open(*dir, O_RDONLY | O_DIRECTORY);

		unlinkat(fd, "there", 0);
		close(fd);
		rmdir(*dir);
	}
}
