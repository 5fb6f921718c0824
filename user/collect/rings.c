// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/rings.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct rings {
	struct ring_buffer *rb;
	ring_record_fn fn;
	void *ctx;
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct rings *rings = ctx;

	rings->fn(rings->ctx, data, size);
	return 0;
}

int rings__open(struct rings **ret, const struct programs *programs, ring_record_fn fn, void *ctx,
		struct err *err)
{
	struct rings *rings = xcalloc(1, sizeof(*rings));
	int r = 0;

	rings->fn = fn;
	rings->ctx = ctx;
	for (int cpu = 0; r == 0 && cpu < programs__n_rings(programs); cpu++) {
		int fd = programs__ring_fd(programs, cpu);

		if (rings->rb) {
			r = ring_buffer__add(rings->rb, fd, on_record, rings);
		} else {
			rings->rb = ring_buffer__new(fd, on_record, rings, NULL);
			r = rings->rb ? 0 : -errno;
		}
	}
	if (r < 0) {
		rings__free(rings);
		return err__set(err, r, "can't map the ring buffers: %s", strerror(-r));
	}
	*ret = rings;
	return 0;
}

struct rings *rings__free(struct rings *rings)
{
	if (!rings)
		return NULL;
	ring_buffer__free(rings->rb);
	free(rings);
	return NULL;
}

int rings__epoll_fd(const struct rings *rings)
{
	return ring_buffer__epoll_fd(rings->rb);
}

void rings__drain(struct rings *rings)
{
	ring_buffer__consume(rings->rb);
}
