// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which node memory is on, by the folders of a machine that isn't here. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sys/memory_nodes.h"
#include "sysfs_tree.h"

#define NODE "sys/devices/system/node/node"
#define BLOCK_SIZE "sys/devices/system/memory/block_size_bytes"

Test(memory_nodes, by_blocks)
{
	static const struct tree_file files[] = {
		{BLOCK_SIZE, "8000000\n"},
		{NODE "0/memory0/state", ""},
		{NODE "0/memory2/state", ""},
		{NODE "1/memory1/state", ""},
		{NODE "1/memory2/state", ""},
		{NODE "10/memory40/state", ""},
		{NODE "10/memory_side_cache/size", ""},
		{NODE "11/meminfo", ""},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct memory_nodes m;

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
	tree_remove(root);
}

Test(memory_nodes, where_the_kernel_says_nothing)
{
	static const struct tree_file files[] = {{NODE "0/memory0/state", ""}};
	char *root = tree_make(files, ARRAY_SIZE(files));
	struct memory_nodes m;

	memory_nodes__read(&m, root);
	cr_expect_eq(m.n_nodes, 0);
	cr_expect_eq(memory_nodes__of(&m, 0), -1);
	memory_nodes__done(&m);
	tree_remove(root);
}
