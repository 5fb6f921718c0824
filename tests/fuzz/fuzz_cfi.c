// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a section of call frame information. What comes out must be a table that passes the
 * check of the main process, and whose rows are in the order of the code.
 *
 * The first byte: 1 arm64, 2 .debug_frame, 4 without a known end, 8 a rule for what nothing
 * describes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sym/table.h"
#include "symd/cfi_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct cfi_code code[] = {
	{.file_off = 0x1000, .vaddr = 0x1000, .size = 0x1ff000},
	{.file_off = 0x210000, .vaddr = 0x300000, .size = 0x18000},
};

struct order {
	struct cfi_table table;
	uint64_t last;
};

static void add(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	struct order *o = ctx;

	if (file_off < o->last)
		abort();
	o->last = file_off;
	cfi_table__add(&o->table, file_off, rule);
}

static char *append(char *at, const void *data, size_t len)
{
	if (len)
		memcpy(at, data, len);
	return at + len;
}

/* As cfi_table__write, into memory. */
static void check(const struct cfi_table *t, const struct pmb_table_head *head)
{
	size_t len = unwind_table__bytes(head);
	char *bytes = xcalloc(1, len), *at;
	struct unwind_table got;

	at = append(bytes, head, sizeof(*head));
	at = append(at, t->pages, head->n_pages * sizeof(*t->pages));
	at = append(at, t->rules, head->n_rules * sizeof(*t->rules));
	append(at, t->rows, head->n_rows * sizeof(*t->rows));
	if (unwind_table__check(bytes, len, &got) < 0)
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct cfi_section section = {.vaddr = 0x100000};
	struct order o = {.last = 0};
	struct pmb_table_head head;
	struct cfi *cfi;

	if (!size)
		return 0;
	section.data = data + 1;
	section.len = size - 1;
	section.is_debug = data[0] & 2;
	section.is_open = data[0] & 4;
	if (data[0] & 8)
		gap.cfa = PMB_CFA_SP;
	cfi = cfi__new(data[0] & 1 ? CFI_ARM64 : CFI_X86_64, code, ARRAY_SIZE(code));
	cfi_table__init(&o.table);
	if (cfi__add_section(cfi, &section) == 0) {
		cfi__emit(cfi, &gap, add, &o);
		if (cfi_table__finish(&o.table, &head) == 0)
			check(&o.table, &head);
	}
	cfi_table__done(&o.table);
	cfi__free(cfi);
	return 0;
}
