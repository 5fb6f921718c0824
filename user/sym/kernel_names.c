// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/kernel_names.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct kernel_names {
	struct kallsyms *table; /* the thread's until it is joined */
	pthread_t thread;
	bool begun, joined;
	bool checked;      /* whether the modules are still the same, */
	bool same_modules; /* and whether they are */
	bool latest;       /* nothing newer can be had */
};

struct kernel_names *kernel_names__new(void)
{
	return xcalloc(1, sizeof(struct kernel_names));
}

static void *read_all(void *ctx)
{
	struct kernel_names *k = ctx;

	kallsyms__load(NULL, &k->table, NULL); /* or it stays NULL, which has no names */
	return NULL;
}

void kernel_names__begin(struct kernel_names *k)
{
	if (k->begun)
		return;
	k->begun = true;
	k->joined = pthread_create(&k->thread, NULL, read_all, k) != 0;
	if (k->joined)
		read_all(k);
}

const struct kallsyms *kernel_names__get(struct kernel_names *k)
{
	kernel_names__begin(k);
	if (!k->joined)
		pthread_join(k->thread, NULL);
	k->joined = true;
	return k->table;
}

static void read_again(struct kernel_names *k)
{
	struct kallsyms *again = NULL;

	kallsyms__load(NULL, &again, NULL);
	if (again) {
		kallsyms__free(k->table);
		k->table = again;
	}
	k->latest = true;
}

static bool same_modules(struct kernel_names *k)
{
	if (!k->checked)
		k->same_modules = kallsyms__same_modules(k->table, NULL);
	k->checked = true;
	return k->same_modules;
}

/* The kernel proper stays what it is, and so does a module in its place; all else may be new. */
static bool is_settled(struct kernel_names *k, const struct kernel_name *found)
{
	if (k->latest || !k->table || found->reason == SYM_NO_KALLSYMS)
		return true;
	if (!found->name)
		return false;
	if (!found->module)
		return true;
	return strcmp(found->module, "bpf") != 0 &&
	       strncmp(found->module, "__builtin__", 11) != 0 && same_modules(k);
}

void kernel_names__find(struct kernel_names *k, uint64_t addr, struct kernel_name *ret)
{
	if (!k->begun)
		k->latest = true;
	kallsyms__find(kernel_names__get(k), addr, ret);
	if (is_settled(k, ret))
		return;
	read_again(k);
	kallsyms__find(k->table, addr, ret);
}

struct kernel_names *kernel_names__free(struct kernel_names *k)
{
	if (!k)
		return NULL;
	if (k->begun)
		kernel_names__get(k);
	kallsyms__free(k->table);
	free(k);
	return NULL;
}
