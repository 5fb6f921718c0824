// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the processors are, and what was taken from programs: of recorded machines. */
#include <criterion/criterion.h>

#include "render/loss.h"
#include "sys/processor.h"
#include "sysfs_tree.h"

static const struct tree_file before[] = {
	{"proc/stat", "cpu  100 10 200 1000 5 0 7 78 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"},
	{"sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n"},
	{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"},
	{"sys/devices/system/node/online", "0-1\n"},
	{"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"},
	{"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n"},
	{"sys/bus/event_source/devices/cpu_core/cpus", "0-7\n"},
	{"sys/bus/event_source/devices/cpu_atom/cpus", "8-11\n"},
};

/* 100 ticks later, 25 of them stolen, one core once too hot */
static const struct tree_file after[] = {
	{"proc/stat", "cpu  150 10 200 1025 5 0 7 103 90 0\n"},
	{"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"},
	{"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5\n"},
};

static const struct tree_file bare[] = {{"proc/stat", "garbage 1 2\n"}};

Test(processor, what_it_is)
{
	char *root = tree_make(before, ARRAY_SIZE(before));
	struct buf out = {0};

	processor_describe(root, &out);
	cr_expect_str_eq(out.data,
			 ", cpu_atom is CPUs 8-11, cpu_core is CPUs 0-7, 2 threads a core, "
			 "2 NUMA nodes, governor powersave");
	buf__done(&out);
	tree_remove(root);
}

/* Juno's cores of two kinds, each with its governor; and an arm64 whose cores are alike. */
Test(processor, what_arm64_is)
{
	static const struct tree_file juno[] = {
		{"sys/bus/event_source/devices/armv8_cortex_a53/cpus", "0,3-5\n"},
		{"sys/bus/event_source/devices/armv8_cortex_a57/cpus", "1-2\n"},
		{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n"},
		{"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"},
		{"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"},
		{"sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n"},
	};
	static const struct tree_file neoverse[] = {
		{"sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "0-79\n"},
	};
	char *root = tree_make(juno, ARRAY_SIZE(juno));
	struct buf out = {0};

	processor_describe(root, &out);
	cr_expect_str_eq(out.data, ", armv8_cortex_a53 is CPUs 0,3-5, armv8_cortex_a57 is CPUs 1-2"
				   ", governors schedutil and performance");
	tree_remove(root);
	root = tree_make(neoverse, ARRAY_SIZE(neoverse));
	buf__clear(&out);
	processor_describe(root, &out);
	cr_expect_eq(out.len, 0);
	buf__done(&out);
	tree_remove(root);
}

Test(processor, whose_core_it_shares)
{
	static const struct tree_file cores[] = {
		{"sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n"},
		{"sys/devices/system/cpu/cpu4/topology/thread_siblings_list", "0,4\n"},
		{"sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2-3\n"},
		{"sys/devices/system/cpu/cpu8/topology/thread_siblings_list", "8\n"},
		{"sys/devices/system/cpu/cpu9/topology/thread_siblings_list", "9-12\n"},
		{"sys/devices/system/cpu/cpu5/topology/thread_siblings_list", "6,7\n"},
	};
	static const int want[][2] = {{0, 4}, {4, 0}, {2, 3}, {8, -1}, {9, -1}, {5, -1}, {1, -1}};
	char *root = tree_make(cores, ARRAY_SIZE(cores));

	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		cr_expect_eq(processor_sibling(root, want[i][0]), want[i][1], "CPU %d", want[i][0]);
	tree_remove(root);
}

Test(processor, what_was_taken)
{
	char *first = tree_make(before, ARRAY_SIZE(before));
	char *then = tree_make(after, ARRAY_SIZE(after));
	struct processor_counts a, b;
	struct processor_loss loss;

	processor_count(first, &a);
	processor_count(then, &b);
	cr_expect_eq(a.ticks, 1400, "guests' time is in users'");
	cr_expect_eq(a.stolen, 78);
	loss = processor_loss(&a, &b);
	cr_expect_float_eq(loss.stolen_percent, 25, 1e-9);
	cr_expect(loss.knows_heat);
	cr_expect_eq(loss.throttled, 1);
	loss = processor_loss(&b, &a);
	cr_expect_float_eq(loss.stolen_percent, 0, 1e-9, "a CPU went away");
	tree_remove(first);
	tree_remove(then);
}

Test(processor, that_says_nothing)
{
	char *root = tree_make(bare, ARRAY_SIZE(bare));
	struct processor_counts counts;
	struct buf out = {0};

	processor_count(root, &counts);
	cr_expect_not(counts.knows_heat);
	processor_describe(root, &out);
	cr_expect_eq(out.len, 0);
	buf__done(&out);
	tree_remove(root);
}

/* By the second: what comes between two looks was there from the first of them on. */
Test(processor, since_when)
{
	static const uint64_t S = 1000000000;
	char *first = tree_make(before, ARRAY_SIZE(before));
	char *then = tree_make(after, ARRAY_SIZE(after));
	struct processor_watch watch = {0};
	struct processor_loss loss;

	processor_watch__begin(&watch, first, 5 * S);
	processor_watch__begin(&watch, then, 6 * S); /* it has */
	processor_watch__look(&watch, then, 5 * S + S / 2);
	cr_expect_eq(watch.last.throttled, 7, "it wasn't due");
	processor_watch__look(&watch, first, 7 * S);
	processor_watch__look(&watch, then, 9 * S);
	loss = processor_watch__loss(&watch, then, 12 * S);
	cr_expect(loss.watched);
	cr_expect_eq(loss.throttled, 1);
	cr_expect_eq(loss.throttled_from_ns, 2 * S, "%zu", (size_t)loss.throttled_from_ns);
	cr_expect_eq(loss.stolen_from_ns, 2 * S, "%zu", (size_t)loss.stolen_from_ns);
	cr_expect_float_eq(loss.stolen_percent, 25, 1e-9);
	tree_remove(first);
	tree_remove(then);
}

Test(processor, in_words)
{
	const struct processor_loss loss = {
		.stolen_percent = 2.5,
		.throttled = 3,
		.knows_heat = true,
		.watched = true,
		.throttled_from_ns = 12000000000,
	};
	const struct processor_loss little = {.stolen_percent = 0.9, .watched = true};
	struct buf out = {0};

	loss__text(&little, &out);
	cr_expect_eq(out.len, 0);
	loss__text(&loss, &out);
	cr_expect_str_eq(
		out.data,
		"  the hypervisor took 2.5 % of the CPUs' time (from the beginning on); clocks "
		"count it as time of the program that was on the CPU\n"
		"  CPUs were slowed down 3 times (from 12 s on) because they were too hot: cycles "
		"took longer than usual\n");
	buf__done(&out);
}
