// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/sideband.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/room.h"
#include "sys/caps.h"
#include "sys/perf.h"

/*
 * Two events on each CPU. Records of mappings wake the reader: a file that is about to go is opened
 * while its program lives. Those of tasks don't, for that would interrupt each child of a program
 * that only forks.
 */
enum sideband_kind { OF_TASKS, OF_MAPPINGS, N_KINDS };

/* About 10,000 changes of names and 8,000 mappings between two drains: one that does nothing else
 * in its turn of 4 ms doesn't fill that, unless its paths are very long. */
static const size_t RING_BYTES[N_KINDS] = {
	[OF_TASKS] = 512 * 1024,
	[OF_MAPPINGS] = 1024 * 1024,
};
/* How often they may be halved where that is more memory than a user may lock, or than all of
 * them together may take: records are lost sooner, and counted. */
enum { RING_HALVINGS = 6, CAREFUL_HALVINGS = 2 };

struct sideband_cpu {
	int fd;
	int cpu;
	enum sideband_kind kind;
	struct perf_ring ring;
};

struct sideband {
	struct sideband_cpu *cpus; /* N_KINDS for each */
	int n;
	int halvings;
	int epoll_fd;
	struct sideband_totals totals;
	const struct sideband_fns *fns; /* during a drain */
};

/* What sample_id_all appends for our sample_type. */
struct trailer {
	uint32_t tgid, tid;
	uint64_t time;
};

/* Layouts: perf_event_open(2), uapi/linux/perf_event.h (PERF_RECORD_*). */
struct rec_task { /* FORK and EXIT */
	struct perf_event_header header;
	uint32_t tgid, parent_tgid, tid, parent_tid;
	uint64_t time;
};

struct rec_comm {
	struct perf_event_header header;
	uint32_t tgid, tid;
};

struct rec_mmap2 {
	struct perf_event_header header;
	uint32_t tgid, tid;
	uint64_t addr, len, pgoff;
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	uint32_t prot, flags;
	char path[];
};

struct rec_lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

struct rec_throttle {
	struct perf_event_header header;
	uint64_t time, id, stream_id;
};

static int decode_task(const struct rec_task *rec, struct life *ret)
{
	ret->kind = rec->header.type == PERF_RECORD_FORK ? LIFE_FORK : LIFE_EXIT;
	ret->tgid = rec->tgid;
	ret->tid = rec->tid;
	ret->parent_tgid = rec->parent_tgid;
	return 1;
}

static int decode_mmap(const struct rec_mmap2 *rec, struct life *ret)
{
	size_t room = rec->header.size - sizeof(*rec) - sizeof(struct trailer);

	if (!memchr(rec->path, '\0', room) || rec->addr + rec->len < rec->addr)
		return -EINVAL;
	ret->kind = LIFE_MMAP;
	ret->tgid = rec->tgid;
	ret->tid = rec->tid;
	ret->start = rec->addr;
	ret->end = rec->addr + rec->len;
	ret->file_off = rec->pgoff;
	ret->dev_major = rec->dev_major;
	ret->dev_minor = rec->dev_minor;
	ret->inode = rec->inode;
	ret->inode_generation = rec->inode_generation;
	ret->path = rec->path;
	return 1;
}

static int decode_comm(const struct rec_comm *rec, struct life *ret)
{
	if (!(rec->header.misc & PERF_RECORD_MISC_COMM_EXEC))
		return 0;
	ret->kind = LIFE_EXEC;
	ret->tgid = rec->tgid;
	ret->tid = rec->tid;
	return 1;
}

static const struct trailer *trailer_of(const struct perf_event_header *record)
{
	return (const void *)((const char *)record + record->size - sizeof(struct trailer));
}

