// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names from the files of engines, in tests/trees/containers/: those of Docker 28 and Podman 4 are
 * recorded, the others hold the keys that their engines' sources write.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "proc/container_name.h"
#include "sys/clock.h"
#include "sysfs_tree.h"

#define WEB "9ba20e825689346e38f93aa125669bf54a81223509c8349e41b890bb75bd7bb2"
#define DB "cabad1ced860fed8484c215a6d29a11eebf022299dbe06a2de21d0dc2b58861d"
#define API "2f6c1d0be93aa7745cc0f1b85e6d4a3f9128c7b6e5d4039281706f5e4d3c2b1a"
#define PAUSE "77a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f"
#define TWIN "cabad1ced860346e38f93aa125669bf54a81223509c8349e41b890bb75bd7bb2"
#define POD "/kubepods/burstable/pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/"
#define CONFIG "var/lib/docker/containers/" WEB "/config.v2.json"

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void find(struct container_name *ret, const char *root, const char *cgroup, pid_t tgid)
{
	struct container_path path;

	container_path__parse(&path, cgroup);
	container_name__find(ret, root, &path, tgid);
	container_path__done(&path);
}

static const struct {
	const char *tree, *cgroup;
	pid_t tgid;
	const char *name, *pod, *image;
} cases[] = {
	{"containerd", POD API, 0, "shop/api-6d5f8c7b9-x2x4z/api", "shop/api-6d5f8c7b9-x2x4z",
	 "registry.example.org/shop/api:1.4"},
	{"containerd", POD PAUSE, 0, "shop/api-6d5f8c7b9-x2x4z/sandbox", "shop/api-6d5f8c7b9-x2x4z",
	 NULL},
	{"containerd", "/system.slice/cri-containerd-" API ".scope", 0,
	 "shop/api-6d5f8c7b9-x2x4z/api", "shop/api-6d5f8c7b9-x2x4z",
	 "registry.example.org/shop/api:1.4"},
	{"k3s", POD API, 0, "shop/api-6d5f8c7b9-x2x4z/api", "shop/api-6d5f8c7b9-x2x4z",
	 "registry.example.org/shop/api:1.4"},
	{"containerd-mounted", POD API, 4242, "shop/api-6d5f8c7b9-x2x4z/api",
	 "shop/api-6d5f8c7b9-x2x4z", "registry.example.org/shop/api:1.4"},
	{"containerd-mounted", POD API, 0, NULL, NULL, NULL}, /* no process left to ask */
	{"nerdctl", "/system.slice/nerdctl-" WEB ".scope", 0, "shop-nginx-1", NULL, NULL},
	{"nerdctl", "/default/" WEB, 0, "shop-nginx-1", NULL, NULL},
	{"crio", "/kubepods.slice/crio-" API ".scope", 0, "shop/api-0/api", "shop/api-0",
	 "quay.io/shop/api:2"},
	{"crio", "/kubepods.slice/crio-" PAUSE ".scope", 0, "shop/api-0/POD", "shop/api-0", NULL},
	{"kubelet", POD API, 0, "shop/api-0/api", "shop/api-0", NULL},
	{"kubelet", POD WEB, 0, "default/web/nginx-with-dash", "default/web", NULL},
	{"kubelet", POD DB, 0, NULL, NULL, NULL}, /* there is a file, but no pod in its name */
	{"docker-usual", "/docker/" WEB, 0, "web-1", NULL, "web:1"},
	{"docker-usual", "/docker/" API, 0, NULL, NULL, NULL},
	{"docker-daemon-json", "/docker/" WEB, 0, "by-daemon-json", NULL, "web:1"},
	{"docker-command-line", "/system.slice/docker-" WEB ".scope", 0, "by-command-line", NULL,
	 "web:1"},
	{"docker-in-container", "/docker/" WEB, 0, "true-name", NULL, "web:1"},
	{"docker-mounted", "/docker/" WEB, 4242, "by-mounts", NULL, "web:1"},
	{"docker-vfs", "/docker/" WEB, 4242, "by-mounts", NULL, "web:1"},
	{"docker-mounted", "/docker/" WEB, 4243, NULL, NULL, NULL}, /* it has ended meanwhile */
	{"docker-pod", POD WEB, 0, "shop/api-0/api", "shop/api-0", "sha256:0123"},
	{"podman-mounted", "/libpod_parent/libpod-" DB, 4242, "db-7", NULL, "localhost/web:2"},
	{"podman-usual", "/machine.slice/libpod-" DB ".scope/container", 0, "db-7", NULL,
	 "localhost/web:2"},
	/* the first 12 digits are the same; one has the first 63 */
	{"podman-usual", "/libpod_parent/libpod-" TWIN, 0, "twin", NULL, "localhost/web:2"},
	{"podman-usual", "/lxc/web", 0, "web", NULL, NULL},
	{"podman-usual", "/lxc.payload.web-1/init.scope", 0, "web-1", NULL, NULL},
	{"podman-usual", "/machine.slice/machine-web\\x2d1.scope/payload", 0, "web-1", NULL, NULL},
	{"podman-usual", "/system.slice/redis-server.service", 0, NULL, NULL, NULL},
	{"podman-usual", "/", 0, NULL, NULL, NULL},
	{"no-such-tree", "/docker/" WEB, 4242, NULL, NULL, NULL},
};

