// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a breakpoint amid an instruction makes another program of it. So all instructions
 * from the function's beginning on are read, and where one can't be, there is no site behind it.
 */
#include "symd/elf_site.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/code_go.h"
#include "symd/code_kept.h"
#include "symd/probed_insn.h"

/* A breakpoint is an instruction of the machine that this runs on. */
#ifdef __x86_64__
#define HERE INSN_X86_64
#elif defined(__aarch64__)
#define HERE INSN_ARM64
#else
#define HERE INSN_NOWHERE
#endif

enum {
	SITE_FUNCTION_MAX = 64 * 1024, /* bytes of a function that are looked at */
	INSN_NOWHERE = -1,
};

/*
 * A push or a jump on the flags among a function's first instructions: there is one in most, and
 * what comes before it are moves from registers, and tests. The arguments are still where they
 * were. Else 0.
 */
static size_t near_emulated(enum insn_set set, const uint8_t *code, size_t len, unsigned arguments)
{
	enum { NEAR_INSNS = 12 };
	struct probed_before before = {0};
	struct probed_insn insn;
	size_t at = 0;

	for (int i = 0; i < NEAR_INSNS; i++) {
		if (!probed_insn__read(set, code + at, len - at, at, &before, &insn))
			return 0;
		if (insn.unprobed)
			return 0;
		if (insn.emulated && (insn.kind == PROBED_GOES_ON || insn.when))
			return at;
		if (!insn.stays ||
		    (!insn.front &&
		     !probed_insn__keeps_arguments(set, code + at, len - at, arguments)))
			return 0;
		at += insn.len;
	}
	return 0;
}

size_t code_site__behind(enum insn_set set, const uint8_t *code, size_t len, size_t at)
{
	struct probed_before before = {0};
	struct probed_insn insn;

	while (probed_insn__read(set, code + at, len - at, at, &before, &insn) && insn.front)
		at += insn.len;
	return at;
}

/* Data amid code looks like instructions where all of them are of one length. */
static bool is_data(enum insn_set set, const uint8_t *code, size_t len, size_t place)
{
	enum { DATA_BYTES = 16 };
	struct probed_before before = {0};
	struct probed_insn insn;

	for (size_t at = 0;
	     at < len && probed_insn__read(set, code + at, len - at, at, &before, &insn);
	     at += insn.len) {
		if (insn.reads && place >= insn.reads && place - insn.reads < DATA_BYTES)
			return true;
	}
	return false;
}

enum symd_site_status code_site__find(enum insn_set set, const uint8_t *code, size_t len,
				      uint64_t offset, unsigned arguments, uint64_t *ret_at,
				      bool *ret_emulated)
{
	struct probed_before before = {0};
	struct probed_insn insn;
	size_t at = 0;

	while (at < offset) {
		if (!probed_insn__read(set, code + at, len - at, at, &before, &insn))
			return SYMD_SITE_NO_INSTRUCTION;
		at += insn.len;
	}
	if (at != offset || (offset && is_data(set, code, len, at)))
		return SYMD_SITE_NO_INSTRUCTION;
	at = code_site__behind(set, code, len, at);
	if (!offset)
		at += near_emulated(set, code + at, len - at, arguments);
	if (!probed_insn__read(set, code + at, len - at, at, &before, &insn) || insn.trap ||
	    insn.unprobed)
		return SYMD_SITE_NO_INSTRUCTION;
	*ret_at = at;
	*ret_emulated = insn.emulated;
	return SYMD_SITE_FOUND;
}

bool elf_site__can_be(const struct elf_file *elf, enum insn_set *ret)
{
	return insn_set__of(elf_file__machine(elf), elf_file__is_64(elf), ret) && *ret == HERE;
}

bool elf_site__begins(struct elf_file *elf, uint64_t vaddr)
{
	_cleanup_free_ uint8_t *code = xcalloc(1, SITE_FUNCTION_MAX);
	uint64_t start, end, at;
	struct insn_data insn;
	enum insn_set set;
	size_t n;

	if (!insn_set__of(elf_file__machine(elf), elf_file__is_64(elf), &set) ||
	    !elf_file__function(elf, vaddr, &start, &end) || vaddr - start > SITE_FUNCTION_MAX)
		return true;
	n = elf_file__read(elf, start, code, (size_t)(vaddr - start));
	for (at = 0; at < n; at += insn.len) {
		insn_data__read_flow(set, code + at, n - at, &insn);
		if (!insn.len)
			return false;
	}
	return at == vaddr - start;
}

void elf_site__in(struct elf_file *elf, const struct elf_function *f, uint64_t offset,
		  unsigned arguments, struct elf_site *ret)
{
	_cleanup_free_ uint8_t *code = xcalloc(1, SITE_FUNCTION_MAX);
	const uint64_t size = f->end - f->start;
	enum insn_set set;
	uint64_t at;
	size_t n;

	*ret = (struct elf_site){.status = SYMD_SITE_OTHER_MACHINE};
	if (!elf_site__can_be(elf, &set))
		return;
	ret->status = SYMD_SITE_NO_INSTRUCTION;
	n = elf_file__read(elf, f->start, code,
			   size < SITE_FUNCTION_MAX ? (size_t)size : SITE_FUNCTION_MAX);
	ret->kept = code_kept__find(set, code, n);
	if (offset < n)
		ret->status = code_site__find(set, code, n, offset, arguments, &at, &ret->emulated);
	if (ret->status == SYMD_SITE_FOUND &&
	    !elf_file__offset(elf, f->start + at, true, &ret->file_off))
		ret->status = SYMD_SITE_NO_INSTRUCTION;
}

/* Where Go's variable of threads is: right below the thread pointer, if the program has no other,
 * and is no library. */
static bool knows_goroutines(const struct elf_file *elf)
{
	size_t data, bss, dynamic, interp;
	uint64_t addr;

	elf_file__section(elf, ".tdata", &data, &addr);
	elf_file__section(elf, ".tbss", &bss, &addr);
	elf_file__section(elf, ".dynamic", &dynamic, &addr);
	elf_file__section(elf, ".interp", &interp, &addr);
	return HERE == INSN_X86_64 && !data && bss <= sizeof(uint64_t) && (interp || !dynamic);
}

bool elf_site__of_go(struct elf_file *elf, const struct elf_function *f, struct elf_site *ret)
{
	const uint64_t size = f->end - f->start;
	const size_t max = size < SITE_FUNCTION_MAX ? (size_t)size : SITE_FUNCTION_MAX;
	_cleanup_free_ uint8_t *code = xcalloc(1, max + 1);
	struct code_go look;
	enum insn_set set;
	size_t n = elf_file__read(elf, f->start, code, max);

	if (!elf_site__can_be(elf, &set) || !knows_goroutines(elf))
		return false;
	if (!code_go__find(set, code, n, &look))
		return true;
	ret->grows = look.when;
	ret->emulated = true;
	return elf_file__offset(elf, f->start + look.at, true, &ret->file_off);
}

void elf_site__find(struct elf_file *elf, const char *name, size_t len, uint64_t offset,
		    struct elf_found *found, struct elf_site *ret)
{
	enum insn_set set;

	*found = (struct elf_found){.status = SYMD_SITE_OTHER_MACHINE};
	*ret = (struct elf_site){0};
	if (elf_site__can_be(elf, &set))
		elf_found__find(elf, name, len, found);
	if (found->status == SYMD_SITE_FOUND)
		elf_site__in(elf, &found->where, offset, found->of_go ? 0 : SITE_ARGUMENTS, ret);
	else
		ret->status = found->status;
}
