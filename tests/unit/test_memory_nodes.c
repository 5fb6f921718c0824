// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which node memory is on, by the folders of a machine that isn't here. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "sys/memory_nodes.h"

static char root[] = "/tmp/pmb-nodes.XXXXXX";

static void put(const char *path, const char *text)
{
	char *whole = xasprintf("%s%s", root, path);
	FILE *file;

	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(whole, 0755);
		*at = '/';
	}
	file = fopen(whole, "w");
	cr_assert(file);
	fputs(text, file);
	fclose(file);
	free(whole);
}

static void begin(void)
{
	cr_assert(mkdtemp(root));
}

static void end(void)
{
	char *rm = xasprintf("rm -rf %s", root);

	cr_expect_eq(system(rm), 0);
	free(rm);
}

TestSuite(memory_nodes, .init = begin, .fini = end);

#define NODE "/sys/devices/system/node/node"

Test(memory_nodes, by_blocks)
{
	struct memory_nodes m;

	put("/sys/devices/system/memory/block_size_bytes", "8000000\n");
	put(NODE "0/memory0/state", "");
	put(NODE "0/memory2/state", "");
	put(NODE "1/memory1/state", "");
	put(NODE "1/memory2/state", "");
	put(NODE "10/memory40/state", "");
	put(NODE "10/memory_side_cache/size", "");
	put(NODE "11/meminfo", "");
	memory_nodes__read(&m, root);
	cr_expect_eq(m.n_nodes, 3, "those with memory");
	cr_expect_eq(memory_nodes__of(&m, 0), 0);
	cr_expect_eq(memory_nodes__of(&m, 0x7ffffff), 0);
	cr_expect_eq(memory_nodes__of(&m, 0x8000000), 1);
	cr_expect_eq(memory_nodes__of(&m, 0x10000000), -1, "two have it");
	cr_expect_eq(memory_nodes__of(&m, 0x18000000), -1);
	cr_expect_eq(memory_nodes__of(&m, 0x140000000), 10);
	cr_expect_eq(memory_nodes__of(&m, UINT64_MAX), -1);
	memory_nodes__done(&m);
}

Test(memory_nodes, where_the_kernel_says_nothing)
{
	struct memory_nodes m;

	put(NODE "0/memory0/state", "");
	memory_nodes__read(&m, root);
	cr_expect_eq(m.n_nodes, 0);
	cr_expect_eq(memory_nodes__of(&m, 0), -1);
	memory_nodes__done(&m);
}