int sideband_decode(const struct perf_event_header *record, struct life *ret)
{
	size_t fixed;

	switch (record->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		fixed = sizeof(struct rec_task);
		break;
	case PERF_RECORD_COMM:
		fixed = sizeof(struct rec_comm);
		break;
	case PERF_RECORD_MMAP2:
		fixed = sizeof(struct rec_mmap2) + 1;
		break;
	default:
		return 0;
	}
	if (record->size < fixed + sizeof(struct trailer))
		return -EINVAL;
	*ret = (struct life){.time = trailer_of(record)->time};
	if (record->type == PERF_RECORD_MMAP2)
		return decode_mmap((const void *)record, ret);
	if (record->type == PERF_RECORD_COMM)
		return decode_comm((const void *)record, ret);
	return decode_task((const void *)record, ret);
}

static void on_record(void *ctx, const struct perf_event_header *record)
{
	struct sideband *sb = ctx;
	struct life life;
	int r;

	sb->totals.records++;
	if (record->type == PERF_RECORD_LOST &&
	    record->size >= sizeof(struct rec_lost) + sizeof(struct trailer)) {
		sb->totals.lost += ((const struct rec_lost *)record)->lost;
		sb->fns->lost(sb->fns->ctx, trailer_of(record)->time);
		return;
	}
	if ((record->type == PERF_RECORD_THROTTLE || record->type == PERF_RECORD_UNTHROTTLE) &&
	    record->size >= sizeof(struct rec_throttle)) {
		const struct rec_throttle *rec = (const void *)record;

		sb->fns->throttled(sb->fns->ctx, rec->id, rec->time,
				   record->type == PERF_RECORD_THROTTLE);
		return;
	}
	r = sideband_decode(record, &life);
	if (r > 0)
		sb->fns->life(sb->fns->ctx, &life);
	else if (r < 0)
		sb->totals.rejected++;
}

static int open_here(void *ctx, const struct perf_event_attr *attr, int cpu)
{
	(void)ctx;
	return perf_open(attr, -1, cpu);
}

static int open_cpu(struct sideband_cpu *c, int cpu, enum sideband_kind kind, int halvings,
		    sideband_open_fn open, void *ctx)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.mmap = kind == OF_MAPPINGS,
		.mmap2 = kind == OF_MAPPINGS,
		.comm = kind == OF_TASKS,
		.comm_exec = kind == OF_TASKS,
		.task = kind == OF_TASKS,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark =
			kind == OF_MAPPINGS ? 1 : (uint32_t)(RING_BYTES[kind] >> halvings) / 2,
	};

	int r;

	c->cpu = cpu;
	c->kind = kind;
	c->fd = open(ctx, &attr, cpu);
	if (c->fd < 0)
		return c->fd;
	r = perf_ring__map(&c->ring, c->fd, RING_BYTES[kind] >> halvings);
	/* the kernel's word for it, of all recordings of a user without CAP_IPC_LOCK */
	return r == -EPERM ? -ENOBUFS : r;
}

static int add_cpu(struct sideband *sb, int cpu, enum sideband_kind kind, sideband_open_fn open,
		   void *ctx)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct sideband_cpu *c = &sb->cpus[sb->n++];
	int r;

	c->fd = -1;
	r = open_cpu(c, cpu, kind, sb->halvings, open, ctx);
	if (r == 0 && epoll_ctl(sb->epoll_fd, EPOLL_CTL_ADD, c->fd, &event) < 0)
		r = -errno;
	return r;
}

static int refused(struct err *err, int r, int cpu)
{
	if (r == -ENOBUFS)
		return err__cannot(
			err,
			"can't watch programs start on CPU %d: this user's other "
			"recordings have locked all the memory they may; raise "
			"kernel.perf_event_mlock_kb or the limit (ulimit -l), or end one",
			cpu);
	if (r == -EACCES || r == -EPERM)
		return err__cannot(err,
				   "can't watch programs start on CPU %d: %s; run as root, or "
				   "with CAP_PERFMON",
				   cpu, strerror(-r));
	return err__set(err, r, "can't watch programs start on CPU %d: %s", cpu, strerror(-r));
}

