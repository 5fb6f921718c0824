// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_exits.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct function {
	struct elf_file *elf;
	const char *name;
	size_t len;
	uint8_t *bytes[CODE_PARTS_MAX]; /* of its parts */
	size_t n;
};

/* NAME.cold, NAME.cold.1: what a compiler thinks is hardly run. */
static bool is_cold_part(const struct function *f, const struct elf_name *name)
{
	static const char cold[] = ".cold";
	const size_t n = sizeof(cold) - 1;

	return name->len >= f->len + n && memcmp(name->name, f->name, f->len) == 0 &&
	       memcmp(name->name + f->len, cold, n) == 0;
}

/* Assembler without call frame information seems to be amid what is before it. */
static bool is_beginning(const struct function *f, const struct elf_name *name, uint64_t target)
{
	_cleanup_free_ char *copy = xstrndup(name->name, name->len);
	struct elf_function found;

	return elf_file__function_named(f->elf, copy, name->len, &found) && found.start == target;
}

/* By its name; or because what leads into the midst of another piece of code calls nothing. */
static bool is_part(const struct function *f, uint64_t target, uint64_t start)
{
	struct elf_name name;

	if (!elf_file__find(f->elf, target, &name))
		return target != start;
	if (name.plt)
		return false;
	return is_cold_part(f, &name) || (target != start && !is_beginning(f, &name, target));
}

static bool read_piece(struct function *f, uint64_t from, uint64_t to, struct code_part *ret)
{
	const size_t n = to - from < CODE_PART_MAX ? (size_t)(to - from) : CODE_PART_MAX;

	if (f->n == CODE_PARTS_MAX)
		return false;
	f->bytes[f->n] = xcalloc(n + 1, 1);
	ret->vaddr = from;
	ret->bytes = f->bytes[f->n];
	ret->len = elf_file__read(f->elf, from, f->bytes[f->n++], n);
	return to - from <= CODE_PART_MAX && ret->len == to - from;
}

static bool is_known(const struct code_part *parts, size_t n, uint64_t start)
{
	for (size_t i = 0; i < n; i++) {
		if (parts[i].vaddr == start)
			return true;
	}
	return false;
}

static size_t more_parts(void *ctx, const uint64_t *targets, size_t n_targets,
			 struct code_part *ret, size_t room)
{
	struct function *f = ctx;
	uint64_t start, end;
	size_t n = 0;

	elf_file__ask(f->elf, targets, n_targets);
	for (size_t i = 0; i < n_targets; i++) {
		if (!elf_file__function(f->elf, targets[i], &start, &end) ||
		    !is_part(f, targets[i], start) || is_known(ret, n, start))
			continue;
		if (n == room || !read_piece(f, start, end, &ret[n]))
			return room + 1;
		n++;
	}
	return n;
}

enum symd_site_status elf_exits__in(struct elf_file *elf, const char *name, size_t len,
				    const struct elf_function *where, struct code_entry entry,
				    struct code_exits *ret)
{
	struct function f = {.elf = elf, .name = name, .len = len};
	enum symd_site_status status = SYMD_SITE_NOT_READ;
	struct code_part code;
	enum insn_set set;

	ret->n = 0;
	if (!elf_site__can_be(elf, &set))
		return SYMD_SITE_OTHER_MACHINE;
	if (read_piece(&f, where->start, where->end, &code))
		status = code_exits__find(set, &code, entry, more_parts, &f, ret);
	for (size_t i = 0; i < f.n; i++)
		free(f.bytes[i]);
	return status;
}

static enum symd_site_status put_exits(const struct elf_file *elf, const struct code_exits *exits,
				       struct elf_exit ret[SYMD_EXITS_MAX], uint32_t *ret_n)
{
	for (uint32_t i = 0; i < exits->n; i++) {
		const struct code_exit *e = &exits->of[i];

		ret[i] = (struct elf_exit){.when = e->when, .emulated = e->emulated};
		if (!elf_file__offset(elf, e->vaddr, true, &ret[i].file_off))
			return SYMD_SITE_NOT_READ;
	}
	*ret_n = exits->n;
	return SYMD_SITE_FOUND;
}

enum symd_site_status elf_exits__find(struct elf_file *elf, const char *name, size_t len,
				      struct elf_found *found, struct elf_site *entry,
				      struct elf_exit ret[SYMD_EXITS_MAX], uint32_t *ret_n)
{
	_cleanup_free_ struct code_exits *exits = xcalloc(1, sizeof(*exits));
	struct function f = {.elf = elf};
	enum symd_site_status status;
	uint64_t vaddr;

	*ret_n = 0;
	elf_site__find(elf, name, len, 0, found, entry);
	if (entry->status != SYMD_SITE_FOUND)
		return entry->status;
	f.name = found->called[0].linker;
	f.len = strlen(f.name);
	if (found->of_go && !elf_site__of_go(elf, &found->where, entry))
		return SYMD_SITE_OF_GO;
	if (!elf_file__vaddr(elf, entry->file_off, &vaddr))
		return SYMD_SITE_NOT_READ;
	status = elf_exits__in(elf, f.name, f.len, &found->where,
			       (struct code_entry){vaddr, entry->grows}, exits);
	return status == SYMD_SITE_FOUND ? put_exits(elf, exits, ret, ret_n) : status;
}
