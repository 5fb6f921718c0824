// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pressure and quotas, of recorded machines. */
#include <criterion/criterion.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/pressure.h"
#include "sysfs_tree.h"

#define PSI(some, full)                                           \
	"some avg10=0.05 avg60=0.64 avg300=1.63 total=" some "\n" \
	"full avg10=0.00 avg60=0.00 avg300=0.00 total=" full "\n"

/* v2: its own pressure, and the quota of its slice. */
Test(pressure, a_process_of_v2)
{
	static const struct tree_file files[] = {
		{"proc/7/cgroup", "0::/web.slice/a\n"},
		{"proc/pressure/memory", PSI("1000", "10")},
		{"sys/fs/cgroup/web.slice/a/cpu.max", "max 100000\n"},
		{"sys/fs/cgroup/web.slice/a/io.pressure", PSI("5", "0")},
		{"sys/fs/cgroup/web.slice/cpu.max", "50000 100000\n"},
		{"sys/fs/cgroup/web.slice/cpu.stat",
		 "usage_usec 90\nnr_periods 10\nnr_throttled 3\nthrottled_usec 1000\n"},
	};
	static const struct tree_file later[] = {
		{"proc/pressure/memory", PSI("4000", "20")},
		{"sys/fs/cgroup/web.slice/a/io.pressure", PSI("105", "7")},
		{"sys/fs/cgroup/web.slice/cpu.stat",
		 "usage_usec 95\nnr_periods 30\nnr_throttled 8\nthrottled_usec 9000\n"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct pressures p;

	pressures__begin(&p, root);
	pressures__add_process(&p, 7);
	pressures__add_process(&p, 7);
	cr_assert_eq(p.n, 2);
	for (size_t i = 0; i < ARRAY_SIZE(later); i++)
		tree_write(root, &later[i]);
	pressures__since(&p);
	cr_expect_eq(p.machine.some_us[PRESSURE_MEMORY], 3000);
	cr_expect_eq(p.machine.full_us[PRESSURE_MEMORY], 10);
	cr_expect_str_eq(p.groups[0].path, "/web.slice/a");
	cr_expect(p.groups[0].asked);
	cr_expect_eq(p.groups[0].pressure.some_us[PRESSURE_IO], 100);
	cr_expect_eq(p.groups[0].pressure.full_us[PRESSURE_IO], 7);
	cr_expect_str_eq(p.groups[1].path, "/web.slice");
	cr_expect_str_eq(p.groups[1].folder + p.groups[1].root_len, "/sys/fs/cgroup/web.slice");
	cr_expect_not(p.groups[1].asked);
	cr_expect_float_eq(p.groups[1].cpus, 0.5, 1e-9);
	cr_expect_eq(p.groups[1].periods, 20);
	cr_expect_eq(p.groups[1].throttled, 5);
	cr_expect_eq(p.groups[1].throttled_ns, 8000000);
	pressures__done(&p);
	tree_remove(root);
}

/* v1: in ns, two files, and a second name for the hierarchy. */
Test(pressure, all_quotas_of_v1)
{
	static const struct tree_file files[] = {
		{"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
		{"sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.cfs_quota_us", "150000\n"},
		{"sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.cfs_period_us", "100000\n"},
		{"sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.stat",
		 "nr_periods 9\nnr_throttled 2\nthrottled_time 100\n"},
		{"sys/fs/cgroup/cpu,cpuacct/docker/none/cpu.cfs_quota_us", "-1\n"},
	};
	static const struct tree_file later =
		{"sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.stat",
		 "nr_periods 19\nnr_throttled 12\nthrottled_time 350\n"};
	char *root = tree_make(files, ARRAY_SIZE(files));
	_cleanup_free_ char *link = xasprintf("%s/sys/fs/cgroup/cpu", root);
	struct pressures p;

	cr_assert_eq(symlink("cpu,cpuacct", link), 0);
	pressures__begin(&p, root);
	cr_expect_not(p.machine.known);
	pressures__add_all(&p);
	cr_assert_eq(p.n, 1);
	tree_write(root, &later);
	pressures__since(&p);
	cr_expect_str_eq(p.groups[0].path, "/docker/4f");
	cr_expect_float_eq(p.groups[0].cpus, 1.5, 1e-9);
	cr_expect_eq(p.groups[0].periods, 10);
	cr_expect_eq(p.groups[0].throttled, 10);
	cr_expect_eq(p.groups[0].throttled_ns, 250);
	pressures__done(&p);
	tree_remove(root);
}

Test(pressure, nothing_and_garbage)
{
	static const struct tree_file files[] = {
		{"proc/7/cgroup", "garbage\n0:\n::\n0::/a\n"},
		{"proc/pressure/cpu", "some total=x\n"},
		{"sys/fs/cgroup/a/cpu.max", "100000\n"},
		{"sys/fs/cgroup/a/cpu.pressure", "\n"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct pressures p;

	pressures__begin(&p, root);
	pressures__add_process(&p, 7);
	pressures__add_process(&p, 8);
	pressures__add_cgroup(&p, "/");
	pressures__add_all(&p);
	pressures__since(&p);
	cr_expect_eq(p.machine.some_us[PRESSURE_CPU], 0);
	for (size_t i = 0; i < p.n; i++)
		cr_expect_eq(p.groups[i].throttled, 0);
	pressures__done(&p);
	tree_remove(root);
}

/* A host may have thousands: then not all are looked at, and it ends. */
Test(pressure, more_folders_than_are_looked_at)
{
	char *root = tree_make(NULL, 0);
	struct pressures p;

	tree_write(root, &(struct tree_file){"sys/fs/cgroup/cgroup.controllers", "cpu\n"});
	for (int i = 0; i < PRESSURE_GROUPS_MAX + 100; i++) {
		_cleanup_free_ char *path = xasprintf("sys/fs/cgroup/%d/cpu.max", i);

		tree_write(root, &(struct tree_file){path, "10000 100000\n"});
	}
	pressures__begin(&p, root);
	pressures__add_all(&p);
	cr_expect_eq(p.n, PRESSURE_GROUPS_MAX);
	pressures__done(&p);
	tree_remove(root);
}
