// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a breakpoint amid an instruction makes another program of it. So all instructions
 * from the function's beginning on are read, and where one can't be, there is no site behind it.
 */
#include "symd/elf_site.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/x86_insn.h"
#include "symd/x86_operand.h"

enum { SITE_FUNCTION_MAX = 64 * 1024 /* bytes of a function that are looked at */ };

static bool is_at(const uint8_t *code, size_t len, const char *bytes, size_t n)
{
	return len >= n && memcmp(code, bytes, n) == 0;
}

/*
 * What stands first because it has to, or is there to be patched. A probe on endbr64 is
 * single-stepped; nops of five bytes are rewritten to calls by 6.18, which damages what lies below
 * the stack pointer, and those of ten can't be probed.
 */
static size_t skipped(const uint8_t *code, size_t len)
{
	struct x86_insn insn;

	if (is_at(code, len, "\xf3\x0f\x1e\xfa", 4))
		return 4;
	if (!x86_insn__read(code, len, 0, &insn) || insn.kind != X86_PADDING || insn.len < 2)
		return 0;
	return insn.len;
}

/* push of a register, the shortest nop, and jumps on the flags: of all kernels since 4.x */
static bool is_emulated(const uint8_t *code, size_t len)
{
	size_t rex = len && code[0] == 0x41;

	if (len <= rex)
		return false;
	if (x86_insn__is_emulated_jump(code, len))
		return true;
	return (code[rex] >= 0x50 && code[rex] <= 0x57) || (!rex && code[0] == 0x90);
}

static bool keeps_arguments(const uint8_t *code, size_t len, unsigned n)
{
	static const uint8_t registers[SITE_ARGUMENTS] = {7, 6, 2, 1, 8, 9}; /* di, si, dx, cx… */
	struct insn_data operand;

	if (!x86_operand__read(code, len, &operand))
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (operand.written & 1U << registers[i])
			return false;
	}
	return true;
}

/*
 * A push or a jump on the flags among a function's first instructions: there is one in most, and
 * what comes before it are moves from registers, and tests. The arguments are still where they
 * were. Else 0.
 */
static size_t near_emulated(const uint8_t *code, size_t len, unsigned arguments)
{
	enum { NEAR_INSNS = 12 };
	struct x86_insn insn;
	size_t at = 0;

	for (int i = 0; i < NEAR_INSNS; i++) {
		if (!x86_insn__read(code + at, len - at, at, &insn) || !insn.len)
			return 0;
		if ((insn.kind == X86_PUSH || insn.kind == X86_PUSH_FP ||
		     insn.kind == X86_BRANCH) &&
		    is_emulated(code + at, len - at))
			return at;
		if (insn.kind != X86_PADDING &&
		    (insn.kind != X86_OTHER || !keeps_arguments(code + at, len - at, arguments)))
			return 0;
		at += insn.len;
	}
	return 0;
}

size_t code_site__behind(const uint8_t *code, size_t len, size_t at)
{
	size_t more;

	while ((more = skipped(code + at, len - at)))
		at += more;
	return at;
}

enum symd_site_status code_site__find(const uint8_t *code, size_t len, uint64_t offset,
				      unsigned arguments, uint64_t *ret_at, bool *ret_emulated)
{
	struct x86_insn insn;
	size_t at = 0;

	while (at < offset) {
		if (!x86_insn__read(code + at, len - at, at, &insn) || !insn.len)
			return SYMD_SITE_NO_INSTRUCTION;
		at += insn.len;
	}
	if (at != offset)
		return SYMD_SITE_NO_INSTRUCTION;
	at = code_site__behind(code, len, at);
	if (!offset)
		at += near_emulated(code + at, len - at, arguments);
	if (!x86_insn__read(code + at, len - at, at, &insn) || insn.kind == X86_TRAP)
		return SYMD_SITE_NO_INSTRUCTION;
	*ret_at = at;
	*ret_emulated = is_emulated(code + at, len - at);
	return SYMD_SITE_FOUND;
}

bool elf_site__begins(struct elf_file *elf, uint64_t vaddr)
{
	_cleanup_free_ uint8_t *code = xcalloc(1, SITE_FUNCTION_MAX);
	uint64_t start, end, at;
	struct x86_insn insn;
	size_t n;

	if (!elf_file__function(elf, vaddr, &start, &end) || vaddr - start > SITE_FUNCTION_MAX)
		return true;
	n = elf_file__read(elf, start, code, (size_t)(vaddr - start));
	for (at = 0; at < n; at += insn.len) {
		if (!x86_insn__read(code + at, n - at, start + at, &insn) || !insn.len)
			return false;
	}
	return at == vaddr - start;
}

void elf_site__in(struct elf_file *elf, const struct elf_function *f, uint64_t offset,
		  unsigned arguments, struct elf_site *ret)
{
	_cleanup_free_ uint8_t *code = xcalloc(1, SITE_FUNCTION_MAX);
	const uint64_t size = f->end - f->start;
	uint64_t at;
	size_t n;

	*ret = (struct elf_site){.status = SYMD_SITE_NO_INSTRUCTION};
	n = elf_file__read(elf, f->start, code,
			   size < SITE_FUNCTION_MAX ? (size_t)size : SITE_FUNCTION_MAX);
	if (offset < n)
		ret->status = code_site__find(code, n, offset, arguments, &at, &ret->emulated);
	if (ret->status == SYMD_SITE_FOUND &&
	    !elf_file__offset(elf, f->start + at, true, &ret->file_off))
		ret->status = SYMD_SITE_NO_INSTRUCTION;
}

void elf_site__find(struct elf_file *elf, const char *name, size_t len, uint64_t offset,
		    struct elf_found *found, struct elf_site *ret)
{
	*found = (struct elf_found){.status = SYMD_SITE_OTHER_MACHINE};
	*ret = (struct elf_site){0};
	if (elf_file__is_x86_64(elf))
		elf_found__find(elf, name, len, found);
	if (found->status == SYMD_SITE_FOUND)
		elf_site__in(elf, &found->where, offset, SITE_ARGUMENTS, ret);
	else
		ret->status = found->status;
}
