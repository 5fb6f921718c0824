// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The questions of opener.h: each fills a request in and takes the answer apart. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/client.h"

enum {
	LIMIT_MS = 200,
	COUNTER_MS =
		2000,   /* without it there is no recording, and what waits for a CPU isn't stuck */
	LEND_MS = 1000, /* nobody asks again */
	COPY_MS = 1000, /* the same, on a busy host: it bounds itself */
	CLOSE_MS = 20000, /* all probes; each has less */
	MAPS_MS = 400,    /* of a process with very many */
	CONTAINER_MS =
		2000, /* all processes may have to be looked at; each container asks a few times */
};

/* False: it is too long. */
static bool put_text(struct opener_request *r, const void *text, size_t len)
{
	if (len >= OPENER_PATH_MAX)
		return false;
	memcpy(r->text, text, len);
	r->text[len] = '\0';
	r->text_len = (uint32_t)len;
	return true;
}

static void begin(struct opener_request *r, enum opener_what what)
{
	memset(r, 0, offsetof(struct opener_request, text) + 1);
	r->what = (uint16_t)what;
}

/* What most answers are: a result, and a descriptor or none. */
struct got {
	int result;
	int fd;
	struct opener_root_id root_id;
};

static int take_fd_of(void *ctx, const struct opener_reply *reply, int fd)
{
	struct got *got = ctx;

	got->result = reply->result;
	got->root_id = reply->root_id;
	if (fd >= 0)
		got->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return 0;
}

static int ask_for_fd(struct opener *o, struct opener_request *r, int fd, unsigned limit_ms,
		      struct got *got)
{
	int e;

	*got = (struct got){.result = -EIO, .fd = -1};
	e = opener__ask(o, r, fd, limit_ms, take_fd_of, got);
	if (e == 0 && got->result < 0)
		e = got->result;
	if (e == 0 && got->fd < 0)
		e = -EMFILE; /* there was no room for it */
	if (e < 0)
		cleanup_close(&got->fd);
	return e < 0 ? e : got->fd;
}

struct process_ctx {
	int result;
	struct opener_process *ret;
};

static int take_process(void *ctx, const struct opener_reply *reply, int fd)
{
	struct process_ctx *p = ctx;

	p->result = reply->result;
	p->ret->status = (struct proc_status){.ns_tgid = reply->ns_tgid, .euid = reply->uid};
	p->ret->root_id = reply->root_id;
	if (fd >= 0)
		p->ret->root_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return 0;
}

int opener__process(struct opener *o, pid_t tgid, struct opener_process *ret)
{
	struct process_ctx p = {-EIO, ret};
	struct opener_request r;
	int e;

	*ret = (struct opener_process){.root_fd = -1};
	begin(&r, OPENER_PROCESS);
	r.tgid = tgid;
	e = opener__ask(o, &r, -1, LIMIT_MS, take_process, &p);
	return e < 0 ? e : p.result;
}

struct maps_ctx {
	bool (*parse)(char *line, struct map_line *ret);
	map_line_fn fn;
	void *ctx;
	int n;
	int result;
};

static int take_lines(void *ctx, const struct opener_reply *reply, int fd)
{
	struct maps_ctx *m = ctx;
	_cleanup_free_ char *text = xstrndup(reply->text, reply->text_len);
	char *line, *rest = text;
	struct map_line map;

	(void)fd;
	m->result = reply->result;
	while ((line = strsep(&rest, "\n"))) {
		if (!m->parse(line, &map))
			continue;
		m->fn(m->ctx, &map);
		m->n++;
	}
	return 0;
}

static int ask_maps(struct opener *o, pid_t tgid, uint16_t flags, struct maps_ctx *m)
{
	struct opener_request r;
	int e;

	begin(&r, OPENER_MAPS);
	r.tgid = tgid;
	r.flags = flags;
	e = opener__ask(o, &r, -1, MAPS_MS, take_lines, m);
	if (e == 0)
		e = m->result;
	return e < 0 ? e : m->n;
}

int opener__maps(struct opener *o, pid_t tgid, map_line_fn fn, void *ctx)
{
	struct maps_ctx m = {.parse = procfs_parse_map, .fn = fn, .ctx = ctx};

	return ask_maps(o, tgid, 0, &m);
}

