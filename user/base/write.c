// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/write.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *data, size_t len)
{
	const char *at = data;
	ssize_t n;

	while (len) {
		n = write(fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}
