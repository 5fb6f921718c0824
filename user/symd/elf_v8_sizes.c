// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_v8_sizes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { WINDOW = 256 * 1024, TABLE_MAX = V8_WIDTHS * V8_BYTECODES_MAX };

/* Two prefixes and their debugger's, then what the debugger puts in the place of bytecodes. */
static const uint8_t first[] = {1, 1, 1, 1, 1, 2, 3, 4};

/* Of each bytecode, if there are n. */
static bool grows(const uint8_t *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int one = at[i], two = at[n + i], four = at[2 * n + i];

		if (!one || two < one || four - one != 3 * (two - one))
			return false;
	}
	return true;
}

unsigned elf_v8_sizes__count(const uint8_t *at, size_t len)
{
	if (len < sizeof(first) || memcmp(at, first, sizeof(first)) != 0)
		return 0;
	for (unsigned n = V8_BYTECODES_LEAST; n <= V8_BYTECODES_MAX && V8_WIDTHS * n <= len; n++) {
		/* the prefixes have no operands, the fourth of the debugger's has */
		if (memcmp(at + n, first, 5) == 0 && at[n + 5] == 3 && grows(at, n))
			return n;
	}
	return 0;
}

/* Tables that begin in a window are whole in it, but for the last one's. */
static const uint8_t *find_in(const uint8_t *bytes, size_t len, unsigned *ret_n)
{
	const uint8_t *at = bytes, *end = bytes + len;

	while ((at = memmem(at, (size_t)(end - at), first, sizeof(first)))) {
		*ret_n = elf_v8_sizes__count(at, (size_t)(end - at));
		if (*ret_n)
			return at;
		at++;
	}
	return NULL;
}

static bool find_in_segment(const struct elf_bytes *from, const GElf_Phdr *ph, uint8_t *window,
			    uint8_t *ret)
{
	const uint8_t *at;
	unsigned n;
	size_t got;

	for (uint64_t off = 0; off < ph->p_filesz; off += WINDOW - TABLE_MAX) {
		uint64_t left = ph->p_filesz - off;

		got = elf_bytes__read(from, ph->p_offset + off, window,
				      left < WINDOW ? left : WINDOW);
		at = find_in(window, got, &n);
		for (size_t i = 0; at && i < V8_WIDTHS; i++)
			memcpy(ret + i * V8_BYTECODES_MAX, at + i * n, n);
		if (at || got < WINDOW)
			return at;
	}
	return false;
}

bool elf_v8_sizes__find(const struct elf_bytes *from, uint8_t ret[TABLE_MAX])
{
	_cleanup_free_ uint8_t *window = xcalloc(1, WINDOW);
	uint64_t looked_at = 0;
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(from->elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n && gelf_getphdr(from->elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD || ph.p_flags & PF_W ||
		    ph.p_filesz > V8_SIZES_FILE_MAX - looked_at)
			continue;
		looked_at += ph.p_filesz;
		if (find_in_segment(from, &ph, window, ret))
			return true;
	}
	return false;
}
