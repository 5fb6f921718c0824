// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/pmus.h"
#include "sys/procfs.h"

enum { MAX_RECORD = 65536 }; /* perf_event_header.size is 16 bits */

int perf_open_in(const struct perf_event_attr *attr, pid_t tid, int cpu, int leader_fd)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, leader_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int perf_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return perf_open_in(attr, tid, cpu, -1);
}

int perf_open_cgroup(const struct perf_event_attr *attr, int dir_fd, int cpu, int leader_fd)
{
	long fd = syscall(SYS_perf_event_open, attr, dir_fd, cpu, leader_fd,
			  PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

enum { RETURN_PROBE = 1 /* format/retprobe, of both */ };

int perf_open_uprobe(const struct perf_uprobe *probe, pid_t pid)
{
	enum { COUNTER_SHIFT = 32 /* format/ref_ctr_offset */ };
	uint64_t type = file_read_u64(PMUS_ROOT "/uprobe/type", 0);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (uint32_t)type,
		.config = probe->counter_off << COUNTER_SHIFT | (probe->returns ? RETURN_PROBE : 0),
		.read_format = PERF_COUNT_READ_FORMAT,
		.uprobe_path = (uint64_t)(uintptr_t)probe->path,
		.probe_offset = probe->file_off,
	};

	if (!type)
		return -ENOENT;
	if (probe->counter_off > UINT32_MAX)
		return -ERANGE;
	return perf_open(&attr, pid, pid < 0 ? 0 : -1);
}

int perf_open_kprobe(const char *function, bool returns)
{
	uint64_t type = file_read_u64(PMUS_ROOT "/kprobe/type", 0);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (uint32_t)type,
		.config = returns ? RETURN_PROBE : 0,
		.kprobe_func = (uint64_t)(uintptr_t)function,
	};

	return type ? perf_open(&attr, -1, 0) : -ENOENT;
}

int perf_enable(int fd, struct err *err)
{
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
		return 0;
	return err__set(err, -errno, "can't enable a counter: %s", strerror(errno));
}

int perf_read(int fd, struct perf_count *ret)
{
	ssize_t n = read(fd, ret, sizeof(*ret));

	if (n < 0)
		return -errno;
	return n == sizeof(*ret) ? 0 : -EIO;
}

int perf_ring__map(struct perf_ring *ring, int fd, size_t data_size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	ring->control = p;
	ring->data = (uint8_t *)p + page;
	ring->data_size = data_size;
	ring->record = xcalloc(1, MAX_RECORD);
	return 0;
}

void perf_ring__unmap(struct perf_ring *ring)
{
	if (!ring->control)
		return;
	munmap(ring->control, (size_t)sysconf(_SC_PAGESIZE) + ring->data_size);
	free(ring->record);
	*ring = (struct perf_ring){0};
}

void perf_ring__drain(struct perf_ring *ring, perf_record_fn fn, void *ctx)
{
	uint64_t head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->control->data_tail;

	while (tail < head) {
		size_t off = tail & (ring->data_size - 1), left = ring->data_size - off;
		struct perf_event_header *h = (void *)(ring->data + off);
		size_t size = h->size;

		if (size < sizeof(*h) || size % 8 || size > head - tail)
			break; /* can't be from the kernel: give the rest up rather than run wild */
		if (size > left) {
			memcpy(ring->record, h, left);
			memcpy(ring->record + left, ring->data, size - left);
			h = (void *)ring->record;
		}
		fn(ctx, h);
		tail += size;
	}
	__atomic_store_n(&ring->control->data_tail, head, __ATOMIC_RELEASE);
}
