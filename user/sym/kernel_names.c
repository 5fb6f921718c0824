// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/kernel_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "collect/kernel_ask.h"

/* What the kernel said of an address; its name is behind it. */
struct answer {
	uint64_t addr;
	uint64_t offset; /* in the symbol */
	bool named;
	UT_hash_handle hh;
	char name[];
};

struct kernel_names {
	struct kernel_ask *ask;   /* NULL: the table is read */
	struct answer *answers;   /* by address */
	struct kallsyms *modules; /* for addresses that it has no name for; NULL: not wanted yet */
	struct kallsyms *table;   /* NULL: there is none */
	bool begun, reading;
	bool checked;      /* whether the modules are still the same, */
	bool same_modules; /* and whether they are */
	bool latest;       /* nothing newer can be had */
};

struct kernel_names *kernel_names__new(void)
{
	return xcalloc(1, sizeof(struct kernel_names));
}

static void begin_table(struct kernel_names *k)
{
	if (k->begun)
		return;
	k->begun = true;
	k->reading = kallsyms__begin(NULL, NULL, &k->table) == 0;
}

bool kernel_names__reading(const struct kernel_names *k)
{
	return k->reading;
}

void kernel_names__read_on(struct kernel_names *k)
{
	int r = k->reading ? kallsyms__read_on(k->table) : 0;

	k->reading = r > 0;
	if (r < 0)
		k->table = kallsyms__free(k->table); /* which has no names */
}

void kernel_names__begin(struct kernel_names *k)
{
	if (k->begun || k->ask)
		return;
	k->ask = kernel_ask__new();
	if (!k->ask)
		begin_table(k);
}

bool kernel_names__asks(const struct kernel_names *k)
{
	return k->ask;
}

/* As read for the first time, to the end. */
static void read_table(struct kernel_names *k)
{
	if (!k->begun)
		k->latest = true;
	begin_table(k);
	while (k->reading)
		kernel_names__read_on(k);
}

void kernel_names__read(struct kernel_names *k)
{
	k->ask = kernel_ask__free(k->ask);
	read_table(k);
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

static void find_in_table(struct kernel_names *k, uint64_t addr, struct kernel_name *ret)
{
	read_table(k);
	kallsyms__find(k->table, addr, ret);
	if (is_settled(k, ret))
		return;
	read_again(k);
	kallsyms__find(k->table, addr, ret);
}

/* "symbol+0x1f/0x80 [module]", of which the symbol and the offset are kept; without one: "0x…". */
static void keep_answer(struct kernel_names *k, uint64_t addr, const char *text)
{
	const char *end = strstr(text, "+0x");
	size_t len = end ? (size_t)(end - text) : 0;
	const char *offset = text + len + strlen("+0x");
	struct answer *a = xcalloc(1, sizeof(*a) + len + 1);

	a->addr = addr;
	if (len)
		num__take_hex(&offset, &a->offset);
	a->named = len;
	memcpy(a->name, text, len);
	HASH_ADD(hh, k->answers, addr, sizeof(a->addr), a);
}

static struct answer *answered(struct kernel_names *k, uint64_t addr)
{
	struct answer *a;

	HASH_FIND(hh, k->answers, &addr, sizeof(addr), a);
	return a;
}

void kernel_names__expect(struct kernel_names *k, const uint64_t *addrs, size_t n)
{
	uint64_t some[KERNEL_ASK_MAX];
	const char *texts[KERNEL_ASK_MAX];

	for (size_t i = 0, n_some = 0; k->ask && i < n; i++) {
		if (!answered(k, addrs[i]))
			some[n_some++] = addrs[i];
		if (!n_some || (n_some < KERNEL_ASK_MAX && i + 1 < n))
			continue;
		if (kernel_ask__texts(k->ask, some, n_some, texts) < 0) {
			k->ask = kernel_ask__free(k->ask);
			return;
		}
		for (size_t j = 0; j < n_some; j++) {
			if (!answered(k, some[j]))
				keep_answer(k, some[j], texts[j]);
		}
		n_some = 0;
	}
}

void kernel_names__find(struct kernel_names *k, uint64_t addr, struct kernel_name *ret)
{
	const struct answer *a;

	kernel_names__expect(k, &addr, 1);
	a = answered(k, addr);
	if (!a) {
		find_in_table(k, addr, ret);
	} else if (a->named) {
		*ret = (struct kernel_name){.name = a->name,
					    .offset = a->offset,
					    .reason = SYM_NAMED};
	} else {
		if (!k->modules)
			k->modules = kallsyms__modules(NULL);
		kallsyms__find(k->modules, addr, ret);
	}
}

static void forget_answers(struct kernel_names *k)
{
	struct answer *a, *next;

	HASH_ITER(hh, k->answers, a, next) {
		HASH_DEL(k->answers, a);
		free(a);
	}
}

struct kernel_names *kernel_names__free(struct kernel_names *k)
{
	if (!k)
		return NULL;
	kernel_ask__free(k->ask);
	forget_answers(k);
	kallsyms__free(k->modules);
	kallsyms__free(k->table);
	free(k);
	return NULL;
}
