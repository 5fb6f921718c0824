// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct hierarchy {
	char *mount;
	char controller[32]; /* "" for v2 */
};

struct hierarchies {
	struct hierarchy *h;
	size_t n, cap;
};

static void hierarchies__done(struct hierarchies *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->h[i].mount);
	free(all->h);
}

/* The first controller among a v1 mount's options ("rw,perf_event"); named hierarchies have
 * none. */
static bool v1_controller(const char *options, char *ret, size_t size)
{
	static const char *const controllers[] = {"perf_event", "cpu",      "cpuacct", "cpuset",
						  "memory",     "blkio",    "devices", "freezer",
						  "net_cls",    "net_prio", "hugetlb", "pids",
						  "rdma",       "misc"};
	struct mntent entry = {.mnt_opts = (char *)options};

	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++) {
		if (!hasmntopt(&entry, controllers[i]))
			continue;
		snprintf(ret, size, "%s", controllers[i]);
		return true;
	}
	return false;
}

/* Preferred first: v2, then perf_event, then the others. */
static int rank(const struct hierarchy *h)
{
	if (!h->controller[0])
		return 0;
	return strcmp(h->controller, "perf_event") == 0 ? 1 : 2;
}

static int compare_rank(const void *a, const void *b)
{
	const struct hierarchy *x = a, *y = b;
	int order = CMP3(rank(x), rank(y));

	return order ? order : strcmp(x->mount, y->mount);
}

static void hierarchies__read(struct hierarchies *all)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;

	if (!mounts)
		return;
	while ((entry = getmntent(mounts))) {
		struct hierarchy h = {0};

		if (strcmp(entry->mnt_type, "cgroup2") != 0 &&
		    (strcmp(entry->mnt_type, "cgroup") != 0 ||
		     !v1_controller(entry->mnt_opts, h.controller, sizeof(h.controller))))
			continue;
		h.mount = xstrdup(entry->mnt_dir);
		GROW(all->h, all->n, all->cap);
		all->h[all->n++] = h;
	}
	endmntent(mounts);
	if (all->n)
		qsort(all->h, all->n, sizeof(*all->h), compare_rank);
}

/* dir below mount? Returns what follows the mount point, or NULL. */
static const char *below(const char *dir, const char *mount)
{
	size_t len = strlen(mount);

	if (strncmp(dir, mount, len) != 0 || (dir[len] && dir[len] != '/'))
		return NULL;
	return dir + len;
}

static uint32_t count_levels(const char *path)
{
	uint32_t levels = 0;

	for (; *path; path++)
		levels += path[0] == '/' && path[1] && path[1] != '/';
	return levels;
}

/* The 64-bit id of a cgroup is its kernfs inode: what the file handle of its folder holds. */
static int cgroup_id(const char *dir, uint64_t *ret)
{
	union {
		struct file_handle fh;
		char space[sizeof(struct file_handle) + 8];
	} handle = {.fh.handle_bytes = 8};
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, dir, &handle.fh, &mount_id, 0) < 0)
		return -errno;
	memcpy(ret, handle.fh.f_handle, sizeof(*ret));
	return 0;
}

/* The folder of a cgroup in a hierarchy, or NULL. */
static char *dir_of(const struct hierarchy *h, uint64_t id)
{
	enum { FILEID_KERNFS = 0xfe }; /* linux/exportfs.h, which programs don't get */
	union {
		struct file_handle fh;
		char space[sizeof(struct file_handle) + 8];
	} handle = {.fh.handle_bytes = 8, .fh.handle_type = FILEID_KERNFS};
	_cleanup_close_ int mount = open(h->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	char link[64], dir[PATH_MAX];
	ssize_t n;

	memcpy(handle.fh.f_handle, &id, sizeof(id));
	if (mount < 0)
		return NULL;
	fd = open_by_handle_at(mount, &handle.fh, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, dir, sizeof(dir));
	return n > 0 && (size_t)n < sizeof(dir) ? xstrndup(dir, (size_t)n) : NULL;
}

char *cgroup_telling_hierarchy(void)
{
	/* every engine uses these, most of them in each place */
	static const char *const telling[] = {"memory", "pids", "devices", "perf_event"};
	_cleanup_(hierarchies__done) struct hierarchies all = {0};

	hierarchies__read(&all);
	for (size_t k = 0; k < ARRAY_SIZE(telling); k++) {
		for (size_t i = 0; i < all.n; i++) {
			if (strcmp(all.h[i].controller, telling[k]) == 0)
				return xstrdup(telling[k]);
		}
	}
	return xstrdup("");
}

char *cgroup_path_of(const char *hierarchy, uint64_t id)
{
	_cleanup_(hierarchies__done) struct hierarchies all = {0};

	hierarchies__read(&all);
	for (size_t i = 0; i < all.n; i++) {
		const struct hierarchy *h = &all.h[i];
		_cleanup_free_ char *dir = strcmp(h->controller, hierarchy) == 0 ? dir_of(h, id) :
										   NULL;
		const char *path = dir ? below(dir, h->mount) : NULL;

		if (path)
			return xstrdup(*path ? path : "/");
	}
	return NULL;
}

static int fill(const struct hierarchy *h, const char *dir, struct cgroup_ref *ret, struct err *err)
{
	int r = cgroup_id(dir, &ret->id);

	if (r < 0)
		return err__set(err, r, "can't get the id of cgroup %s: %s", dir, strerror(-r));
	ret->level = count_levels(below(dir, h->mount));
	ret->v2 = !h->controller[0];
	snprintf(ret->controller, sizeof(ret->controller), "%s", h->controller);
	ret->dir = xstrdup(dir);
	ret->mount_len = strlen(h->mount);
	return 0;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int cgroup__resolve(const char *text, struct cgroup_ref *ret, struct err *err)
{
	_cleanup_(hierarchies__done) struct hierarchies all = {0};
	_cleanup_free_ char *real = realpath(text, NULL);

	*ret = (struct cgroup_ref){0};
	hierarchies__read(&all);
	if (!all.n)
		return err__cannot(err, "-G %s: no cgroup hierarchy is mounted here", text);
	for (size_t i = 0; real && text[0] == '/' && i < all.n; i++) {
		/* a v1 mount lies inside a tmpfs or a v2 mount, so the longest match must win */
		const struct hierarchy *best = NULL;

		for (size_t k = 0; k < all.n; k++) {
			if (below(real, all.h[k].mount) &&
			    (!best || strlen(all.h[k].mount) > strlen(best->mount)))
				best = &all.h[k];
		}
		if (best && is_dir(real))
			return fill(best, real, ret, err);
		break;
	}
	for (size_t i = 0; i < all.n; i++) {
		_cleanup_free_ char *dir =
			xasprintf("%s%s%s", all.h[i].mount, text[0] == '/' ? "" : "/", text);
		_cleanup_free_ char *resolved = realpath(dir, NULL);

		if (resolved && is_dir(resolved) && below(resolved, all.h[i].mount))
			return fill(&all.h[i], resolved, ret, err);
	}
	return err__set(err, -ENOENT,
			"cgroup '%s' does not exist in any hierarchy mounted here; "
			"`systemd-cgls` or `cat /proc/PID/cgroup` show the paths",
			text);
}

static int open_dir(const char *dir, struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err__set(err, -errno, "-G: can't open %s: %s", dir, strerror(errno)) : fd;
}

/* v1's perf_event, else v2, else NULL. */
static const struct hierarchy *counted_hierarchy(const struct hierarchies *all)
{
	const struct hierarchy *v2 = NULL;

	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->h[i].controller, "perf_event") == 0)
			return &all->h[i];
		if (!all->h[i].controller[0] && !v2)
			v2 = &all->h[i];
	}
	return v2;
}

