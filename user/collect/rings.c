// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/rings.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/record.h"

enum { RECORD_HEADER = 8 }; /* BPF_RINGBUF_HDR_SZ */

struct rings {
	/* one for each CPU that is here: libbpf's own set of rings can't stop in one and go on
	 * with the next */
	struct ring_buffer **list;
	int n;
	int epoll_fd;
	size_t ring_bytes;
	uint64_t until;    /* during a drain */
	size_t taken;      /* during the drain of a ring */
	size_t most_taken; /* since it was asked for last */
	ring_record_fn fn;
	void *ctx;
};

/* What is written while we read is for the next round, or a round might never end on a busy
 * machine. The first such record has been taken out all the same. */
static int on_record(void *ctx, void *data, size_t size)
{
	const struct pmb_rec *rec = data;
	struct rings *rings = ctx;

	rings->taken += RECORD_HEADER + (size + 7) / 8 * 8;
	rings->fn(rings->ctx, data, size);
	return size >= sizeof(*rec) && rec->time > rings->until ? -EAGAIN : 0;
}

static int rings__add(struct rings *rings, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct ring_buffer *rb = ring_buffer__new(fd, on_record, rings, NULL);

	if (!rb)
		return -errno;
	rings->list[rings->n++] = rb;
	return epoll_ctl(rings->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int rings__open(struct rings **ret, const struct programs *programs, size_t ring_bytes,
		ring_record_fn fn, void *ctx, struct err *err)
{
	struct rings *rings = xcalloc(1, sizeof(*rings));
	int n = programs__n_cpus(programs), r;

	rings->ring_bytes = ring_bytes;
	rings->fn = fn;
	rings->ctx = ctx;
	rings->list = xcalloc((size_t)n, sizeof(*rings->list));
	rings->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r = rings->epoll_fd < 0 ? -errno : 0;
	for (int cpu = 0; r == 0 && cpu < n; cpu++) {
		int fd = programs__ring_fd(programs, cpu);

		r = fd < 0 ? 0 : rings__add(rings, fd);
	}
	if (r < 0) {
		rings__free(rings);
		return err__set(err, r, "can't map the ring buffers: %s", strerror(-r));
	}
	*ret = rings;
	return 0;
}

int rings__add_cpu(struct rings *rings, const struct programs *programs, int cpu)
{
	return rings__add(rings, programs__ring_fd(programs, cpu));
}

struct rings *rings__free(struct rings *rings)
{
	if (!rings)
		return NULL;
	for (int i = 0; i < rings->n; i++)
		ring_buffer__free(rings->list[i]);
	cleanup_close(&rings->epoll_fd);
	free(rings->list);
	free(rings);
	return NULL;
}

int rings__epoll_fd(const struct rings *rings)
{
	return rings->epoll_fd;
}

void rings__drain(struct rings *rings, uint64_t until)
{
	rings->until = until;
	for (int i = 0; i < rings->n; i++) {
		rings->taken = 0;
		ring_buffer__consume(rings->list[i]);
		if (rings->taken > rings->most_taken)
			rings->most_taken = rings->taken;
	}
}

double rings__most_fill(struct rings *rings)
{
	size_t most = rings->most_taken;

	rings->most_taken = 0;
	return fmin(1, (double)most / (double)rings->ring_bytes);
}
