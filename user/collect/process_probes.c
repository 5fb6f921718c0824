// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/process_probes.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/closer.h"
#include "opener/opener.h"

static int put_in_one(const struct process_places *p, const struct process_place *place)
{
	_cleanup_close_ int fd =
		opener__uprobe(p->opener, p->fd, p->mnt_ns, place->file_off, 0, p->tgid, 0);

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, place->program_fd) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static int put_in_each(const struct process_places *p, struct process_probes *ret)
{
	ret->fds = xcalloc(p->n, sizeof(*ret->fds));
	for (ret->n = 0; ret->n < p->n; ret->n++) {
		int fd = put_in_one(p, &p->list[ret->n]);

		if (fd < 0) {
			process_probes__take_out(ret, p->closer);
			return fd;
		}
		ret->fds[ret->n] = fd;
	}
	return 0;
}

static int put_in_all(const struct process_places *p, struct process_probes *ret)
{
	_cleanup_free_ struct opener_place *places = xcalloc(p->n, sizeof(*places));
	const struct opener_places all = {
		.program_fd = p->all_fd,
		.program_id = p->all_id,
		.list = places,
		.n = p->n,
	};
	int fd;

	for (size_t i = 0; i < p->n; i++)
		places[i] = (struct opener_place){p->list[i].file_off, p->list[i].cookie};
	fd = opener__uprobes(p->opener, p->fd, p->mnt_ns, &all, p->tgid);
	if (fd < 0)
		return fd;
	ret->fds = xcalloc(1, sizeof(*ret->fds));
	ret->fds[ret->n++] = fd;
	return 0;
}

int process_probes__put_in(struct process_probes *ret, const struct process_places *places)
{
	*ret = (struct process_probes){0};
	if (places->all_fd >= 0 && places->n <= OPENER_PLACES_MAX)
		return put_in_all(places, ret);
	return put_in_each(places, ret);
}

void process_probes__take_out(struct process_probes *probes, struct closer *closer)
{
	for (size_t i = 0; i < probes->n; i++)
		closer__take(closer, probes->fds[i]);
	free(probes->fds);
	*probes = (struct process_probes){0};
}
