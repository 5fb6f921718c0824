/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's own symbol table (/proc/kallsyms): functions of the kernel, modules, BPF
 * programs. */
#ifndef PMUBPF_SYM_KALLSYMS_H
#define PMUBPF_SYM_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sym/reason.h"

struct kallsyms;

/* path NULL: /proc/kallsyms. Fails only if the file can't be read; hidden addresses (all zero) give
 * an empty table whose answers are SYM_NO_KALLSYMS. */
int kallsyms__load(const char *path, struct kallsyms **ret, struct err *err);
/* The same from other files; modules_path NULL: /proc/modules (a kernel without modules has none,
 * and that's fine). */
int kallsyms__load_from(const char *path, const char *modules_path, struct kallsyms **ret,
			struct err *err);
/* The same in parts, for who has more to do: the files are opened now, with the privileges of now.
 * Then read on until it is no more 1, which takes a millisecond or so each time: 0: all is there,
 * or a negative errno. */
int kallsyms__begin(const char *path, const char *modules_path, struct kallsyms **ret);
int kallsyms__read_on(struct kallsyms *ks);
/* No symbols, only the modules of now (path NULL: /proc/modules): what it finds is SYM_NO_SYMBOL,
 * and the module. */
struct kallsyms *kallsyms__modules(const char *path);
struct kallsyms *kallsyms__free(struct kallsyms *ks);

/* name and module are borrowed from ks (module NULL: the kernel proper, "bpf" for BPF programs).
 * Of several symbols at one address the answer is a global one before a local, then the one with
 * fewer leading underscores, the shorter one, the one that sorts first. ks NULL: SYM_NO_KALLSYMS.
 * offset is that in the symbol. Without a name: module and the offset from the start of its core
 * section, from modules_path (/proc/modules), when the address lies in a module. */
struct kernel_name {
	const char *name;
	const char *module;
	uint64_t offset;
	enum sym_reason reason;
};
void kallsyms__find(const struct kallsyms *ks, uint64_t addr, struct kernel_name *ret);

/* Nothing has an address. */
bool kallsyms__is_hidden(const struct kallsyms *ks);
/* From a symbol's address to that of the next one, or to the end of its section; 0: nobody says. */
uint64_t kallsyms__size(const struct kallsyms *ks, uint64_t addr);

/* Whether the modules of now (path NULL: /proc/modules) are those of then, at their places. */
bool kallsyms__same_modules(const struct kallsyms *ks, const char *modules_path);

#endif
