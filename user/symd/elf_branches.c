// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_branches.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/debug_info.h"
#include "symd/elf_site.h"
#include "symd/target_memory.h"

enum {
	FUNCTION_BYTES = 256 * 1024, /* that are looked at */
	BREAKPOINT = 0xcc,
};

static bool begins_line(void *ctx, uint64_t vaddr)
{
	return debug_info__begins_line(ctx, vaddr);
}

/* Where it ends is its symbol's word, or the table's for unwinding. */
static uint64_t extent_of(struct elf_file *elf, const struct elf_function *f)
{
	uint64_t start, end = f->end;

	if (end == UINT64_MAX || end <= f->start) {
		if (!elf_file__function(elf, f->start, &start, &end) || end <= f->start)
			return 0;
	}
	return end - f->start < FUNCTION_BYTES ? end - f->start : FUNCTION_BYTES;
}

static enum symd_site_status find_in(struct elf_file *elf, const struct elf_function *f,
				     enum pmb_block_class class, struct elf_branches *ret)
{
	const uint64_t size = extent_of(elf, f);
	_cleanup_free_ uint8_t *code = xcalloc(1, size + 1);
	struct debug_info *info = elf_file__debug_info(elf);
	size_t n;

	n = elf_file__read(elf, f->start, code, size);
	if (!n || !elf_site__begins(elf, f->start) ||
	    !elf_file__offset(elf, f->start, true, &ret->file_off))
		return SYMD_SITE_NO_INSTRUCTION;
	ret->vaddr = f->start;
	ret->size = n;
	return code_branches__find(code, n, f->start, class, info ? begins_line : NULL, info,
				   &ret->jumps) ||
			       class != PMB_BLOCK_NONE ?
		       SYMD_SITE_FOUND :
		       SYMD_SITE_NOT_READ;
}

static void find_in_found(struct elf_file *elf, const struct elf_found *found,
			  enum pmb_block_class class, struct elf_branches *ret)
{
	ret->jumps.n = ret->jumps.n_all = 0;
	ret->status = found->status;
	if (ret->status == SYMD_SITE_FOUND)
		ret->status = find_in(elf, &found->where, class, ret);
}

void elf_branches__find(struct elf_file *elf, const char *name, size_t len,
			enum pmb_block_class class, struct elf_found *found,
			struct elf_branches *ret)
{
	*found = (struct elf_found){.status = SYMD_SITE_OTHER_MACHINE};
	if (elf_file__is_x86_64(elf))
		elf_found__find(elf, name, len, found);
	find_in_found(elf, found, class, ret);
}

void elf_branches__at(struct elf_file *elf, uint64_t file_off, enum pmb_block_class class,
		      struct elf_found *found, struct elf_branches *ret)
{
	uint64_t vaddr;

	*found = (struct elf_found){.status = SYMD_SITE_OTHER_MACHINE};
	if (elf_file__is_x86_64(elf)) {
		found->status = SYMD_SITE_NO_FUNCTION;
		if (elf_file__vaddr(elf, file_off, &vaddr))
			elf_found__at(elf, vaddr, found);
	}
	find_in_found(elf, found, class, ret);
}

/* Another's probe, or a debugger's breakpoint. */
static bool is_same(const uint8_t *ours, const uint8_t *theirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ours[i] != theirs[i] && theirs[i] != BREAKPOINT)
			return false;
	}
	return true;
}

bool elf_branches__same(struct elf_file *elf, int fd, uint64_t file_off, uint64_t addr,
			uint64_t size)
{
	struct target_memory memory = {.fd = fd, .reads_left = 1};
	_cleanup_free_ uint8_t *ours = NULL, *theirs = NULL;
	uint64_t vaddr;

	if (!size || size > FUNCTION_BYTES || !elf_file__vaddr(elf, file_off, &vaddr))
		return false;
	ours = xcalloc(1, size);
	theirs = xcalloc(1, size);
	return elf_file__read(elf, vaddr, ours, size) == size &&
	       target_memory__read(&memory, addr, theirs, size) && is_same(ours, theirs, size);
}