int opener__published(struct opener *o, pid_t tgid, map_line_fn fn, void *ctx)
{
	struct maps_ctx m = {.parse = procfs_parse_any_map, .fn = fn, .ctx = ctx};

	return ask_maps(o, tgid, OPENER_PUBLISHED, &m);
}

static bool put_file(struct opener_request *r, const struct mapped_file *file)
{
	r->inode = file->inode;
	r->generation = file->generation;
	r->dev = file->dev;
	return put_text(r, file->path, strlen(file->path));
}

int opener__mapped(struct opener *o, pid_t tgid, uint64_t start, uint64_t end,
		   const struct mapped_file *file, uint64_t *ret_mnt_ns)
{
	struct opener_request r;
	struct got got;
	int fd;

	*ret_mnt_ns = 0;
	begin(&r, OPENER_MAPPED);
	r.tgid = tgid;
	r.start = start;
	r.end = end;
	if (!put_file(&r, file))
		return -ENAMETOOLONG;
	fd = ask_for_fd(o, &r, -1, LIMIT_MS, &got);
	*ret_mnt_ns = got.root_id.mnt_ns;
	return fd;
}

int opener__again(struct opener *o, const struct mapped_file *file)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_PATH);
	r.flags = OPENER_AT_HAND | OPENER_INODE;
	return put_file(&r, file) ? ask_for_fd(o, &r, -1, LIMIT_MS, &got) : -ENAMETOOLONG;
}

int opener__path(struct opener *o, int root_fd, uint64_t mnt_ns, uint64_t dev, const char *path)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_PATH);
	r.mnt_ns = mnt_ns;
	r.dev = dev;
	if (!put_text(&r, path, strlen(path)))
		return -ENAMETOOLONG;
	return ask_for_fd(o, &r, root_fd, LIMIT_MS, &got);
}

int opener__owned(struct opener *o, int root_fd, uint64_t mnt_ns, const char *path, uid_t owner)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_OWNED);
	r.mnt_ns = mnt_ns;
	r.uid = owner;
	if (!put_text(&r, path, strlen(path)))
		return -ENAMETOOLONG;
	return ask_for_fd(o, &r, root_fd, LIMIT_MS, &got);
}

int opener__memory(struct opener *o, pid_t tgid)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_MEMORY);
	r.tgid = tgid;
	return ask_for_fd(o, &r, -1, LIMIT_MS, &got);
}

int opener__lend(struct opener *o, int found, uint64_t mnt_ns, uint64_t dev)
{
	int flags = fcntl(found, F_GETFL);
	struct opener_request r;
	struct got got;

	if (flags < 0 || !(flags & O_PATH))
		return flags < 0 ? -errno : fcntl(found, F_DUPFD_CLOEXEC, 3);
	begin(&r, OPENER_LEND);
	r.mnt_ns = mnt_ns;
	r.dev = dev;
	return ask_for_fd(o, &r, found, LEND_MS, &got);
}

struct which_ctx {
	int result;
	struct opener_file_id *ret;
};

static int take_which(void *ctx, const struct opener_reply *reply, int fd)
{
	struct which_ctx *w = ctx;

	(void)fd;
	w->result = reply->result;
	if (w->result == 0 && reply->text_len != sizeof(*w->ret))
		w->result = -EIO;
	if (w->result == 0)
		memcpy(w->ret, reply->text, sizeof(*w->ret));
	return 0;
}

int opener__which(struct opener *o, int found, uint64_t mnt_ns, struct opener_file_id *ret)
{
	struct which_ctx w = {-EIO, ret};
	struct opener_request r;
	int e;

	begin(&r, OPENER_WHICH);
	r.mnt_ns = mnt_ns;
	e = opener__ask(o, &r, found, LIMIT_MS, take_which, &w);
	return e < 0 ? e : w.result;
}

int opener__counter(struct opener *o, const struct perf_event_attr *attr, pid_t tid, int cpu,
		    int group_fd)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_COUNTER);
	r.tgid = tid;
	r.cpu = cpu;
	put_text(&r, attr, sizeof(*attr));
	return ask_for_fd(o, &r, group_fd, COUNTER_MS, &got);
}

