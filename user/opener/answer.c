// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: everything here may hang. Who it is about is learnt first from what takes none of
 * the target's locks: the owner of /proc/PID, status, cgroup. (The links in ns/ take one since
 * Linux 6.18 at the latest.)
 */
#include "opener/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/map_lines.h"
#include "opener/probes.h"
#include "proc/container_name.h"
#include "symd/protocol.h"
#include "sys/cgroup.h"
#include "sys/clock.h"
#include "sys/open.h"
#include "sys/perf.h"
#include "sys/procfs.h"
#include "sys/usage.h"

enum {
	/* Of /proc/PID/maps; a process may have a million mappings. */
	MAPS_BYTES = 64 * 1024 * 1024,
	COPY_STEP = 256 * 1024,
	COPY_NS = 100 * 1000 * 1000, /* all of a file, without what is waited for a CPU */
};

struct answering {
	const struct opener_request *request;
	int fd;
	struct opener_keeps *keeps;
	opener_emit emit;
	void *ctx;
	struct opener_subject subject;
	struct opener_reply reply;
};

/* Of a process that hides itself the folder is root's, but its status tells. */
static uint32_t uid_of(pid_t tgid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d", tgid);
	struct proc_status status;
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	if (!st.st_uid && procfs_status(tgid, &status) == 0)
		return status.euid;
	return st.st_uid;
}

static uint64_t our_mnt_ns(void)
{
	static uint64_t ours; /* it never changes */
	struct stat st;

	if (!ours && stat("/proc/self/ns/mnt", &st) == 0)
		ours = st.st_ino;
	return ours;
}

/* 0: ours. */
static int mnt_ns_of(pid_t tid, uint64_t *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/ns/mnt", tid);
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	*ret = our_mnt_ns() && st.st_ino != our_mnt_ns() ? st.st_ino : 0;
	return 0;
}

