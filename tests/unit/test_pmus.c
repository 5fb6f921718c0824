// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "sys/pmus.h"
#include "sysfs_tree.h"

static char *root;
static struct pmus pmus;

static void setup(void)
{
	root = tree_make(intel_tree, ARRAY_SIZE(intel_tree));
	cr_assert_eq(pmus__read(&pmus, root), 0);
}

static void teardown(void)
{
	pmus__done(&pmus);
	tree_remove(root);
}

TestSuite(pmus, .init = setup, .fini = teardown);

Test(pmus, finds_those_with_a_type_sorted)
{
	static const char *const names[] = {"amd",          "breakpoint",  "cpu",
					    "power",        "software",    "tracepoint",
					    "uncore_imc_0", "uncore_imc_1"};

	cr_assert_eq(pmus.n, ARRAY_SIZE(names));
	for (size_t i = 0; i < pmus.n; i++)
		cr_expect_str_eq(pmus.pmus[i].name, names[i]);
	cr_expect_null(pmus__find(&pmus, "notype"));
	cr_expect_null(pmus__find(&pmus, "hugetype"));
}

Test(pmus, reads_what_a_pmu_says)
{
	const struct pmu *cpu = pmus__find(&pmus, "cpu");

	cr_assert_not_null(cpu);
	cr_expect_eq(cpu->type, 4);
	cr_expect_eq(cpu->max_precise, 3);
	cr_expect_null(cpu->cpumask);
	cr_expect_eq(cpu->n_fields, 7, "garbage is left out");
	cr_expect_str_eq(pmu__event(cpu, "mem-loads")->text, "event=0xcd,umask=0x1,ldlat=3");
	cr_expect_str_eq(pmu__event(cpu, "MEM-loads")->name, "mem-loads");
	cr_expect_null(pmu__event(cpu, "slots.unit"));
	cr_expect_str_eq(pmu__event(cpu, "slots")->unit, "slots");
	cr_expect_eq(pmu__event(cpu, "slots")->scale, 1);
	cr_expect_null(pmu__event(cpu, "mem-loads")->unit);
	cr_expect_eq(pmu__event(cpu, "mem-loads")->scale, 0);
	cr_expect_null(pmu__event(cpu, "empty"));
	cr_expect_eq(pmu__field(cpu, "ldlat")->config, 1);
	cr_expect_null(pmu__field(cpu, "bad1"));
	cr_expect_str_eq(pmus__find(&pmus, "uncore_imc_0")->cpumask, "0");
	cr_expect_eq(pmus__find(&pmus, "power")->max_precise, -1);
	cr_expect_eq(pmus__core(&pmus), cpu);
}

Test(pmus, deals_a_value_out_over_ranges)
{
	const struct pmu_field *event = pmu__field(pmus__find(&pmus, "amd"), "event");
	uint64_t word = 0xff00;

	cr_expect_eq(pmu_field__width(event), 12);
	cr_expect_eq(pmu_field__put(event, 0x1a2, &word), 0);
	cr_expect_eq(word, 0x10000ffa2, "0x%" PRIx64, word);
	cr_expect_eq(pmu_field__put(event, 0xf00, &word), 0);
	cr_expect_eq(word, 0xf0000ff00, "the old value is gone: 0x%" PRIx64, word);
	cr_expect_eq(pmu_field__put(event, 0x1000, &word), -ERANGE);
	cr_expect_eq(word, 0xf0000ff00);
}

Test(pmus, whole_word_fields)
{
	const struct pmu_field *wide = pmu__field(pmus__find(&pmus, "amd"), "wide");
	uint64_t word = 0;

	cr_expect_eq(pmu_field__width(wide), 64);
	cr_expect_eq(pmu_field__put(wide, UINT64_MAX, &word), 0);
	cr_expect_eq(word, UINT64_MAX);
}

Test(pmus, refuses_bad_formats)
{
	static const char *const bad[] = {
		"",
		"config",
		"config:",
		"config:a",
		"config:1-",
		"config:7-0",
		"config:64",
		"config:0-64",
		"config4:0",
		"config1",
		"config10:0",
		"configx:0",
		"config:0,",
		"config:0 1",
		"config:-1",
		"config:99999999999999999999",
		"config:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pmu_field field = {.config = 9};

		cr_expect_lt(pmu_field__parse(bad[i], &field), 0, "'%s'", bad[i]);
		cr_expect_eq(field.config, 9, "'%s' touched the result", bad[i]);
	}
}

Test(pmus, a_missing_tree_is_an_error)
{
	struct pmus none;

	cr_expect_eq(pmus__read(&none, "/nonexistent"), -ENOENT);
	cr_expect_eq(none.n, 0);
	cr_expect_null(pmus__core(&none));
	pmus__done(&none);
}

Test(pmus, odd_files_do_no_harm)
{
	struct tree_file file = {"odd/type", "21\n"};
	char *path = xasprintf("%s/odd/format", root);
	struct pmus again;

	tree_write(root, &file);
	mkdir(path, 0755);
	free(path);
	path = xasprintf("%s/odd/format/folder", root);
	mkdir(path, 0755);
	free(path);
	path = xasprintf("%s/odd/format/fifo", root);
	mkfifo(path, 0644);
	free(path);
	path = xasprintf("%s/odd/events", root);
	cr_assert_eq(symlink("/proc/self/mem", path), 0);
	free(path);
	cr_assert_eq(pmus__read(&again, root), 0);
	cr_expect_eq(pmus__find(&again, "odd")->n_fields, 0);
	cr_expect_eq(pmus__find(&again, "odd")->n_events, 0);
	pmus__done(&again);
}

static size_t count_files(const char *top, const struct pmu *pmu, const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/%s/%s", top, pmu->name, folder);
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.' && !strstr(entry->d_name, ".scale") &&
		     !strstr(entry->d_name, ".unit");
	return n;
}

static void expect_all_is_read(const char *machine)
{
	char *tree = tree_load(machine);
	struct pmus all;

	cr_assert_eq(pmus__read(&all, tree), 0);
	cr_expect_gt(all.n, 3, "%s", machine);
	for (size_t k = 0; k < all.n; k++) {
		cr_expect_eq(all.pmus[k].n_fields, count_files(tree, &all.pmus[k], "format"),
			     "%s: %s", machine, all.pmus[k].name);
		cr_expect_eq(all.pmus[k].n_events, count_files(tree, &all.pmus[k], "events"),
			     "%s: %s", machine, all.pmus[k].name);
	}
	pmus__done(&all);
	tree_remove(tree);
}

/* The machines of tests/trees/: whatever the drivers wrote is understood. */
Test(machines, every_field_and_event_is_read)
{
	_cleanup_closedir_ DIR *dir = opendir(TREES);
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		char *suffix = strstr(entry->d_name, ".txt");

		if (!suffix)
			continue;
		*suffix = '\0';
		expect_all_is_read(entry->d_name);
		n++;
	}
	cr_expect_geq(n, 7);
}
