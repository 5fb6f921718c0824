// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opener/keeps.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int opener_keeps__add(struct opener_keeps *k, int fd)
{
	int copy;

	if (k->n_kept == OPENER_KEPT_MAX)
		return -EMFILE;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy < 0)
		return -errno;
	k->kept[k->n_kept++] = copy;
	return 0;
}

void opener_keeps__close(struct opener_keeps *k, void (*closed)(void *ctx), void *ctx)
{
	for (size_t i = 0; i < k->n_kept; i++) {
		close(k->kept[i]);
		closed(ctx);
	}
	k->n_kept = 0;
}
