// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_usdt.h"

#include <string.h>

#include "base/cursor.h"
#include "symd/elf_site.h"
#include "symd/probed_insn.h"

enum { NOTE_TYPE = 3, CODE_BYTES = 64, NOP = 0x90 };

static bool is_word(const char *found, const char *word, size_t len)
{
	return found && strlen(found) == len && memcmp(found, word, len) == 0;
}

/* The program's own nop, or what comes behind it, where the kernel would rewrite that: x86-64's of
 * more than a byte. */
static bool find_place(enum insn_set set, const uint8_t *code, size_t len, uint64_t *ret_at,
		       bool *ret_emulated)
{
	struct probed_before before = {0};
	struct probed_insn insn;

	*ret_at = 0;
	if (!probed_insn__read(set, code, len, 0, &before, &insn))
		return false;
	*ret_emulated = insn.emulated;
	if (set == INSN_X86_64 && code[0] != NOP)
		return code_site__find(set, code, len, 0, SITE_ARGUMENTS, ret_at, ret_emulated) ==
		       SYMD_SITE_FOUND;
	return !insn.trap && !insn.unprobed;
}

static bool find_site(const struct elf_file *elf, uint64_t pc, uint64_t counter,
		      struct usdt_site *ret)
{
	uint8_t code[CODE_BYTES];
	enum insn_set set;
	size_t n = elf_file__read(elf, pc, code, sizeof(code));
	uint64_t at;

	*ret = (struct usdt_site){0};
	if (!elf_site__can_be(elf, &set) || !find_place(set, code, n, &at, &ret->emulated) ||
	    !elf_file__offset(elf, pc + at, true, &ret->file_off))
		return false;
	return !counter || elf_file__offset(elf, counter, false, &ret->counter_off);
}

static enum symd_site_status read_note(const struct elf_file *elf, struct cursor *note,
				       uint64_t base, const struct usdt_name *name,
				       struct usdt_site *ret)
{
	uint64_t pc = cursor__u64(note), made_at = cursor__u64(note), counter = cursor__u64(note);
	const char *provider = cursor__string(note), *probe = cursor__string(note);

	if (!is_word(provider, name->provider, name->provider_len) ||
	    !is_word(probe, name->name, name->name_len))
		return SYMD_SITE_NO_PROBE;
	if (base)
		pc += base - made_at;
	if (base && counter)
		counter += base - made_at;
	return find_site(elf, pc, counter, ret) ? SYMD_SITE_FOUND : SYMD_SITE_NO_INSTRUCTION;
}

/* The next note of any kind; false: there are no more. *ret is over what one of ours says. */
static bool next_note(struct cursor *c, struct cursor *ret)
{
	uint32_t owner = cursor__u32(c), size = cursor__u32(c), type = cursor__u32(c);
	const char *who = cursor__bytes(c, ((size_t)owner + 3) & ~(size_t)3);
	const void *bytes = cursor__bytes(c, ((size_t)size + 3) & ~(size_t)3);
	bool ours = who && bytes && type == NOTE_TYPE && owner == 8 &&
		    memcmp(who, "stapsdt", 8) == 0;

	*ret = cursor__over(bytes, ours ? size : 0);
	return cursor__ok(c);
}

enum symd_site_status elf_usdt__find(struct elf_file *elf, const struct usdt_name *name,
				     struct usdt_site ret[SYMD_USDT_MAX], uint32_t *ret_n)
{
	enum symd_site_status status;
	uint64_t addr, base;
	size_t len, base_len;
	const void *notes = elf_file__section(elf, ".note.stapsdt", &len, &addr);
	struct cursor c = cursor__over(notes, len), note;
	struct usdt_site site;
	enum insn_set set;

	*ret_n = 0;
	if (!elf_site__can_be(elf, &set))
		return SYMD_SITE_OTHER_MACHINE;
	elf_file__section(elf, ".stapsdt.base", &base_len, &base);
	while (next_note(&c, &note)) {
		status = read_note(elf, &note, base, name, &site);
		if (status == SYMD_SITE_NO_PROBE)
			continue;
		if (status == SYMD_SITE_FOUND && *ret_n == SYMD_USDT_MAX)
			status = SYMD_SITE_SEVERAL;
		if (status != SYMD_SITE_FOUND) {
			*ret_n = 0;
			return status;
		}
		ret[(*ret_n)++] = site;
	}
	return *ret_n ? SYMD_SITE_FOUND : SYMD_SITE_NO_PROBE;
}