Test(container_name, engines)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *root = xasprintf(TREES "/containers/%s", cases[i].tree);
		_cleanup_(container_name__done) struct container_name name;

		find(&name, root, cases[i].cgroup, cases[i].tgid);
		cr_expect(same(name.name, cases[i].name), "%s %s: name %s", cases[i].tree,
			  cases[i].cgroup, name.name);
		cr_expect(same(name.pod, cases[i].pod), "%s %s: pod %s", cases[i].tree,
			  cases[i].cgroup, name.pod);
		cr_expect(same(name.image, cases[i].image), "%s %s: image %s", cases[i].tree,
			  cases[i].cgroup, name.image);
	}
}

/* Nothing but 64 digits reaches a pattern: an id can't hold what glob() understands. */
Test(container_name, no_patterns_in_ids)
{
	static const char *const cgroups[] = {
		"/docker/*",
		"/docker/9ba20e82*",
		"/docker/9ba20e825689346e38f93aa125669bf54a81223509c8349e41b890bb75bd7b??",
		"/docker/9ba20e825689346e38f93aa125669bf54a81223509c8349e41b890bb75bd7b[a-b2]",
		"/system.slice/docker-*.scope",
		"/libpod-{a,b}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		_cleanup_(container_name__done) struct container_name name;
		struct container_path path;

		container_path__parse(&path, cgroups[i]);
		cr_expect_null(path.id, "%s: %s", cgroups[i], path.id);
		container_name__find(&name, TREES "/containers/docker-usual", &path, 0);
		cr_expect_null(name.name, "%s: %s", cgroups[i], name.name);
		container_path__done(&path);
	}
}

static void expect_nameless(const char *root, const char *what)
{
	_cleanup_(container_name__done) struct container_name name;

	find(&name, root, "/docker/" WEB, 0);
	cr_expect(!name.name && !name.pod && !name.image, "%s: %s", what, name.name);
}

Test(container_name, broken_files)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"\"web\"",
		"{\"Name\":\"/web-1\"",
		"{\"Name\":7,\"Config\":[]}",
		"{\"Name\":\"\"}",
		"{\"Name\":\"/\"}",
		"{\"Name\":\"/a\\u0000b\"}",
		"{\"Name\":\"/\xff\xfe\"}",
		"{\"Name\":{\"Name\":{}},\"Config\":{\"Labels\":[\"io.kubernetes.pod.name\"]}}",
		"{\"Config\":{\"Labels\":{\"io.kubernetes.pod.namespace\":\"shop\"}}}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct tree_file files[] = {{CONFIG, texts[i]}};
		char *root = tree_make(files, ARRAY_SIZE(files));

		expect_nameless(root, texts[i]);
		tree_remove(root);
	}
}

/* 100 MB of a JSON array, nested brackets, or nothing at all: not read into memory. */
Test(container_name, huge_files, .timeout = 60)
{
	static const char *const fills[] = {"[[[[[[[[", "0,0,0,0,", " "};
	enum { SIZE = 100 * 1000 * 1000, MORE_KB = 64 * 1024 };
	static char block[1 << 20];

	for (size_t i = 0; i < ARRAY_SIZE(fills); i++) {
		const struct tree_file files[] = {{CONFIG, "["}};
		char *root = tree_make(files, ARRAY_SIZE(files));
		_cleanup_free_ char *path = xasprintf("%s/" CONFIG, root);
		_cleanup_fclose_ FILE *file = fopen(path, "we");
		struct rusage before, after;

		cr_assert_not_null(file);
		for (size_t k = 0; k < sizeof(block); k++)
			block[k] = fills[i][k % strlen(fills[i])];
		for (size_t n = 0; n < SIZE; n += sizeof(block))
			fwrite(block, 1, sizeof(block), file);
		fflush(file);
		getrusage(RUSAGE_SELF, &before);
		expect_nameless(root, fills[i]);
		getrusage(RUSAGE_SELF, &after);
		cr_expect_lt(after.ru_maxrss - before.ru_maxrss, MORE_KB, "%s: %ld kB", fills[i],
			     after.ru_maxrss - before.ru_maxrss);
		tree_remove(root);
	}
}

