// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/memory_nodes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "sys/names_in.h"
#include "sys/procfs.h"

#define NODES "/sys/devices/system/node"
#define BLOCK_SIZE "/sys/devices/system/memory/block_size_bytes"

enum {
	BLOCKS_MAX = 1 << 20, /* blocks of 128 MiB of 128 TiB; larger memory has larger ones */
	NODES_MAX = 4096,
	SEVERAL = UINT16_MAX,
};

static uint64_t read_block_size(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s" BLOCK_SIZE, root), *text = file_read_line(path);
	uint64_t bytes;

	return !text || num__parse_hex(text, &bytes) < 0 ? 0 : bytes;
}

static void put(struct memory_nodes *m, size_t block, int node)
{
	size_t before = m->n;

	if (block >= BLOCKS_MAX)
		return;
	if (block >= m->n) {
		m->n = block + 1;
		m->node_of = xrealloc(m->node_of, m->n, sizeof(*m->node_of));
		memset(m->node_of + before, 0, (m->n - before) * sizeof(*m->node_of));
	}
	m->node_of[block] = m->node_of[block] ? SEVERAL : (uint16_t)(node + 1);
}

/* The blocks of a node are links in its folder: memory32. */
static bool read_node(struct memory_nodes *m, const char *root, const char *name, int node)
{
	_cleanup_free_ char *path = xasprintf(NODES "/%s", name);
	_cleanup_(names_in__done) struct names_in blocks;
	bool any = false;
	uint64_t block;

	names_in__read(&blocks, root, path, "memory");
	for (size_t i = 0; i < blocks.n; i++) {
		if (num__parse_u64(blocks.list[i] + strlen("memory"), &block) < 0)
			continue;
		put(m, (size_t)block, node);
		any = true;
	}
	return any;
}

void memory_nodes__read(struct memory_nodes *ret, const char *root)
{
	_cleanup_(names_in__done) struct names_in nodes;

	*ret = (struct memory_nodes){.block = read_block_size(root)};
	names_in__read(&nodes, root, NODES, "node");
	for (size_t i = 0; i < nodes.n && ret->block; i++) {
		int node;

		if (num__parse_int(nodes.list[i] + strlen("node"), 0, NODES_MAX, &node) == 0)
			ret->n_nodes += read_node(ret, root, nodes.list[i], node);
	}
}

void memory_nodes__done(struct memory_nodes *m)
{
	free(m->node_of);
	*m = (struct memory_nodes){0};
}

int memory_nodes__of(const struct memory_nodes *m, uint64_t phys)
{
	uint64_t block = m->block ? phys / m->block : m->n;

	return block < m->n && m->node_of[block] != SEVERAL ? m->node_of[block] - 1 : -1;
}
