// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/cfi_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/write.h"

enum {
	RULE_NONE,
	RULE_UNSUPPORTED,
	BUCKETS = 2 * PMB_UNWIND_RULE_MAX,
};

/* Rules are compared and hashed as bytes. */
_Static_assert(sizeof(struct pmb_unwind_rule) == 16, "no padding");

static uint32_t add_rule(struct cfi_table *t, const struct pmb_unwind_rule *rule)
{
	size_t at = hash_bytes(rule, sizeof(*rule)) % BUCKETS;

	for (; t->buckets[at]; at = (at + 1) % BUCKETS) {
		if (!memcmp(&t->rules[t->buckets[at] - 1], rule, sizeof(*rule)))
			return t->buckets[at] - 1;
	}
	if (t->n_rules >= PMB_UNWIND_RULE_MAX)
		return RULE_UNSUPPORTED;
	GROW(t->rules, t->n_rules, t->cap_rules);
	t->rules[t->n_rules++] = *rule;
	t->buckets[at] = (uint32_t)t->n_rules;
	return (uint32_t)t->n_rules - 1;
}

void cfi_table__init(struct cfi_table *t)
{
	*t = (struct cfi_table){.buckets = xcalloc(BUCKETS, sizeof(*t->buckets))};
	add_rule(t, &(struct pmb_unwind_rule){.cfa = PMB_CFA_NONE});
	add_rule(t, &(struct pmb_unwind_rule){.cfa = PMB_CFA_UNSUPPORTED});
}

void cfi_table__done(struct cfi_table *t)
{
	free(t->rows);
	free(t->pages);
	free(t->rules);
	free(t->buckets);
	*t = (struct cfi_table){0};
}

static bool is_unsupported(const struct cfi_table *t, uint32_t row)
{
	return t->rules[PMB_ROW_RULE(row)].cfa == PMB_CFA_UNSUPPORTED;
}

static void push(struct cfi_table *t, uint32_t low, uint32_t rule)
{
	uint32_t row = PMB_ROW(low, rule);

	if (t->n_rows >= TABLE_ROWS_MAX) {
		t->err = -EFBIG;
		return;
	}
	GROW(t->rows, t->n_rows, t->cap_rows);
	t->rows[t->n_rows++] = row;
	t->pages[t->n_pages - 1].n++;
	t->n_unsupported += is_unsupported(t, row);
}

/* Each page begins with the rule that held at the end of the one before. */
static void open_page(struct cfi_table *t)
{
	GROW(t->pages, t->n_pages, t->cap_pages);
	t->pages[t->n_pages++] = (struct pmb_unwind_page){.first = (uint32_t)t->n_rows};
	if (t->active != RULE_NONE)
		push(t, 0, t->active);
}

static void open_pages_up_to(struct cfi_table *t, uint64_t page)
{
	if (!t->n_pages) {
		t->first_page = page;
		open_page(t);
	}
	if (page - t->first_page >= TABLE_PAGES_MAX || page > UINT32_MAX) {
		t->err = -EFBIG;
		return;
	}
	while (!t->err && t->first_page + t->n_pages - 1 < page)
		open_page(t);
}

/* The last row of the page at hand; NULL: it has none yet. */
static const uint32_t *last_row(const struct cfi_table *t)
{
	return t->pages[t->n_pages - 1].n ? &t->rows[t->n_rows - 1] : NULL;
}

void cfi_table__add(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	uint32_t low = (uint32_t)(file_off % PMB_UNWIND_ROW_MAX), number;
	struct cfi_table *t = ctx;
	const uint32_t *last;

	open_pages_up_to(t, file_off >> PMB_PAGE_SHIFT);
	if (t->err)
		return;
	number = add_rule(t, rule);
	last = last_row(t);
	if (last && PMB_ROW_LOW(*last) == low) {
		t->n_unsupported -= is_unsupported(t, *last);
		t->n_rows--;
		t->pages[t->n_pages - 1].n--;
		last = last_row(t);
	}
	if (!last && low && number != RULE_NONE)
		push(t, 0, RULE_NONE);
	if (number != (last ? PMB_ROW_RULE(*last) : RULE_NONE))
		push(t, low, number);
	t->active = number;
}

int cfi_table__finish(struct cfi_table *t, struct pmb_table_head *ret)
{
	while (t->n_pages && !t->pages[t->n_pages - 1].n)
		t->n_pages--;
	*ret = (struct pmb_table_head){
		.magic = PMB_TABLE_MAGIC,
		.first_page = (uint32_t)t->first_page,
		.n_pages = (uint32_t)t->n_pages,
		.n_rules = (uint32_t)t->n_rules,
		.n_rows = (uint32_t)t->n_rows,
		.n_unsupported = t->n_unsupported,
		.n_bad = t->n_bad,
	};
	return t->err;
}

int cfi_table__write(const struct cfi_table *t, const struct pmb_table_head *head,
		     const struct pmb_runtime *runtime, int fd)
{
	int r = write_all(fd, head, sizeof(*head));

	if (r == 0)
		r = write_all(fd, t->pages, t->n_pages * sizeof(*t->pages));
	if (r == 0)
		r = write_all(fd, t->rules, t->n_rules * sizeof(*t->rules));
	if (r == 0)
		r = write_all(fd, t->rows, t->n_rows * sizeof(*t->rows));
	return r < 0 || !head->has_runtime ? r : write_all(fd, runtime, sizeof(*runtime));
}