static uint64_t cgroup_of(pid_t tgid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/cgroup", tgid);
	_cleanup_free_ char *text = file_read(path);
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

	for (const char *p = text ? text : ""; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 0x100000001b3;
	return hash;
}

bool opener_subject__learn(struct opener_subject *ret, const struct opener_request *request,
			   opener_go_on go_on, void *ctx)
{
	*ret = (struct opener_subject){.tgid = request->tgid,
				       .mnt_ns = request->mnt_ns,
				       .dev = request->dev};
	if (!go_on(ctx, ret))
		return false;
	if (ret->tgid <= 0)
		return true;
	ret->uid = uid_of(ret->tgid);
	if (!ret->uid)
		ret->cgroup = cgroup_of(ret->tgid);
	if (!go_on(ctx, ret))
		return false;
	ret->tid = ret->tgid;
	if (mnt_ns_of(ret->tid, &ret->mnt_ns) < 0) {
		/* a first thread that has ended has neither namespaces nor memory nor a root */
		ret->tid = procfs_living_thread(ret->tgid);
		if (mnt_ns_of(ret->tid, &ret->mnt_ns) < 0)
			ret->mnt_ns = 0;
	}
	return go_on(ctx, ret);
}

static void finish(struct answering *a, int result, int fd)
{
	a->reply.result = result;
	a->reply.more = 0;
	a->emit(a->ctx, &a->reply, fd);
}

/* A descriptor, which this takes over, or a negative errno. */
static void finish_fd(struct answering *a, int fd)
{
	_cleanup_close_ int owned = fd;

	finish(a, fd < 0 ? fd : 0, fd);
}

static void root_id_of(int root, uint64_t mnt_ns, struct opener_root_id *ret)
{
	struct statx st;

	*ret = (struct opener_root_id){0};
	if (statx(root, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &st) < 0)
		return;
	*ret = (struct opener_root_id){mnt_ns, makedev(st.stx_dev_major, st.stx_dev_minor),
				       st.stx_ino, st.stx_mnt_id};
}

static bool is_our_root(int root, uint64_t mnt_ns)
{
	struct stat ours, theirs;

	return !mnt_ns && fstat(root, &theirs) == 0 && stat("/", &ours) == 0 &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

static void about_process(struct answering *a)
{
	_cleanup_close_ int root = open_root_of(a->subject.tid);
	struct proc_status status;
	int r = root < 0 ? root : procfs_status(a->request->tgid, &status);

	if (r < 0)
		return finish(a, r, -1);
	a->reply.ns_tgid = status.ns_tgid;
	a->reply.uid = status.euid;
	if (is_our_root(root, a->subject.mnt_ns))
		return finish(a, 0, -1);
	root_id_of(root, a->subject.mnt_ns, &a->reply.root_id);
	finish(a, 0, root);
}

static int emit_lines(struct answering *a, const char *lines, size_t len)
{
	if (!len)
		return 0;
	memcpy(a->reply.text, lines, len);
	a->reply.text_len = (uint32_t)len;
	a->reply.more = 1;
	return a->emit(a->ctx, &a->reply, -1);
}

/* Full packets of the lines that matter. */
static int copy_maps(struct answering *a, int fd)
{
	size_t (*keep)(char *text, size_t len, size_t *ret_lines) =
		a->request->flags & OPENER_PUBLISHED ? map_lines_keep_published :
						       map_lines_keep_executable;
	_cleanup_free_ char *text = xcalloc(1, OPENER_TEXT_MAX);
	size_t have = 0, lines = 0, sent, total = 0;

	for (;;) {
		ssize_t n = read(fd, text + have, OPENER_TEXT_MAX - have);

		if (n < 0)
			return -errno;
		if (!n)
			break;
		total += (size_t)n;
		have = lines + keep(text + lines, have - lines + (size_t)n, &sent);
		lines += sent;
		if (have < OPENER_TEXT_MAX - 4 * 4096)
			continue;
		if (!lines || total > MAPS_BYTES)
			return -EFBIG;
		if (emit_lines(a, text, lines) < 0)
			return -ECANCELED;
		memmove(text, text + lines, have - lines);
		have -= lines;
		lines = 0;
	}
	return emit_lines(a, text, lines);
}

static void maps(struct answering *a)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", a->subject.tid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : copy_maps(a, fd);

	a->reply.text_len = 0;
	finish(a, r, -1);
}

/*
 * On these nobody is asked when a file is closed, so the open file itself is handed over, which
 * spares the question for it: programs of 3 ms have to be looked at in time. Overlays aren't among
 * them, as they ask what is below.
 */
static bool closes_at_once(int found)
{
	struct statfs fs;

	if (fstatfs(found, &fs) < 0)
		return false;
	switch ((uint32_t)fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case SQUASHFS_MAGIC:
	case EROFS_SUPER_MAGIC_V1:
	case HUGETLBFS_MAGIC:
		return true;
	}
	return false;
}

/* Regular, and the inode that was mapped. The device may differ: overlayfs and btrfs report one in
 * mappings and another in stat. Not all filesystems tell the generation, and O_PATH never does. */
static bool is_mapped_file(int fd, const struct opener_request *r)
{
	struct stat st;
	int generation;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_ino != r->inode)
		return false;
	return !r->generation || ioctl(fd, FS_IOC_GETVERSION, &generation) < 0 ||
	       (uint32_t)generation == (uint32_t)r->generation;
}

/* Takes what is mapped over; -OPENER_NO_FILE: it is the inode that was meant, and a device. */
static int if_a_file(int found, const struct opener_request *r)
{
	_cleanup_close_ int owned = found;
	struct stat st;

	if (found < 0 || fstat(found, &st) < 0)
		return found < 0 ? found : -errno;
	if (S_ISREG(st.st_mode))
		return TAKE_FD(owned);
	return st.st_ino == r->inode ? -OPENER_NO_FILE : -ESTALE;
}

/* Takes found over, and answers with it; false: it is not the file that was meant. */
static bool hand_over(struct answering *a, int found, bool only_mapped)
{
	_cleanup_close_ int owned = found;
	_cleanup_close_ int opened = closes_at_once(found) ? open_found(found) : -1;
	int fd = opened >= 0 ? opened : owned;

	if (only_mapped && !is_mapped_file(fd, a->request))
		return false;
	finish(a, 0, fd);
	return true;
}

/* Of what was found by its name: there another file system may lie by now, and numbers of inodes
 * begin anew in each. */
static int if_on_device(int found, uint64_t dev)
{
	_cleanup_close_ int owned = found;
	struct statfs fs;
	struct stat st;

	if (found < 0)
		return found;
	if (dev && (fstat(found, &st) < 0 || st.st_dev != dev) &&
	    (fstatfs(found, &fs) < 0 ||
	     (fs.f_type != OVERLAYFS_SUPER_MAGIC && fs.f_type != BTRFS_SUPER_MAGIC)))
		return -ESTALE;
	return TAKE_FD(owned);
}

