// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a container has mounted is its own to change, so what is found by it is only believed in a
 * folder that bears the container's id, and not in its own file system. Engines' files are theirs,
 * not links to others, and small. A container that goes to some length can give itself another name
 * (by a volume that it may write to), and no more.
 */
#include "proc/container_name.h"

#include <dirent.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "proc/mountinfo.h"
#include "sys/clock.h"
#include "sys/jansson.h"
#include "sys/open.h"
#include "sys/procfs.h"

/* A container's file has some 10 kB, a list of containers 1 kB for each. In memory it is 20 times
 * that. */
enum { JSON_MAX = 8 * 1024 * 1024 };
#define REMEMBER_NS 5000000000ULL

struct finder {
	const char *root;
	const struct container_path *path;
	pid_t tgid;
	struct container_name *name;
	const struct jansson *json;
};

/* A regular file's text of a sane size; links, folders, pipes, devices and what is larger have
 * none. */
static char *read_text(const struct finder *f, const char *path, size_t *ret_len)
{
	_cleanup_free_ char *full = xasprintf("%s%s", f->root, path);
	_cleanup_close_ int fd = open_no_link(-1, full);
	_cleanup_fclose_ FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	_cleanup_(buf__done) struct buf text = {0};
	char block[16384];
	size_t n;

	if (!file)
		return NULL;
	TAKE_FD(fd);
	while ((n = fread(block, 1, sizeof(block), file)) > 0) {
		if (text.len + n > JSON_MAX)
			return NULL;
		buf__add(&text, block, n);
	}
	*ret_len = text.len;
	return buf__take(&text);
}

static json_t *read_json(const struct finder *f, const char *path)
{
	size_t len;
	_cleanup_free_ char *text = f->json ? read_text(f, path, &len) : NULL;

	return text ? f->json->loadb(text, len, 0, NULL) : NULL;
}

static const char *member(const struct finder *f, const json_t *object, const char *key)
{
	const char *text = f->json->string_value(f->json->object_get(object, key));

	return text && *text ? text : NULL;
}

static void put(char **to, const char *text)
{
	if (!*to && text && *text)
		*to = xstrdup(text);
}

/* A pod's container: the name says all of it. */
static void put_pod(const struct finder *f, const char *space, const char *pod,
		    const char *container)
{
	if (!pod || f->name->pod)
		return;
	f->name->pod = space ? xasprintf("%s/%s", space, pod) : xstrdup(pod);
	if (!f->name->name)
		f->name->name = xasprintf("%s/%s", f->name->pod, container ? container : "sandbox");
}

/* Docker: "Name": "/web-1", "Config": {"Image": …}; the labels are those of a pod's container,
 * too. */
static bool try_docker(const struct finder *f, const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/config.v2.json", folder);
	json_t *config = read_json(f, path), *labels;
	const char *name;

	if (!config)
		return false;
	labels = f->json->object_get(f->json->object_get(config, "Config"), "Labels");
	put_pod(f, member(f, labels, "io.kubernetes.pod.namespace"),
		member(f, labels, "io.kubernetes.pod.name"),
		member(f, labels, "io.kubernetes.container.name"));
	name = member(f, config, "Name");
	put(&f->name->name, name && name[0] == '/' ? name + 1 : name);
	put(&f->name->image, member(f, f->json->object_get(config, "Config"), "Image"));
	f->json->delete (config);
	return f->name->name;
}

/* JSON within JSON: "{\"image-name\":\"docker.io/library/redis:7\",…}" */
static void put_image(const struct finder *f, const char *metadata)
{
	json_t *inner = metadata ? f->json->loadb(metadata, strlen(metadata), 0, NULL) : NULL;

	if (!inner)
		return;
	put(&f->name->image, member(f, inner, "image-name"));
	f->json->delete (inner);
}

/* containers.json of containers/storage: Podman's and CRI-O's list of names. */
static void try_storage(const struct finder *f, const char *graph)
{
	static const char *const lists[] = {"containers.json", "volatile-containers.json"};

	for (size_t i = 0; i < ARRAY_SIZE(lists) && !f->name->name; i++) {
		_cleanup_free_ char *path = xasprintf("%s/overlay-containers/%s", graph, lists[i]);
		json_t *list = read_json(f, path);

		for (size_t k = 0; list && k < f->json->array_size(list); k++) {
			json_t *entry = f->json->array_get(list, k);
			const char *id = member(f, entry, "id");

			if (!id || strcmp(id, f->path->id) != 0)
				continue;
			put(&f->name->name,
			    f->json->string_value(
				    f->json->array_get(f->json->object_get(entry, "names"), 0)));
			put_image(f, member(f, entry, "metadata"));
		}
		if (list)
			f->json->delete (list);
	}
}

