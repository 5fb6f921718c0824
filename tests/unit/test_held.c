// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Quotas and GPUs, of recorded machines. */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/held.h"
#include "sysfs_tree.h"

static uint64_t throttled, gpu;

static void ask(struct held *held, const char *root, const char *cgroup, pid_t pid)
{
	held__add(held, root, cgroup, pid);
	held__begin(held, root, pid);
	held__since(held, &throttled, &gpu);
	cr_expect_eq(throttled, 0, "nothing has happened since");
	cr_expect_eq(gpu, 0);
}

static void write_file(const char *root, const char *path, const char *text)
{
	_cleanup_free_ char *whole = xasprintf("%s/%s", root, path);
	FILE *file = fopen(whole, "w");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

/* v2: its own quota held it for 3 ms, that of its slice for 8. */
Test(held, the_level_that_held_longest)
{
	static const struct tree_file files[] = {
		{"proc/7/cgroup", "0::/web.slice/nginx.service\n"},
		{"sys/fs/cgroup/web.slice/nginx.service/cpu.stat",
		 "usage_usec 90\nnr_throttled 1\nthrottled_usec 1000\n"},
		{"sys/fs/cgroup/web.slice/cpu.stat", "throttled_usec 5000\n"},
		{"sys/fs/cgroup/cpu.stat", "usage_usec 90\n"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct held by_process = {0}, by_name = {0};

	ask(&by_process, root, NULL, 7);
	ask(&by_name, root, "/web.slice/nginx.service", 0);
	write_file(root, files[1].path, "throttled_usec 4000\n");
	write_file(root, files[2].path, "throttled_usec 13000\n");
	held__since(&by_process, &throttled, &gpu);
	cr_expect_eq(throttled, 8000000);
	held__since(&by_process, &throttled, &gpu);
	cr_expect_eq(throttled, 0, "it was said");
	held__since(&by_name, &throttled, &gpu);
	cr_expect_eq(throttled, 8000000);
	held__done(&by_process);
	held__done(&by_name);
	tree_remove(root);
}

/* Two processes of one cgroup, and one of another in the same slice: each cgroup is taken once, and
 * what held the slice held both. */
Test(held, several_processes)
{
	static const struct tree_file files[] = {
		{"proc/7/cgroup", "0::/web.slice/a\n"},
		{"proc/8/cgroup", "0::/web.slice/b\n"},
		{"proc/9/cgroup", "0::/web.slice/a\n"},
		{"sys/fs/cgroup/web.slice/a/cpu.stat", "throttled_usec 1\n"},
		{"sys/fs/cgroup/web.slice/b/cpu.stat", "throttled_usec 2\n"},
		{"sys/fs/cgroup/web.slice/cpu.stat", "throttled_usec 3\n"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct held held = {0};

	for (pid_t pid = 7; pid < 10; pid++)
		held__add(&held, root, NULL, pid);
	held__begin(&held, root, 7);
	cr_expect_eq(held.n_groups, 2);
	write_file(root, files[3].path, "throttled_usec 101\n");
	write_file(root, files[5].path, "throttled_usec 13\n");
	held__since(&held, &throttled, &gpu);
	cr_expect_eq(throttled, (100 + 10) * 1000);
	held__done(&held);
	tree_remove(root);
}

/* There may be thousands. */
Test(held, more_groups_than_are_looked_at)
{
	static const struct tree_file files[] = {{"proc/7/cgroup", "garbage\n"}};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct held held = {0};

	for (int i = 0; i < 2 * HELD_GROUPS_MAX; i++) {
		_cleanup_free_ char *path = xasprintf("%s/sys/fs/cgroup/%d", root, i);
		_cleanup_free_ char *file = xasprintf("sys/fs/cgroup/%d/cpu.stat", i);
		_cleanup_free_ char *parent = xasprintf("%s/sys/fs/cgroup", root);

		if (i == 0) {
			_cleanup_free_ char *sys = xasprintf("%s/sys", root);
			_cleanup_free_ char *fs = xasprintf("%s/sys/fs", root);

			mkdir(sys, 0755);
			mkdir(fs, 0755);
			mkdir(parent, 0755);
		}
		mkdir(path, 0755);
		write_file(root, file, "throttled_usec 1\n");
		held__add(&held, root, strrchr(path, '/'), 0);
	}
	cr_expect_eq(held.n_groups, HELD_GROUPS_MAX);
	held__done(&held);
	tree_remove(root);
}

/* v1: in ns, and in the hierarchy that has cpu. */
Test(held, v1)
{
	static const struct tree_file files[] = {
		{"proc/7/cgroup", "9:name=systemd:/other\n4:cpu,cpuacct:/docker/4f\n0::/\n"},
		{"sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.stat",
		 "nr_periods 9\nnr_throttled 2\nthrottled_time 100\n"},
		{"sys/fs/cgroup/cpu,cpuacct/other/cpu.stat", "throttled_time 100\n"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct held held = {0};

	ask(&held, root, NULL, 7);
	write_file(root, files[1].path, "nr_periods 9\nthrottled_time 350\n");
	write_file(root, files[2].path, "throttled_time 9000\n");
	held__since(&held, &throttled, &gpu);
	cr_expect_eq(throttled, 250);
	held__done(&held);
	tree_remove(root);
}

Test(held, nothing_is_there)
{
	static const struct tree_file files[] = {{"proc/7/cgroup", "garbage\n0:\n::\n"}};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct held held = {0};

	ask(&held, root, NULL, 7);
	held__done(&held);
	ask(&held, root, NULL, 8);
	held__done(&held);
	tree_remove(root);
}

static void link_fd(const char *root, const char *fd, const char *to)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/7/fd/%s", root, fd);

	cr_assert_eq(symlink(to, path), 0);
}

#define CLIENT(id, render, copy)                                                          \
	"pos:\t0\ndrm-driver:\ti915\ndrm-client-id:\t" id "\ndrm-engine-render:\t" render \
	" ns\ndrm-engine-capacity-video:\t99999999\ndrm-engine-copy:\t" copy " ns\n"

/* Two clients, one of which has two descriptors; and a file that says it is one and isn't. */
Test(held, the_busiest_engine)
{
	static const struct tree_file files[] = {
		{"proc/7/fd/none", ""},
		{"proc/7/fdinfo/3", CLIENT("5", "100", "10")},
		{"proc/7/fdinfo/4", CLIENT("5", "100", "10")},
		{"proc/7/fdinfo/5", CLIENT("6", "1000", "2")},
		{"proc/7/fdinfo/6", CLIENT("7", "5", "5")},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct held held = {0};

	link_fd(root, "3", "/dev/dri/renderD128");
	link_fd(root, "4", "/dev/dri/renderD128");
	link_fd(root, "5", "/dev/dri/card0");
	link_fd(root, "6", "/tmp/dev/dri/card0");
	ask(&held, root, NULL, 7);
	cr_expect(held.has_gpu);
	write_file(root, files[1].path, CLIENT("5", "160", "10"));
	write_file(root, files[2].path, CLIENT("5", "160", "10"));
	write_file(root, files[3].path, CLIENT("6", "1200", "3"));
	write_file(root, files[4].path, CLIENT("7", "999999", "5"));
	held__since(&held, &throttled, &gpu);
	cr_expect_eq(gpu, 260);
	held__done(&held);
	tree_remove(root);
}