/*
 * map_files is the very inode, whatever became of its name; it wants CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE. Then the name as the program sees it, and if it has gone, as we see it:
 * but the name is the program's choice, and an automounter of ours would follow it anywhere.
 */
static void mapped(struct answering *a)
{
	const struct opener_request *r = a->request;
	int found = if_a_file(find_mapping(a->subject.tid, r->start, r->end), r);
	_cleanup_close_ int root = -1;

	a->reply.root_id.mnt_ns = a->subject.mnt_ns;
	if (found == -OPENER_NO_FILE)
		return finish(a, found, -1);
	if (found >= 0 && hand_over(a, found, true))
		return;
	if (a->subject.mnt_ns)
		root = open_root_of(a->subject.tid);
	found = root >= 0 ? find_regular(root, r->text) : find_at_hand(r->text);
	found = if_on_device(found, r->dev);
	if (found >= 0 && hand_over(a, found, true))
		return;
	finish(a, found < 0 ? found : -ESTALE, -1);
}

static void path(struct answering *a)
{
	const struct opener_request *r = a->request;
	int found = r->flags & OPENER_AT_HAND ? find_at_hand(r->text) :
						find_regular(a->fd, r->text);

	if (r->flags & OPENER_INODE)
		found = if_on_device(found, r->dev);
	if (found < 0)
		finish(a, found, -1);
	else if (!hand_over(a, found, r->flags & OPENER_INODE))
		finish(a, -ESTALE, -1);
}

static void owned(struct answering *a)
{
	int found = find_owned(a->fd, a->request->text, a->request->uid);

	if (found < 0)
		finish(a, found, -1);
	else
		hand_over(a, found, false);
}

static void lend(struct answering *a)
{
	_cleanup_close_ int fd = a->fd < 0 ? -EBADF : open_found(a->fd);

	if (fd < 0)
		return finish(a, fd, -1);
	if (!a->keeps)
		return finish(a, 0, fd);
	finish_fd(a, symd_fd__enclose(fd));
	a->keeps->lent = TAKE_FD(fd);
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static void which(struct answering *a)
{
	struct opener_file_id id;
	struct stat st;
	struct statfs fs = {0};

	if (fstat(a->fd, &st) < 0)
		return finish(a, -errno, -1);
	id = (struct opener_file_id){
		.dev = st.st_dev,
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.modified_ns = ns_of(&st.st_mtim),
		.changed_ns = ns_of(&st.st_ctim),
	};
	if (fstatfs(a->fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC)
		id.dev = 0;
	else if (fs.f_type == FUSE_SUPER_MAGIC)
		id.served = 1;
	memcpy(a->reply.text, &id, sizeof(id));
	a->reply.text_len = sizeof(id);
	finish(a, 0, -1);
}

static void counter(struct answering *a)
{
	struct perf_event_attr attr = {0};

	if (a->request->text_len != sizeof(attr))
		return finish(a, -EINVAL, -1);
	memcpy(&attr, a->request->text, sizeof(attr));
	finish_fd(a, perf_open_in(&attr, a->request->tgid, a->request->cpu, a->fd));
}

static void keep(struct answering *a)
{
	finish(a, a->keeps ? opener_keeps__add(a->keeps, a->fd) : -ENOTSUP, -1);
}

/* Nobody may listen any more: all are closed. */
static void say_closed(void *ctx)
{
	struct answering *a = ctx;

	a->reply.more = 1;
	a->emit(a->ctx, &a->reply, -1);
}

static void close_kept(struct answering *a)
{
	if (a->keeps)
		opener_keeps__close(a->keeps, say_closed, a);
	finish(a, 0, -1);
}

/* On a host with more work than CPUs the least file would take too long. */
static uint64_t own_time_ns(void)
{
	return now_ns() - usage_delayed_ns(getpid());
}

/* 0, or a negative errno: -ETIME where it takes too long, though it goes on. */
static int copy_bytes(struct answering *a, int from, int to, uint64_t size)
{
	uint64_t until = own_time_ns() + COPY_NS;
	_cleanup_free_ char *bytes = xcalloc(1, COPY_STEP);

	for (uint64_t at = 0; at < size;) {
		ssize_t n = pread(from, bytes, COPY_STEP, (off_t)at);

		if (n < 0)
			return -errno;
		if (!n)
			return 0; /* it was cut meanwhile */
		if (write(to, bytes, (size_t)n) != n)
			return -ENOMEM;
		at += (uint64_t)n;
		if (at < size && own_time_ns() > until)
			return -ETIME;
		a->reply.more = 1;
		if (a->emit(a->ctx, &a->reply, -1) < 0)
			return -ECANCELED;
	}
	return 0;
}

static void copy(struct answering *a)
{
	_cleanup_close_ int from = a->fd < 0 ? -EBADF : open_found(a->fd);
	_cleanup_close_ int to = memfd_create("pmubpf-copy", MFD_CLOEXEC);
	struct stat st;
	int r = from < 0 ? from : 0;

	if (r == 0 && (to < 0 || fstat(from, &st) < 0))
		r = -errno;
	if (r == 0 && (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > a->request->end))
		r = -EFBIG;
	if (r == 0)
		r = copy_bytes(a, from, to, (uint64_t)st.st_size);
	finish(a, r, r < 0 ? -1 : to);
}

/* With its NUL; empty: none. What doesn't fit is cut. */
static void add_text(struct opener_reply *reply, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len > OPENER_TEXT_MAX / 4)
		len = OPENER_TEXT_MAX / 4;
	if (len)
		memcpy(reply->text + reply->text_len, text, len);
	reply->text[reply->text_len + len] = '\0';
	reply->text_len += (uint32_t)len + 1;
}

static void cgroup(struct answering *a)
{
	_cleanup_free_ char *found = cgroup_path_of(a->request->text, a->request->start);

	add_text(&a->reply, found);
	finish(a, found ? 0 : -ENOENT, -1);
}

static void container(struct answering *a)
{
	_cleanup_(container_path__done) struct container_path where = {0};
	_cleanup_(container_name__done) struct container_name name = {0};

	container_path__parse(&where, a->request->text);
	container_name__find(&name, "", &where, a->request->tgid);
	add_text(&a->reply, name.name);
	add_text(&a->reply, name.pod);
	add_text(&a->reply, name.image);
	finish(a, 0, -1);
}

static void memory(struct answering *a)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/mem", a->subject.tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	finish_fd(a, fd < 0 ? -errno : fd);
}

