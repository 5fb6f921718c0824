// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_returns.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/probed_insn.h"

enum {
	STUBS_MAX = 4,     /* functions in a row that are jumps */
	FOLLOWED_MAX = 16, /* functions that a call may end in */
	STUB_BYTES = 32,   /* of a beginning that are looked at */
};

struct follower {
	struct elf_file *elf;
	struct elf_function of[FOLLOWED_MAX];
	size_t n;
	struct elf_exit *ret;
	uint32_t *ret_n;
};

/* The function that a jump leads to, if it is the beginning of one: of a name, where a stub stands
 * between. */
static bool function_at(struct elf_file *elf, uint64_t target, struct elf_function *ret)
{
	struct elf_name name;

	if (elf_file__find(elf, target, &name) && name.plt) {
		_cleanup_free_ char *copy = xstrndup(name.name, name.len);

		return elf_file__function_named(elf, copy, name.len, ret) == 1 && !ret->chooses;
	}
	return elf_file__function(elf, target, &ret->start, &ret->end) && ret->start == target;
}

/* A function that is but a jump. */
static bool leads_on(struct elf_file *elf, struct elf_function *f)
{
	uint8_t code[STUB_BYTES] = {0};
	const uint64_t size = f->end - f->start;
	struct elf_function next;
	struct probed_before before = {0};
	struct probed_insn insn;
	enum insn_set set;
	size_t n = elf_file__read(elf, f->start, code,
				  size < sizeof(code) ? (size_t)size : sizeof(code)),
	       at;

	if (!elf_site__can_be(elf, &set))
		return false;
	at = code_site__behind(set, code, n, 0);
	if (!probed_insn__read(set, code + at, n - at, f->start + at, &before, &insn) ||
	    insn.kind != PROBED_LEADS || insn.when || !function_at(elf, insn.target, &next))
		return false;
	*f = next;
	return true;
}

static void add(struct follower *f, const struct code_exit *exit)
{
	struct elf_exit *e = &f->ret[*f->ret_n];

	if (*f->ret_n == SYMD_EXITS_MAX)
		return;
	*e = (struct elf_exit){.emulated = !exit->returns};
	*f->ret_n += elf_file__offset(f->elf, exit->vaddr, true, &e->file_off);
}

static void follow(struct follower *f, const struct elf_function *next)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->of[i].start == next->start)
			return;
	}
	if (f->n < FOLLOWED_MAX)
		f->of[f->n++] = *next;
}

static void take(struct follower *f, const struct code_exits *exits)
{
	struct elf_function next;

	for (uint32_t i = 0; i < exits->n; i++) {
		const struct code_exit *exit = &exits->of[i];

		if (exit->target && function_at(f->elf, exit->target, &next))
			follow(f, &next);
		else if (exit->returns || (exit->target && !exit->when))
			add(f, exit);
	}
}

static struct code_entry entry_of(uint64_t inner)
{
	return (struct code_entry){.inner = inner};
}

enum symd_site_status elf_returns__find(struct elf_file *elf, const char *name, size_t len,
					unsigned arguments, struct elf_site *entry,
					struct elf_exit ret[SYMD_EXITS_MAX], uint32_t *ret_n)
{
	_cleanup_free_ struct code_exits *exits = xcalloc(1, sizeof(*exits));
	struct follower f = {.elf = elf, .n = 1, .ret = ret, .ret_n = ret_n};
	enum symd_site_status status;
	enum insn_set set;
	uint64_t inner = 0;
	uint32_t n_named;

	*ret_n = 0;
	if (!elf_site__can_be(elf, &set))
		return SYMD_SITE_OTHER_MACHINE;
	n_named = elf_file__function_named(elf, name, len, &f.of[0]);
	if (n_named != 1 || f.of[0].chooses)
		return n_named > 1 ? SYMD_SITE_SEVERAL :
		       n_named     ? SYMD_SITE_CHOOSES :
				     SYMD_SITE_NO_FUNCTION;
	if (!elf_site__begins(elf, f.of[0].start))
		return SYMD_SITE_NO_INSTRUCTION;
	for (int i = 0; i < STUBS_MAX && leads_on(elf, &f.of[0]); i++)
		;
	elf_site__in(elf, &f.of[0], 0, arguments, entry);
	if (entry->status != SYMD_SITE_FOUND || !elf_file__vaddr(elf, entry->file_off, &inner))
		return entry->status;
	for (size_t i = 0; i < f.n; i++) {
		status = elf_exits__in(elf, i ? "" : name, i ? 0 : len, &f.of[i],
				       entry_of(i ? 0 : inner), exits);
		if (!i && status == SYMD_SITE_BEGINS_AGAIN)
			return status;
		if (status == SYMD_SITE_FOUND)
			take(&f, exits);
	}
	return SYMD_SITE_FOUND;
}
