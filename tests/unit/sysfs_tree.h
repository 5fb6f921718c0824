/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Trees of sysfs (/sys/bus/event_source/devices), built in a temporary folder, so that tests need
 * no PMU: intel_tree below, short and with some garbage, and the machines of tests/trees/, in full.
 */
#ifndef PMUBPF_TESTS_SYSFS_TREE_H
#define PMUBPF_TESTS_SYSFS_TREE_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct tree_file {
	const char *path;
	const char *text;
};

__attribute__((unused)) static const struct tree_file intel_tree[] = {
	{"cpu/type", "4\n"},
	{"cpu/caps/max_precise", "3\n"},
	{"cpu/format/event", "config:0-7\n"},
	{"cpu/format/umask", "config:8-15\n"},
	{"cpu/format/edge", "config:18\n"},
	{"cpu/format/inv", "config:23\n"},
	{"cpu/format/cmask", "config:24-31\n"},
	{"cpu/format/ldlat", "config1:0-15\n"},
	{"cpu/format/frontend", "config1:0-23\n"},
	{"cpu/events/cpu-cycles", "event=0x3c\n"},
	{"cpu/events/cache-misses", "event=0x2e,umask=0x41\n"},
	{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{"cpu/events/read", "event=0x77\n"},
	{"cpu/events/param", "event=?,umask=1\n"},
	{"cpu/events/broken", "event=what\n"},
	{"cpu/events/slots", "event=0x0,umask=0x4\n"},
	{"cpu/events/slots.scale", "1\n"},
	{"cpu/events/slots.unit", "slots\n"},
	{"uncore_imc_0/type", "17\n"},
	{"uncore_imc_0/cpumask", "0\n"},
	{"uncore_imc_0/format/event", "config:0-7\n"},
	{"uncore_imc_0/events/data_reads", "event=0x1\n"},
	{"uncore_imc_1/type", "18\n"},
	{"uncore_imc_1/format/event", "config:0-7\n"},
	{"uncore_imc_1/events/data_reads", "event=0x1\n"},
	{"power/type", "19\n"},
	{"power/format/event", "config:0-7\n"},
	{"power/cpumask", "0,4\n"},
	{"power/events/energy-pkg", "event=0x02\n"},
	{"power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
	{"power/events/energy-pkg.unit", "Joules\n"},
	{"power/events/energy-psys", "event=0x05\n"},
	{"power/events/energy-psys.scale", "what\n"},
	{"power/events/energy-psys.unit", "Joules\n"},
	{"amd/type", "20\n"},
	{"amd/format/event", "config:0-7,32-35\n"},
	{"amd/format/wide", "config2:0-63\n"},
	{"amd/format/third", "config3:4-7\n"},
	{"tracepoint/type", "2\n"},
	{"breakpoint/type", "5\n"},
	{"software/type", "1\n"},
	/* garbage */
	{"notype/format/event", "config:0-7\n"},
	{"badtype/type", "-1\n"},
	{"hugetype/type", "99999999999\n"},
	{"cpu/format/bad1", "config:8-7\n"},
	{"cpu/format/bad2", "config:0-64\n"},
	{"cpu/format/bad3", "config9:0\n"},
	{"cpu/format/bad4", "config:\n"},
	{"cpu/format/bad5", "config:0-7,\n"},
	{"cpu/format/bad6", "\n"},
	{"cpu/events/empty", "\n"},
};

static void tree_write(const char *root, const struct tree_file *file)
{
	char *path = xasprintf("%s/%s", root, file->path);
	FILE *out;

	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	out = fopen(path, "we");
	cr_assert_not_null(out, "%s", path);
	fputs(file->text, out);
	fclose(out);
	free(path);
}

/* The caller removes and frees it with tree_remove. */
__attribute__((unused)) static char *tree_make(const struct tree_file *files, size_t n)
{
	const char *tmp = getenv("TMPDIR");
	char *root = xasprintf("%s/pmubpf-tree-XXXXXX", tmp ? tmp : "/tmp");

	cr_assert_not_null(mkdtemp(root));
	for (size_t i = 0; i < n; i++)
		tree_write(root, &files[i]);
	return root;
}

/*
 * Builds tests/trees/NAME.txt: a line "cpu/type: 4" is a file and its content, a line that begins
 * with # a comment. The caller removes and frees it with tree_remove.
 */
__attribute__((unused)) static char *tree_load(const char *name)
{
	_cleanup_free_ char *path = xasprintf(TREES "/%s.txt", name), *line = NULL;
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	char *root = tree_make(NULL, 0), *text;
	size_t cap = 0, n = 0;

	cr_assert_not_null(in, "%s", path);
	while (getline(&line, &cap, in) > 0) {
		if (*line == '#')
			continue;
		text = strstr(line, ": ");
		cr_assert_not_null(text, "%s: %s", path, line);
		*text = '\0';
		tree_write(root, &(struct tree_file){line, text + 2});
		n++;
	}
	cr_assert_gt(n, 0, "%s", path);
	return root;
}

static int tree_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

__attribute__((unused)) static void tree_remove(char *root)
{
	nftw(root, tree_unlink, 8, FTW_DEPTH | FTW_PHYS);
	free(root);
}

#endif