static void exe(struct answering *a)
{
	_cleanup_free_ char *link = xasprintf("/proc/%d/exe", a->subject.tid);
	char path[OPENER_PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	int r = n < 0 ? -errno : 0;

	if (r == 0) {
		path[n] = '\0';
		add_text(&a->reply, path);
	}
	finish(a, r, -1);
}

static void answer(struct answering *a)
{
	const struct opener_request *r = a->request;

	switch ((enum opener_what)r->what) {
	case OPENER_PROCESS:
		return about_process(a);
	case OPENER_MAPS:
		return maps(a);
	case OPENER_MAPPED:
		return mapped(a);
	case OPENER_PATH:
		return path(a);
	case OPENER_OWNED:
		return owned(a);
	case OPENER_LEND:
		return lend(a);
	case OPENER_WHICH:
		return which(a);
	case OPENER_COUNTER:
		return counter(a);
	case OPENER_CGROUP:
		return cgroup(a);
	case OPENER_CONTAINER:
		return container(a);
	case OPENER_COPY:
		return copy(a);
	case OPENER_MEMORY:
		return memory(a);
	case OPENER_EXE:
		return exe(a);
	case OPENER_UPROBE:
	case OPENER_UPROBES:
	case OPENER_PROGRAM:
		return finish_fd(a, probes__answer(r, a->fd));
	case OPENER_KEEP:
		return keep(a);
	case OPENER_CLOSE:
		return close_kept(a);
	}
	finish(a, -EINVAL, -1);
}

void opener_answer(const struct opener_request *request, int fd,
		   const struct opener_subject *subject, opener_emit emit, void *ctx,
		   struct opener_keeps *keeps)
{
	/* of 60 kB, of which little is used: neither on the stack nor cleared */
	_cleanup_free_ struct answering *a = malloc(sizeof(*a));

	if (!a)
		return;
	memset(a, 0, offsetof(struct answering, reply.text));
	a->request = request;
	a->fd = fd;
	a->keeps = keeps;
	a->emit = emit;
	a->ctx = ctx;
	a->subject = *subject;
	a->reply.seq = request->seq;
	answer(a);
}
