// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A treap for each process: a tree by address that is a heap by random numbers. The numbers are not
 * to be known to whom the addresses belong, or it could make a list of it. A child begins with its
 * parent's tree. Nodes know how many trees, or nodes above, have them: one that others have, too,
 * is copied on the way to what changes, a few dozen for each change.
 */
#include "model/blocks.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/sites.h"

struct node {
	struct node *left, *right;
	uint64_t addr, size;
	uint32_t site, priority;
	uint32_t owners; /* trees that have it as their root, and nodes that it is below */
	uint32_t tgid;   /* who allocated it */
};

/* With what the heap takes for it. */
enum { NODE_BYTES = sizeof(struct node) + 16 };

struct block_process {
	UT_hash_handle hh;
	uint32_t tgid;
	bool shares; /* nodes with others, as far as is known */
	struct node *root;
};

enum {
	/* Copied at most by a change, with any likelihood: four ways down a tree. Of 2^20 nodes one
	 * is 60 long once in 10^12. */
	COPIES_MAX = 256,
	OWNERS_MAX = UINT32_MAX / 2,
};

static struct block_process *find(const struct blocks *b, uint32_t tgid)
{
	struct block_process *process;

	HASH_FIND(hh, b->by_tgid, &tgid, sizeof(tgid), process);
	return process;
}

static bool take(struct blocks *b, size_t bytes)
{
	if (b->limit && b->bytes + bytes > b->limit)
		return false;
	b->bytes += bytes;
	return true;
}

static uint32_t next_random(struct blocks *b)
{
	if (!b->random && getrandom(&b->random, sizeof(b->random), GRND_NONBLOCK) < 0)
		b->random = (uintptr_t)b;
	b->random |= 1; /* of xorshift, 0 has no successor */
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return (uint32_t)(b->random >> 32);
}

/* The node as this tree may change it, in place of the one that others have, too. */
static struct node *own(struct blocks *b, struct node *node)
{
	struct node *copy;

	if (node->owners == 1)
		return node;
	copy = xcalloc(1, sizeof(*copy));
	*copy = *node;
	copy->owners = 1;
	b->bytes += NODE_BYTES; /* has_room_for_copies() */
	node->owners--;
	if (copy->left)
		copy->left->owners++;
	if (copy->right)
		copy->right->owners++;
	return copy;
}

/* Those that begin below addr, and the others. */
static void split(struct blocks *b, struct node *node, uint64_t addr, struct node **ret_below,
		  struct node **ret_rest)
{
	while (node) {
		node = own(b, node);
		if (node->addr < addr) {
			*ret_below = node;
			ret_below = &node->right;
			node = node->right;
		} else {
			*ret_rest = node;
			ret_rest = &node->left;
			node = node->left;
		}
	}
	*ret_below = *ret_rest = NULL;
}

/* All of the first begin below all of the second. */
static struct node *join(struct blocks *b, struct node *below, struct node *above)
{
	struct node *root, **at = &root;

	while (below && above) {
		if (below->priority > above->priority) {
			*at = below = own(b, below);
			at = &below->right;
			below = below->right;
		} else {
			*at = above = own(b, above);
			at = &above->left;
			above = above->left;
		}
	}
	*at = below ? below : above;
	return root;
}

static void free_node(struct blocks *b, struct node *node)
{
	b->bytes -= NODE_BYTES;
	free(node);
}

/* One owner less; NULL, unless it was the last: then it is ours to take apart. */
static struct node *let_go(struct node *node)
{
	return node && !--node->owners ? node : NULL;
}

/* Turns right until there is nothing to the left: however deep it is, no stack is needed. What
 * others have, too, stays. */
static void free_all(struct blocks *b, struct node *node)
{
	node = let_go(node);
	while (node) {
		struct node *left = let_go(node->left);

		if (left) {
			/* both are nobody's any more, so owners don't matter */
			node->left = left->right;
			left->right = node;
			node->owners = 1;
			node = left;
		} else {
			struct node *right = let_go(node->right);

			free_node(b, node);
			node = right;
		}
	}
}