/* The CPU at which it failed is in *ret_cpu. */
static int open_all(struct sideband **ret, const struct cpus *cpus, int halvings, int *ret_cpu)
{
	struct sideband *sb = xcalloc(1, sizeof(*sb));

	sb->cpus = xcalloc((size_t)cpus->n * N_KINDS, sizeof(*sb->cpus));
	sb->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	sb->halvings = halvings;
	for (int i = 0; i < cpus->n * N_KINDS; i++) {
		int r = add_cpu(sb, cpus->cpu[i / N_KINDS], (enum sideband_kind)(i % N_KINDS),
				open_here, NULL);

		if (r == 0)
			continue;
		sideband__free(sb);
		*ret_cpu = cpus->cpu[i / N_KINDS];
		return r;
	}
	*ret = sb;
	return 0;
}

int sideband__open(struct sideband **ret, const struct cpus *cpus, struct err *err)
{
	int halvings = room_sideband_halvings(RING_BYTES[OF_TASKS] + RING_BYTES[OF_MAPPINGS],
					      cpus->n, RING_HALVINGS);
	int cpu, r;

	/* a user's other recordings are to have room, too */
	if (!cap__effective(CAP_IPC_LOCK) && halvings < CAREFUL_HALVINGS)
		halvings = CAREFUL_HALVINGS;
	do {
		r = open_all(ret, cpus, halvings, &cpu);
	} while (r == -ENOBUFS && halvings++ < RING_HALVINGS);
	return r < 0 ? refused(err, r, cpu) : 0;
}

static void close_cpu(struct sideband_cpu *c)
{
	perf_ring__unmap(&c->ring);
	cleanup_close(&c->fd);
}

/* Of the time before it went: the kernel writes nothing there any more. */
static void forget_cpu(struct sideband *sb, int cpu)
{
	int kept = 0;

	for (int i = 0; i < sb->n; i++) {
		if (sb->cpus[i].cpu == cpu)
			close_cpu(&sb->cpus[i]);
		else
			sb->cpus[kept++] = sb->cpus[i];
	}
	sb->n = kept;
}

int sideband__add_cpu(struct sideband *sb, int cpu, sideband_open_fn open, void *ctx)
{
	int r = 0;

	forget_cpu(sb, cpu);
	sb->cpus = xrealloc(sb->cpus, (size_t)(sb->n + N_KINDS), sizeof(*sb->cpus));
	for (int kind = 0; r == 0 && kind < N_KINDS; kind++) {
		sb->cpus[sb->n] = (struct sideband_cpu){0};
		r = add_cpu(sb, cpu, (enum sideband_kind)kind, open, ctx);
	}
	if (r < 0)
		forget_cpu(sb, cpu);
	return r;
}

struct sideband *sideband__free(struct sideband *sb)
{
	if (!sb)
		return NULL;
	for (int i = 0; i < sb->n; i++)
		close_cpu(&sb->cpus[i]);
	cleanup_close(&sb->epoll_fd);
	free(sb->cpus);
	free(sb);
	return NULL;
}

void sideband__watch_throttling(struct sideband *sb, const struct counters *counters, size_t first)
{
	for (size_t i = first; i < counters->n; i++) {
		for (int k = 0; k < sb->n; k++) {
			/* refused for per-task counters: their records have no ring to go to */
			if (counters->list[i].cpu == sb->cpus[k].cpu &&
			    sb->cpus[k].kind == OF_TASKS)
				ioctl(counters->list[i].fd, PERF_EVENT_IOC_SET_OUTPUT,
				      sb->cpus[k].fd);
		}
	}
}

void sideband__stop_mappings(struct sideband *sb)
{
	for (int i = 0; i < sb->n; i++) {
		if (sb->cpus[i].kind == OF_MAPPINGS)
			ioctl(sb->cpus[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

int sideband__epoll_fd(const struct sideband *sb)
{
	return sb->epoll_fd;
}

void sideband__drain(struct sideband *sb, const struct sideband_fns *fns)
{
	sb->fns = fns;
	for (int i = 0; i < sb->n; i++)
		perf_ring__drain(&sb->cpus[i].ring, on_record, sb);
}

const struct sideband_totals *sideband__totals(const struct sideband *sb)
{
	return &sb->totals;
}
