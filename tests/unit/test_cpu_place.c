// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where CPUs are, by the files of machines that aren't here. */
#include <criterion/criterion.h>

#include "sys/cpu_place.h"
#include "sysfs_tree.h"

#define CPU(n) "sys/devices/system/cpu/cpu" n

static const struct tree_file hybrid[] = {
	{CPU("1") "/topology/physical_package_id", "0\n"},
	{CPU("1") "/topology/core_id", "4\n"},
	{CPU("1") "/node0/cpulist", "0-11\n"},
	{CPU("9") "/topology/physical_package_id", "1\n"},
	{CPU("9") "/topology/core_id", "4\n"},
	{CPU("9") "/node12/cpulist", "8-11\n"},
	{CPU("9") "/cpufreq/scaling_governor", "powersave\n"},
	{"sys/bus/event_source/devices/cpu_core/cpus", "0-7\n"},
	{"sys/bus/event_source/devices/cpu_atom/cpus", "8-11\n"},
};

/* One kind of core; the hypervisor doesn't say which core is whose. */
static const struct tree_file plain[] = {
	{CPU("0") "/topology/physical_package_id", "-1\n"},
	{CPU("0") "/topology/core_id", "0\n"},
	{CPU("0") "/nodes/x", "\n"},
	{"sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "0-3\n"},
};

static void expect(const char *root, int cpu, const char *core, const char *type, int node,
		   const char *governor)
{
	struct cpu_place place;

	cpu_place__read(&place, root, cpu);
	cr_expect_str_eq(place.core ? place.core : "", core, "core of CPU %d", cpu);
	cr_expect_str_eq(place.type ? place.type : "", type, "type of CPU %d", cpu);
	cr_expect_eq(place.node, node, "node of CPU %d", cpu);
	cr_expect_str_eq(place.governor ? place.governor : "", governor, "governor of CPU %d", cpu);
	cpu_place__done(&place);
}

Test(cpu_place, of_cores_of_two_kinds)
{
	char *root = tree_make(hybrid, ARRAY_SIZE(hybrid));

	expect(root, 1, "core 0:4", "cpu_core", 0, "");
	expect(root, 9, "core 1:4", "cpu_atom", 12, "powersave");
	expect(root, 12, "", "", -1, "");
	tree_remove(root);
}

Test(cpu_place, what_is_not_said)
{
	char *root = tree_make(plain, ARRAY_SIZE(plain));

	expect(root, 0, "", "", -1, "");
	tree_remove(root);
}