int opener__uprobe(struct opener *o, int found, uint64_t mnt_ns, uint64_t file_off,
		   uint64_t counter_off, pid_t tgid, unsigned flags)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_UPROBE);
	r.flags = (uint16_t)flags;
	r.tgid = tgid;
	r.mnt_ns = mnt_ns;
	r.start = file_off;
	r.end = counter_off;
	return ask_for_fd(o, &r, found, COUNTER_MS, &got);
}

static int take_result(void *ctx, const struct opener_reply *reply, int fd)
{
	(void)fd;
	*(int *)ctx = reply->result;
	return 0;
}

static int ask_for_result(struct opener *o, enum opener_what what, int fd)
{
	struct opener_request r;
	int result = -EIO, e;

	begin(&r, what);
	e = opener__ask(o, &r, fd, CLOSE_MS, take_result, &result);
	return e < 0 ? e : result;
}

int opener__keep(struct opener *o, int fd)
{
	return ask_for_result(o, OPENER_KEEP, fd);
}

int opener__close_kept(struct opener *o)
{
	return ask_for_result(o, OPENER_CLOSE, -1);
}

static int ask_for_uprobes(struct opener *o, int found, uint64_t mnt_ns,
			   const struct opener_places *places, pid_t tgid)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_UPROBES);
	r.tgid = tgid;
	r.mnt_ns = mnt_ns;
	r.start = places->program_id;
	if (!put_text(&r, places->list, places->n * sizeof(*places->list)))
		return -E2BIG;
	return ask_for_fd(o, &r, found, COUNTER_MS, &got);
}

int opener__uprobes(struct opener *o, int found, uint64_t mnt_ns,
		    const struct opener_places *places, pid_t tgid)
{
	_cleanup_close_ int kept = -1;
	int r = ask_for_uprobes(o, found, mnt_ns, places, tgid);
	struct opener_request request;
	struct got got;

	if (r != -EBADF)
		return r;
	/* it is a new one */
	begin(&request, OPENER_PROGRAM);
	request.start = places->program_id;
	kept = ask_for_fd(o, &request, places->program_fd, LIMIT_MS, &got);
	return kept < 0 ? kept : ask_for_uprobes(o, found, mnt_ns, places, tgid);
}

int opener__copy(struct opener *o, int fd, uint64_t mnt_ns, uint64_t most)
{
	struct opener_request r;
	struct got got;

	begin(&r, OPENER_COPY);
	r.mnt_ns = mnt_ns;
	r.end = most;
	return ask_for_fd(o, &r, fd, COPY_MS, &got);
}

struct texts {
	int result;
	char *text[3];
	size_t n;
};

static char *text_or_null(const char *text)
{
	return *text ? xstrdup(text) : NULL;
}

static int take_texts(void *ctx, const struct opener_reply *reply, int fd)
{
	struct texts *t = ctx;
	const char *at = reply->text, *end = at + reply->text_len;

	(void)fd;
	t->result = reply->result;
	for (size_t i = 0; i < t->n && at < end; i++) {
		t->text[i] = text_or_null(at);
		at += strlen(at) + 1;
	}
	return 0;
}

char *opener__exe(struct opener *o, pid_t tgid)
{
	struct texts t = {.n = 1};
	struct opener_request r;

	begin(&r, OPENER_EXE);
	r.tgid = tgid;
	opener__ask(o, &r, -1, LIMIT_MS, take_texts, &t);
	return t.text[0];
}

char *opener__cgroup_path(struct opener *o, const char *hierarchy, uint64_t id)
{
	struct texts t = {.n = 1};
	struct opener_request r;

	begin(&r, OPENER_CGROUP);
	r.start = id;
	if (put_text(&r, hierarchy, strlen(hierarchy)))
		opener__ask(o, &r, -1, LIMIT_MS, take_texts, &t);
	return t.text[0];
}

int opener__container(struct opener *o, const char *path, pid_t tgid, struct opener_names *ret)
{
	struct texts t = {.n = 3};
	struct opener_request r;
	int e = -ENAMETOOLONG;

	begin(&r, OPENER_CONTAINER);
	r.tgid = tgid;
	if (put_text(&r, path, strlen(path)))
		e = opener__ask(o, &r, -1, CONTAINER_MS, take_texts, &t);
	*ret = (struct opener_names){t.text[0], t.text[1], t.text[2]};
	return e < 0 ? e : t.result;
}