/* A FIFO blocks nobody, a folder is no file, a link leads nowhere. */
Test(container_name, no_files, .timeout = 10)
{
	const struct tree_file file = {"good.json", "{\"Name\":\"/forged\"}"};
	const struct tree_file keep = {"var/lib/docker/containers/" WEB "/hostname", "web\n"};
	const struct tree_file files[] = {file, keep};
	char *root = tree_make(files, ARRAY_SIZE(files));
	_cleanup_free_ char *path = xasprintf("%s/" CONFIG, root);
	_cleanup_free_ char *good = xasprintf("%s/good.json", root);

	cr_assert_eq(mkfifo(path, 0644), 0);
	expect_nameless(root, "FIFO");
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkdir(path, 0755), 0);
	expect_nameless(root, "folder");
	cr_assert_eq(rmdir(path), 0);
	cr_assert_eq(symlink(good, path), 0);
	expect_nameless(root, "link");
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(symlink("/dev/zero", path), 0);
	expect_nameless(root, "link to a device");
	tree_remove(root);
}

/* As tree_make(), with a process 7 in our pid namespace, and the path of what it is called. */
static char *with_process(const struct tree_file *files, size_t n, char **ret_comm)
{
	char *root = tree_make(files, n);
	_cleanup_free_ char *its = xasprintf("%s/proc/7/ns/pid", root);
	_cleanup_free_ char *ours = xasprintf("%s/proc/self/ns/pid", root);

	cr_assert_eq(symlink("pid:[1]", its), 0);
	cr_assert_eq(symlink("pid:[1]", ours), 0);
	*ret_comm = xasprintf("%s/proc/7/comm", root);
	return root;
}

/* The daemon is looked for once, not for each container: by the second question its process has
 * gone. */
Test(container_name, the_daemon_is_remembered)
{
	const struct tree_file files[] = {
		{"proc/7/comm", "dockerd\n"},
		{"proc/7/cmdline", "--data-root=/far"},
		{"far/containers/" WEB "/config.v2.json", "{\"Name\":\"/web-1\"}"},
		{"far/containers/" DB "/config.v2.json", "{\"Name\":\"/db-1\"}"},
		{"proc/7/ns/empty", ""},
		{"proc/self/ns/empty", ""},
	};
	_cleanup_(container_name__done) struct container_name web, db;
	_cleanup_free_ char *comm = NULL;
	char *root = with_process(files, ARRAY_SIZE(files), &comm);

	find(&web, root, "/docker/" WEB, 0);
	cr_expect(same(web.name, "web-1"), "%s", web.name);
	cr_assert_eq(unlink(comm), 0);
	find(&db, root, "/docker/" DB, 0);
	cr_expect(same(db.name, "db-1"), "%s", db.name);
	tree_remove(root);
}

/* Nor for each container that nobody knows, where there is no daemon: one that comes meanwhile
 * is not seen. (It would be after five seconds.) */
Test(container_name, that_there_is_no_daemon_is_remembered)
{
	const struct tree_file files[] = {
		{"proc/7/comm", "other\n"},
		{"proc/7/cmdline", "--data-root=/far"},
		{"far/containers/" WEB "/config.v2.json", "{\"Name\":\"/web-1\"}"},
		{"proc/7/ns/empty", ""},
		{"proc/self/ns/empty", ""},
	};
	_cleanup_(container_name__done) struct container_name db, web;
	_cleanup_free_ char *comm = NULL;
	char *root = with_process(files, ARRAY_SIZE(files), &comm);
	uint64_t began = now_ns();
	FILE *file;

	find(&db, root, "/docker/" DB, 0);
	cr_expect_eq(db.name, NULL);
	file = fopen(comm, "we");
	cr_assert(file && fputs("dockerd\n", file) >= 0 && fclose(file) == 0);
	find(&web, root, "/docker/" WEB, 0);
	if (now_ns() - began < 4000000000)
		cr_expect_eq(web.name, NULL, "%s", web.name);
	tree_remove(root);
}

/* What a container mounts over its /etc/hostname is only believed where the engine keeps files of
 * that id. */
Test(container_name, mounts_that_lie)
{
	static const char ours[] = "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
				   "640 22 0:92 / /roots/merged rw - overlay overlay rw\n";
	static const char *const hostnames[] = {
		"815 801 254:0 /other/config/hostname /etc/hostname rw - ext4 /dev/vda rw\n",
		"815 801 0:92 /" WEB "/hostname /etc/hostname rw - overlay overlay rw\n",
		"815 801 0:77 /" WEB "/hostname /etc/hostname rw - tmpfs tmpfs rw\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(hostnames); i++) {
		_cleanup_free_ char *its =
			xasprintf("801 640 0:92 / / rw - overlay overlay rw\n%s", hostnames[i]);
		const struct tree_file files[] = {
			{"proc/4242/mountinfo", its},
			{"proc/self/mountinfo", ours},
			{"other/config/config.v2.json", "{\"Name\":\"/forged\"}"},
			{"roots/merged/" WEB "/config.v2.json", "{\"Name\":\"/forged\"}"},
			{WEB "/config.v2.json", "{\"Name\":\"/forged\"}"},
		};
		char *root = tree_make(files, ARRAY_SIZE(files));
		_cleanup_(container_name__done) struct container_name name;

		find(&name, root, "/docker/" WEB, 4242);
		cr_expect_null(name.name, "%s: %s", hostnames[i], name.name);
		tree_remove(root);
	}
}
