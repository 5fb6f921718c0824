// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

int memory_file__new(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : fd;
}

int memory_file__seal(int fd)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

	return fcntl(fd, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}
