// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * While the kernel waits for a page of the file no process of the host can fork, and whoever asked
 * can't be killed: so no probe goes into what a process serves.
 */
#include "opener/probes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/perf.h"

/* What headers of before 6.6 don't have. */
enum { ATTACH_UPROBE_MULTI = OPENER_UPROBES_ATTACH_TYPE };
struct link_uprobes {
	uint32_t program_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t n, their_flags, tgid, rest;
};

/* The program that probes of many places run, and what it is asked for by. */
static struct {
	uint64_t id;
	int fd;
} program = {.fd = -1};

static int keep_program(const struct opener_request *r, int fd)
{
	cleanup_close(&program.fd);
	program.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	program.id = r->start;
	return program.fd < 0 ? -errno : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static int put_in_many(const struct opener_request *r, const char *path)
{
	const size_t n = r->text_len / sizeof(struct opener_place);
	_cleanup_free_ uint64_t *numbers = xcalloc(2 * n + 1, sizeof(*numbers));
	struct link_uprobes link = {
		.program_fd = (uint32_t)program.fd,
		.attach_type = ATTACH_UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)path,
		.offsets = (uint64_t)(uintptr_t)numbers,
		.cookies = (uint64_t)(uintptr_t)(numbers + n),
		.n = (uint32_t)n,
		.tgid = (uint32_t)r->tgid,
	};
	int fd;

	if (program.fd < 0 || program.id != r->start)
		return -EBADF;
	for (size_t i = 0; i < n; i++) {
		struct opener_place place;

		memcpy(&place, r->text + i * sizeof(place), sizeof(place));
		numbers[i] = place.file_off;
		numbers[n + i] = place.cookie;
	}
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));
	return fd < 0 ? -errno : fd;
}

int probes__answer(const struct opener_request *r, int fd)
{
	_cleanup_free_ char *path = xasprintf("/proc/self/fd/%d", fd);
	const struct perf_uprobe probe = {path, r->start, r->end, r->flags & OPENER_RETURNS};
	struct statfs fs;

	if (r->what == OPENER_PROGRAM)
		return keep_program(r, fd);
	if (fstatfs(fd, &fs) < 0 || fs.f_type == FUSE_SUPER_MAGIC)
		return -OPENER_SERVED;
	if (r->what == OPENER_UPROBES)
		return put_in_many(r, path);
	return perf_open_uprobe(&probe, r->tgid ? r->tgid : -1);
}