static struct node *last(struct node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

static struct block_process *add_process(struct blocks *b, uint32_t tgid)
{
	struct block_process *process;

	if (!take(b, sizeof(*process)))
		return NULL;
	process = xcalloc(1, sizeof(*process));
	process->tgid = tgid;
	HASH_ADD(hh, b->by_tgid, tgid, sizeof(process->tgid), process);
	return process;
}

static void clear(struct blocks *b, struct block_process *process, uint64_t from, uint64_t to)
{
	struct node *below, *inside, *above, *before;

	split(b, process->root, from, &below, &inside);
	split(b, inside, to, &inside, &above);
	free_all(b, inside);
	before = last(below);
	if (before && before->addr + before->size > from) {
		split(b, below, before->addr, &below, &before);
		free_all(b, before);
	}
	process->root = join(b, below, above);
}

static void insert(struct blocks *b, struct block_process *process, struct node *node)
{
	struct node *below, *above;

	split(b, process->root, node->addr, &below, &above);
	process->root = join(b, join(b, below, node), above);
}

static void empty(struct blocks *b, struct block_process *process)
{
	free_all(b, process->root);
	process->root = NULL;
	process->shares = false;
}

/* What it takes to change a tree that shares nodes with others'; else it is emptied. */
static void make_room_for_copies(struct blocks *b, struct block_process *process)
{
	if (!process->shares || !b->limit || b->bytes + COPIES_MAX * NODE_BYTES <= b->limit)
		return;
	empty(b, process);
	b->forgotten++;
}

bool blocks__put(struct blocks *b, uint32_t tgid, uint64_t addr, uint64_t size, uint32_t site)
{
	struct block_process *process = find(b, tgid) ?: add_process(b, tgid);
	uint64_t end;
	struct node *node;

	if (__builtin_add_overflow(addr, size ? size : 1, &end) || end >> 63 || !process)
		return false;
	make_room_for_copies(b, process);
	clear(b, process, addr, end);
	if (!take(b, NODE_BYTES))
		return false;
	node = xcalloc(1, sizeof(*node));
	*node = (struct node){.addr = addr,
			      .size = end - addr,
			      .site = site,
			      .priority = next_random(b),
			      .owners = 1,
			      .tgid = tgid};
	insert(b, process, node);
	return true;
}

/* The last that begins at or below the address. */
static const struct node *at_or_below(const struct block_process *process, uint64_t addr)
{
	const struct node *best = NULL;

	for (const struct node *node = process ? process->root : NULL; node;) {
		if (node->addr <= addr)
			best = node;
		node = node->addr <= addr ? node->right : node->left;
	}
	return best;
}

void blocks__take(struct blocks *b, uint32_t tgid, uint64_t addr)
{
	struct block_process *process = find(b, tgid);
	const struct node *node = at_or_below(process, addr);

	if (!node || node->addr != addr)
		return;
	make_room_for_copies(b, process);
	clear(b, process, addr, addr + 1);
}

bool blocks__cut(struct blocks *b, uint32_t tgid, uint64_t addr, uint64_t size)
{
	struct block_process *process = find(b, tgid);
	const struct node *first = at_or_below(process, addr), *last;
	struct node begins = {0}, ends = {0};
	uint64_t end;
	bool room = true;

	if (!process || !size || __builtin_add_overflow(addr, size, &end))
		return true;
	last = at_or_below(process, end - 1);
	if (first && first->addr < addr && first->addr + first->size > addr)
		begins = *first;
	if (last && last->addr + last->size > end)
		ends = *last;
	if (!last || last->addr + last->size <= addr)
		return true; /* there is nothing */
	make_room_for_copies(b, process);
	clear(b, process, addr, end);
	if (begins.size)
		room = blocks__put(b, tgid, begins.addr, addr - begins.addr, begins.site);
	if (ends.size)
		room &= blocks__put(b, tgid, end, ends.addr + ends.size - end, ends.site);
	return room;
}

uint32_t blocks__site(const struct blocks *b, uint32_t tgid, uint64_t addr, bool *ret_inherited)
{
	const struct node *node = at_or_below(find(b, tgid), addr);

	*ret_inherited = node && node->tgid != tgid;
	return node && addr - node->addr < node->size ? node->site : SITE_UNKNOWN;
}

void blocks__fork(struct blocks *b, uint32_t parent, uint32_t child)
{
	struct block_process *from = find(b, parent), *to;

	blocks__forget(b, child);
	if (!from || !from->root || from->root->owners > OWNERS_MAX)
		return;
	to = add_process(b, child);
	if (!to) {
		b->forgotten++;
		return;
	}
	to->root = from->root;
	to->root->owners++;
	from->shares = to->shares = true;
}

static void drop(struct blocks *b, struct block_process *process)
{
	empty(b, process);
	b->bytes -= sizeof(*process);
	HASH_DEL(b->by_tgid, process);
	free(process);
}

void blocks__forget(struct blocks *b, uint32_t tgid)
{
	struct block_process *process = find(b, tgid);

	if (process)
		drop(b, process);
}

void blocks__forget_all(struct blocks *b)
{
	struct block_process *process, *next;

	HASH_ITER(hh, b->by_tgid, process, next)
		drop(b, process);
}

void blocks__done(struct blocks *b)
{
	blocks__forget_all(b);
}
