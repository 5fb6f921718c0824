// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A jump into the middle of what .eh_frame_hdr has as a function is none from one function to
 * another: those lead to beginnings. Code is read from the first byte on; where that fails, at the
 * next byte.
 */
#include "symd/elf_cold.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/search.h"
#include "symd/x86_insn.h"

enum {
	CODE_MAX = 256 * 1024, /* bytes of the function */
	ASKED_MAX = 4096,      /* jumps that are looked up */
	PARTS = 8,             /* that jumps may lead to, until one has enough */
	ENOUGH = 2,            /* jumps into the same */
	HEAD_BYTES = 12,       /* of .eh_frame_hdr: encodings, .eh_frame, count */
	ENTRY_BYTES = 8,       /* where a function begins, and its FDE */
};

/* .eh_frame_hdr, in the form that linkers give it. */
struct starts {
	const struct elf_bytes *from;
	uint64_t vaddr, file_off;
	uint32_t n;
};

static bool is_usual(const uint8_t *head)
{
	return head[0] == 1 && (head[1] & 0x0f) == 0x0b && head[2] == 0x03 && head[3] == 0x3b;
}

static bool starts__open(struct starts *s, const struct elf_bytes *from)
{
	uint8_t head[HEAD_BYTES];
	struct cursor c;
	GElf_Phdr p;

	if (!elf_segment__by_type(from->elf, PT_GNU_EH_FRAME, INT32_MAX, &p) ||
	    elf_bytes__read(from, p.p_offset, head, sizeof(head)) != sizeof(head) ||
	    !is_usual(head))
		return false;
	c = cursor__over(head + 8, 4);
	*s = (struct starts){from, p.p_vaddr, p.p_offset, cursor__u32(&c)};
	return s->n <= (p.p_filesz - HEAD_BYTES) / ENTRY_BYTES && p.p_filesz > HEAD_BYTES;
}

/* 0: it can't be read. */
static uint64_t starts__at(const struct starts *s, uint32_t i)
{
	uint64_t off = s->file_off + HEAD_BYTES + (uint64_t)i * ENTRY_BYTES;
	uint8_t bytes[4] = {0};
	struct cursor c = cursor__over(bytes, sizeof(bytes));

	if (elf_bytes__read(s->from, off, bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	return s->vaddr + (uint64_t)(int64_t)(int32_t)cursor__u32(&c);
}

/* The function that has vaddr, and where the next one begins. */
static bool starts__find(const struct starts *s, uint64_t vaddr, uint64_t *ret_from,
			 uint64_t *ret_to)
{
	const uint32_t next = (uint32_t)FIRST_INDEX(i, s->n, starts__at(s, (uint32_t)i) > vaddr);

	if (!next || next >= s->n)
		return false;
	*ret_from = starts__at(s, next - 1);
	*ret_to = starts__at(s, next);
	return *ret_from && *ret_from <= vaddr && vaddr < *ret_to;
}

struct parts {
	struct part {
		uint64_t from, to;
		unsigned jumps;
	} of[PARTS];
	unsigned n, asked;
};

/* True: it has enough. */
static bool parts__jump(struct parts *p, const struct starts *starts, uint64_t target)
{
	struct part found = {.jumps = 1};

	if (p->asked++ >= ASKED_MAX || !starts__find(starts, target, &found.from, &found.to) ||
	    target == found.from)
		return false;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->of[i].from != found.from)
			continue;
		found = p->of[i];
		p->of[i] = p->of[0];
		p->of[0] = found;
		return ++p->of[0].jumps >= ENOUGH;
	}
	if (p->n < PARTS)
		p->of[p->n++] = found;
	return false;
}

bool elf_cold__find(const struct elf_bytes *from, uint64_t vaddr, uint64_t file_off, uint64_t size,
		    uint64_t *ret_from, uint64_t *ret_to)
{
	size_t n = size < CODE_MAX ? (size_t)size : CODE_MAX;
	_cleanup_free_ uint8_t *code = xcalloc(n, 1);
	struct parts parts = {.n = 0};
	struct starts starts;
	struct x86_insn insn;

	if (!starts__open(&starts, from))
		return false;
	n = elf_bytes__read(from, file_off, code, n);
	for (size_t i = 0; i < n; i += insn.len) {
		if (!x86_insn__read(code + i, n - i, vaddr + i, &insn) || !insn.len) {
			insn.len = 1;
			continue;
		}
		if ((insn.kind != X86_BRANCH && insn.kind != X86_JUMP) || !insn.target ||
		    (insn.target >= vaddr && insn.target - vaddr < size))
			continue;
		if (!parts__jump(&parts, &starts, insn.target))
			continue;
		*ret_from = parts.of[0].from;
		*ret_to = parts.of[0].to;
		return true;
	}
	return false;
}