/* The storage's folder, by the root file system that it gave the container. */
static void try_storage_of(const struct finder *f, const char *rootfs)
{
	const char *layer = rootfs ? strstr(rootfs, "/overlay/") : NULL;
	_cleanup_free_ char *graph = layer ? xstrndup(rootfs, (size_t)(layer - rootfs)) : NULL;

	if (graph)
		try_storage(f, graph);
}

/* A bundle's config.json, with the annotations of containerd, CRI-O, nerdctl and Podman. */
static bool try_bundle(const struct finder *f, const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/config.json", folder);
	json_t *config = read_json(f, path), *notes;

	if (!config)
		return false;
	notes = f->json->object_get(config, "annotations");
	put_pod(f, member(f, notes, "io.kubernetes.cri.sandbox-namespace"),
		member(f, notes, "io.kubernetes.cri.sandbox-name"),
		member(f, notes, "io.kubernetes.cri.container-name"));
	put_pod(f, member(f, notes, "io.kubernetes.pod.namespace"),
		member(f, notes, "io.kubernetes.pod.name"),
		member(f, notes, "io.kubernetes.container.name"));
	put(&f->name->name, member(f, notes, "nerdctl/name"));
	put(&f->name->image, member(f, notes, "io.kubernetes.cri.image-name"));
	put(&f->name->image, member(f, notes, "io.kubernetes.cri-o.ImageName"));
	if (!f->name->name)
		try_storage_of(f, member(f, f->json->object_get(config, "root"), "path"));
	f->json->delete (config);
	return f->name->name;
}

static bool try_folder(const struct finder *f, const char *folder)
{
	return try_docker(f, folder) || try_bundle(f, folder);
}

static void read_mounts(const struct finder *f, const char *whose, struct mountinfo *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%s/mountinfo", f->root, whose);

	mountinfo__parse(ret, file_read(path));
}

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

/* Whether one mount shows what the other shows, or a part of it. */
static bool is_within(const struct mount_line *m, const struct mount_line *other)
{
	size_t len = strcmp(other->root, "/") == 0 ? 0 : strlen(other->root);

	return strcmp(m->device, other->device) == 0 && strncmp(m->root, other->root, len) == 0 &&
	       (!m->root[len] || m->root[len] == '/');
}

/* Docker: …/containers/ID/hostname; Podman, CRI-O: …/overlay-containers/ID/userdata/hostname */
static bool try_mounted_files(const struct finder *f, const struct mountinfo *its,
			      const struct mountinfo *ours)
{
	static const char *const files[] = {"/etc/hostname", "/etc/resolv.conf", "/etc/hosts"};
	const struct mount_line *root = mountinfo__at(its, "/");

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct mount_line *m = mountinfo__at(its, files[i]);
		_cleanup_free_ char *path = NULL;

		if (!m || !root || is_within(m, root))
			continue;
		path = mountinfo__reach(ours, m->device, m->root);
		if (!path || !strstr(path, f->path->id))
			continue;
		cut_last(path);
		if (try_folder(f, path))
			return true;
	}
	return false;
}

/* containerd: the root file system is mounted at …/NAMESPACE/ID/rootfs on the host. */
static bool try_mounted_root(const struct finder *f, const struct mountinfo *its,
			     const struct mountinfo *ours)
{
	const struct mount_line *root = mountinfo__at(its, "/");

	for (size_t i = 0; root && i < ours->n; i++) {
		_cleanup_free_ char *folder = NULL;

		if (strcmp(ours->lines[i].device, root->device) != 0)
			continue;
		folder = xstrdup(ours->lines[i].point);
		cut_last(folder);
		if (strstr(folder, f->path->id) && try_bundle(f, folder))
			return true;
		try_storage_of(f, ours->lines[i].point);
		if (f->name->name)
			return true;
	}
	return false;
}

static bool try_mounts(const struct finder *f)
{
	_cleanup_(mountinfo__done) struct mountinfo its = {0}, ours = {0};
	char whose[16];

	if (!f->tgid)
		return false;
	snprintf(whose, sizeof(whose), "%d", f->tgid);
	read_mounts(f, whose, &its);
	read_mounts(f, "self", &ours);
	return try_mounted_files(f, &its, &ours) || try_mounted_root(f, &its, &ours);
}

/* "--data-root=DIR" or "--data-root", "DIR" among the words of a daemon's command line. */
static char *option_of(const char *words, size_t len, const char *option)
{
	size_t n = strlen(option);

	for (const char *w = words; w < words + len; w += strlen(w) + 1) {
		if (strncmp(w, option, n) == 0 && w[n] == '=')
			return xstrdup(w + n + 1);
		if (strcmp(w, option) == 0 && w + n + 1 < words + len)
			return xstrdup(w + n + 1);
	}
	return NULL;
}

/* A daemon in a container names folders of its own root; and anybody may be called dockerd
 * there. */
