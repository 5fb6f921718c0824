// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as what says which container a cgroup is. The first byte says what they are: the
 * cgroup's path, one of the engines' files, a process's mountinfo, daemon.json. The files lie in a
 * folder that stands for the host's root.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "proc/container_name.h"

#define ID "9ba20e825689346e38f93aa125669bf54a81223509c8349e41b890bb75bd7bb2"

static const struct {
	const char *cgroup, *file;
} kinds[] = {
	{NULL, NULL},
	{"/docker/" ID, "/var/lib/docker/containers/" ID "/config.v2.json"},
	{"/default/" ID,
	 "/run/containerd/io.containerd.runtime.v2.task/default/" ID "/config.json"},
	{"/machine.slice/libpod-" ID ".scope",
	 "/var/lib/containers/storage/overlay-containers/containers.json"},
	{"/docker/" ID, "/proc/7/mountinfo"},
	{"/docker/" ID, "/etc/docker/daemon.json"},
};
static char root[] = "/dev/shm/pmubpf-fuzz-XXXXXX";

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void remove_root(void)
{
	nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static char *path_of(size_t kind)
{
	return xasprintf("%s%s", root, kinds[kind].file);
}

static void make_root(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	if (!mkdtemp(root))
		abort();
	atexit(remove_root);
	for (size_t i = 1; i < ARRAY_SIZE(kinds); i++) {
		_cleanup_free_ char *path = path_of(i);

		for (char *p = path + sizeof(root); (p = strchr(p, '/')); *p++ = '/') {
			*p = '\0';
			mkdir(path, 0755);
		}
	}
}

static void find(const struct container_path *path, pid_t tgid)
{
	struct container_name name;

	container_name__find(&name, root, path, tgid);
	if ((name.name && !*name.name) || (name.image && !*name.image))
		abort();
	container_name__done(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct container_path path;
	_cleanup_free_ char *text = NULL, *file = NULL;
	size_t kind;
	int fd;

	if (!len)
		return 0;
	make_root();
	kind = data[0] % ARRAY_SIZE(kinds);
	text = fuzz_text(data + 1, len - 1);
	container_path__parse(&path, kind ? kinds[kind].cgroup : text);
	if (kind) {
		file = path_of(kind);
		fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (fd < 0 || write(fd, text, len - 1) != (ssize_t)len - 1)
			abort();
		close(fd);
		find(&path, 7);
		unlink(file);
	}
	container_path__done(&path);
	return 0;
}
