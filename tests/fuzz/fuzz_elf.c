// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An ELF file as the helper reads it: segments, symbols, stubs, minidebuginfo, DWARF. It is offered
 * to itself as its separate debug file, too, and asked where main is to be probed.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "fuzz.h"
#include "symd/answer.h"
#include "symd/elf_file.h"
#include "symd/elf_returns.h"
#include "symd/elf_usdt.h"
#include "symd/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct answerer answerer = {.wanted = SYMD_WANT_INLINED | SYMD_WANT_LINES};
	const struct usdt_name marks = {"marks", "begin", 5, 5};
	struct usdt_site sites[SYMD_USDT_MAX];
	struct elf_exit returns[SYMD_EXITS_MAX];
	struct elf_site entry;
	struct elf_identity id;
	uint32_t n;
	struct buf reply = {0};
	struct elf_file *f;
	struct elf_near near;

	if (len > 1024 * 1024 || elf_file__open(fuzz_file(data, len), &f) < 0)
		return 0;
	elf_file__identity(f, &id);
	elf_file__add_debug(f, fuzz_file(data, len));
	for (uint64_t off = 0; off < len; off += len / 128 + 1) {
		buf__clear(&reply);
		answerer__elf(&answerer, f, off, true, &reply);
	}
	for (uint64_t offset = 0; offset < 32; offset += 8) {
		struct elf_found found;
		struct elf_site site;

		elf_site__find(f, offset ? "a::main" : "main", offset ? 7 : 4, offset, &found,
			       &site);
		if (site.status == SYMD_SITE_FOUND && (found.n != 1 || site.file_off >= len))
			abort();
		elf_found__done(&found);
	}
	elf_near__find(f, "mian", 4, &near);
	elf_near__done(&near);
	if (elf_returns__find(f, "main", 4, 1, &entry, returns, &n) == SYMD_SITE_FOUND) {
		for (uint32_t i = 0; i < n; i++) {
			if (returns[i].file_off >= len || entry.file_off >= len)
				abort();
		}
	}
	elf_usdt__find(f, &marks, sites, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (sites[i].file_off >= len)
			abort();
	}
	answerer__done(&answerer);
	buf__done(&reply);
	elf_file__free(f);
	return 0;
}