static bool in_our_pid_namespace(const struct finder *f, const char *pid)
{
	_cleanup_free_ char *its = xasprintf("%s/proc/%s/ns/pid", f->root, pid);
	_cleanup_free_ char *ours = xasprintf("%s/proc/self/ns/pid", f->root);
	char a[64] = "", b[64] = "";

	return readlink(its, a, sizeof(a) - 1) > 0 && readlink(ours, b, sizeof(b) - 1) > 0 &&
	       strcmp(a, b) == 0;
}

/* From the command line of a running dockerd. */
static char *look_for_dockers_root(const struct finder *f)
{
	_cleanup_free_ char *proc = xasprintf("%s/proc", f->root);
	_cleanup_closedir_ DIR *dir = opendir(proc);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *comm_path = xasprintf("%s/%s/comm", proc, entry->d_name);
		_cleanup_free_ char *words_path = xasprintf("/proc/%s/cmdline", entry->d_name);
		_cleanup_free_ char *comm = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ?
						    file_read(comm_path) :
						    NULL;
		_cleanup_free_ char *words = NULL;
		size_t len;
		char *found;

		if (!comm || strcmp(comm, "dockerd\n") != 0 ||
		    !in_our_pid_namespace(f, entry->d_name))
			continue;
		words = read_text(f, words_path, &len);
		found = words ? option_of(words, len, "--data-root") : NULL;
		if (found)
			return found;
	}
	return NULL;
}

/* All processes are looked at for it, and every container that isn't known asks, a few times: so it
 * is remembered for a while, and that there is none. */
static const char *dockers_root(const struct finder *f)
{
	static struct {
		char *of, *found;
		uint64_t until_ns;
	} known;
	uint64_t now = now_ns();

	if (known.of && strcmp(known.of, f->root) == 0 && now < known.until_ns)
		return known.found;
	free(known.of);
	free(known.found);
	known.of = xstrdup(f->root);
	known.found = look_for_dockers_root(f);
	known.until_ns = now + REMEMBER_NS;
	return known.found;
}

static bool try_docker_root(const struct finder *f, const char *root)
{
	_cleanup_free_ char *folder = root ? xasprintf("%s/containers/%s", root, f->path->id) :
					     NULL;

	return folder && try_docker(f, folder);
}

static bool try_daemon(const struct finder *f)
{
	const char *root = dockers_root(f);
	json_t *config;
	bool ok;

	if (try_docker_root(f, root))
		return true;
	config = read_json(f, "/etc/docker/daemon.json");
	if (!config)
		return false;
	ok = try_docker_root(f, member(f, config, "data-root"));
	f->json->delete (config);
	return ok;
}

/* In every folder that a pattern stands for. */
static bool try_pattern(const struct finder *f, const char *pattern)
{
	_cleanup_free_ char *full = xasprintf("%s%s", f->root, pattern);
	glob_t found = {0};
	bool ok = false;

	if (glob(full, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && !ok; i++)
			ok = try_folder(f, found.gl_pathv[i] + strlen(f->root));
	}
	globfree(&found);
	return ok;
}

static bool try_usual_places(const struct finder *f)
{
	static const char *const places[] = {
		"/run/containerd/io.containerd.runtime.v2.task/*/%s",
		"/run/k3s/containerd/io.containerd.runtime.v2.task/*/%s",
		"/var/lib/docker/containers/%s",
		"/run/containers/storage/overlay-containers/%s/userdata",
		"/var/lib/containers/storage/overlay-containers/%s/userdata",
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *id = strstr(places[i], "%s");
		_cleanup_free_ char *pattern = xasprintf("%.*s%s%s", (int)(id - places[i]),
							 places[i], f->path->id, id + 2);

		if (try_pattern(f, pattern))
			return true;
	}
	try_storage(f, "/var/lib/containers/storage");
	return f->name->name;
}

/* Kubelet's link POD_NAMESPACE_CONTAINER-ID.log */
static void try_pod_log(const struct finder *f)
{
	_cleanup_free_ char *pattern =
		xasprintf("%s/var/log/containers/*-%s.log", f->root, f->path->id);
	glob_t found = {0};

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		char *pod = strrchr(found.gl_pathv[0], '/') + 1, *space = strchr(pod, '_');
		char *container = space ? strchr(space + 1, '_') : NULL;

		if (container) {
			*space++ = *container++ = '\0';
			container[strlen(container) - strlen(f->path->id) - strlen("-.log")] = '\0';
			put_pod(f, space, pod, container);
		}
	}
	globfree(&found);
}

void container_name__find(struct container_name *ret, const char *root,
			  const struct container_path *path, pid_t tgid)
{
	const struct finder f = {root, path, tgid, ret, jansson_load()};

	*ret = (struct container_name){0};
	if (!path->id)
		return;
	if (path->id_is_name) {
		ret->name = xstrdup(path->id);
		return;
	}
	if (!try_mounts(&f) && !try_daemon(&f) && !try_usual_places(&f))
		try_pod_log(&f);
}

void container_name__done(struct container_name *name)
{
	free(name->name);
	free(name->pod);
	free(name->image);
	*name = (struct container_name){0};
}