int cgroup__open(const struct cgroup_ref *ref, struct err *err)
{
	_cleanup_(hierarchies__done) struct hierarchies all = {0};
	_cleanup_free_ char *dir = NULL;
	const struct hierarchy *h;

	hierarchies__read(&all);
	h = counted_hierarchy(&all);
	if (!h)
		return err__cannot(err,
				   "-G %s: the kernel counts by cgroup in the perf_event hierarchy "
				   "of v1 or in v2, and neither is mounted (mount -t cgroup2 none "
				   "/mnt)",
				   ref->dir);
	if (strcmp(h->controller, ref->controller) == 0)
		return open_dir(ref->dir, err);
	dir = xasprintf("%s%s", h->mount, cgroup__path(ref));
	if (ref->v2 && is_dir(dir))
		return open_dir(dir, err);
	return err__cannot(
		err,
		"-G %s: that is in the hierarchy of %s, and the kernel counts by cgroup "
		"only in %s here, under %s: name a cgroup there, and put the tasks in it",
		ref->dir, ref->v2 ? "v2" : ref->controller,
		h->controller[0] ? "v1's perf_event" : "v2", h->mount);
}

int cgroup__counted_root(struct cgroup_ref *ret, struct err *err)
{
	_cleanup_(hierarchies__done) struct hierarchies all = {0};
	const struct hierarchy *h;

	*ret = (struct cgroup_ref){0};
	hierarchies__read(&all);
	h = counted_hierarchy(&all);
	if (!h)
		return err__cannot(
			err, "the kernel counts by cgroup in the perf_event hierarchy of v1 or "
			     "in v2, and neither is mounted (mount -t cgroup2 none /mnt)");
	return fill(h, h->mount, ret, err);
}

static int compare_dirs(const void *a, const void *b)
{
	const struct cgroup_ref *x = a, *y = b;

	return strcmp(x->dir, y->dir);
}

int cgroup__children(const struct cgroup_ref *ref, struct cgroup_ref **ret, size_t *ret_n,
		     struct err *err)
{
	_cleanup_closedir_ DIR *dir = opendir(ref->dir);
	struct cgroup_ref *list = NULL;
	size_t n = 0, cap = 0;
	struct dirent *entry;

	if (!dir)
		return err__set(err, -errno, "-G: can't read %s: %s", ref->dir, strerror(errno));
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", ref->dir, entry->d_name);
		struct cgroup_ref child = *ref;

		if (entry->d_name[0] == '.' || !is_dir(path) || cgroup_id(path, &child.id) < 0)
			continue;
		child.level++;
		child.dir = TAKE_PTR(path);
		GROW(list, n, cap);
		list[n++] = child;
	}
	if (n)
		qsort(list, n, sizeof(*list), compare_dirs);
	*ret = list;
	*ret_n = n;
	return 0;
}

const char *cgroup__path(const struct cgroup_ref *ref)
{
	return ref->dir[ref->mount_len] ? ref->dir + ref->mount_len : "/";
}

void cgroup__done(struct cgroup_ref *ref)
{
	free(ref->dir);
	*ref = (struct cgroup_ref){0};
}

const char *cgroup_layout(void)
{
	_cleanup_(hierarchies__done) struct hierarchies all = {0};
	size_t v1 = 0;

	hierarchies__read(&all);
	for (size_t i = 0; i < all.n; i++)
		v1 += all.h[i].controller[0] != '\0';
	if (!all.n)
		return "none";
	if (!v1)
		return "v2";
	return v1 < all.n ? "hybrid" : "v1";
}
