// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: whoever wrote it may still hold the descriptor, and write on. Sealing the file
 * would wait until all CPUs have let go of its pages, a second on a loaded machine; so it is
 * copied, and nothing is believed but what the copy says.
 */
#include "sym/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

uint64_t unwind_table__bytes(const struct pmb_table_head *h)
{
	return sizeof(*h) + (uint64_t)h->n_pages * sizeof(struct pmb_unwind_page) +
	       (uint64_t)h->n_rules * sizeof(struct pmb_unwind_rule) +
	       (uint64_t)h->n_rows * sizeof(__u32) +
	       (h->has_runtime ? sizeof(struct pmb_runtime) : 0);
}

static bool head__ok(const struct pmb_table_head *h)
{
	return h->magic == PMB_TABLE_MAGIC && h->n_pages <= UNWIND_TABLE_PAGES_MAX &&
	       h->first_page <= UINT32_MAX - h->n_pages && h->n_rules <= PMB_UNWIND_RULE_MAX &&
	       h->n_rows <= UNWIND_TABLE_ROWS_MAX && h->has_runtime < PMB_N_RUNTIME_STATES;
}

static bool rule__ok(const struct pmb_unwind_rule *r)
{
	return r->cfa < PMB_N_CFA && r->fp < PMB_N_FP && r->ra < PMB_N_RA &&
	       r->reg < PMB_UNWIND_REGS;
}

static bool run__ok(const __u32 *rows, size_t n, uint32_t n_rules)
{
	for (size_t i = 0; i < n; i++) {
		if (PMB_ROW_RULE(rows[i]) >= n_rules)
			return false;
		if (i ? PMB_ROW_LOW(rows[i]) <= PMB_ROW_LOW(rows[i - 1]) : PMB_ROW_LOW(rows[i]))
			return false;
	}
	return true;
}

static bool is_word_of(unsigned off, unsigned size)
{
	return off % 8 == 0 && off + 8 <= size;
}

/* The overflow program reads so much, and looks for the members in there. */
static bool layout__ok(const struct pmb_python *p)
{
	return p->frame_size <= PMB_PY_FRAME_MAX && p->code_size <= PMB_PY_CODE_MAX &&
	       is_word_of(p->frame_code, p->frame_size) &&
	       is_word_of(p->frame_previous, p->frame_size) && p->frame_owner < p->frame_size &&
	       (p->frame_entry >= PMB_PY_EACH || p->frame_entry < p->frame_size) &&
	       is_word_of(p->code_line & ~4U, p->code_size) && p->code_line % 4 == 0 &&
	       is_word_of(p->code_file, p->code_size) && is_word_of(p->code_name, p->code_size) &&
	       is_word_of(p->code_lines, p->code_size) && p->instr_shift <= 1;
}

static bool runtime__ok(const struct pmb_runtime *r)
{
	return layout__ok(&r->layout) && r->eval_from < r->eval_to && r->cold_from <= r->cold_to;
}

/* Offsets need no more than their size: each may lead anywhere. */
static bool v8__ok(const struct pmb_runtime *r)
{
	const struct pmb_v8 *v = &r->v8;

	return r->eval_from <= r->eval_to && v->function_shared &&
	       v->shared_size <= PMB_V8_SHARED_MAX && is_word_of(v->shared_name, v->shared_size) &&
	       is_word_of(v->shared_script, v->shared_size) &&
	       is_word_of(v->shared_place, v->shared_size);
}

int unwind_table__check(const void *bytes, size_t len, struct unwind_table *ret)
{
	struct unwind_table t = {0};
	uint32_t done = 0;

	if (len < sizeof(t.head))
		return -EPROTO;
	memcpy(&t.head, bytes, sizeof(t.head));
	if (!head__ok(&t.head) || unwind_table__bytes(&t.head) != len)
		return -EPROTO;
	t.pages = (const void *)((const char *)bytes + sizeof(t.head));
	t.rules = (const void *)(t.pages + t.head.n_pages);
	t.rows = (const void *)(t.rules + t.head.n_rules);
	for (uint32_t i = 0; i < t.head.n_rules; i++) {
		if (!rule__ok(&t.rules[i]))
			return -EPROTO;
	}
	for (uint32_t i = 0; i < t.head.n_pages; i++) {
		uint32_t n = t.pages[i].n;

		if (t.pages[i].first != done || n > PMB_UNWIND_ROW_MAX ||
		    n > t.head.n_rows - done || !run__ok(t.rows + done, n, t.head.n_rules))
			return -EPROTO;
		done += n;
	}
	if (done != t.head.n_rows)
		return -EPROTO;
	if (t.head.has_runtime)
		memcpy(&t.runtime, t.rows + t.head.n_rows, sizeof(t.runtime));
	if ((t.head.has_runtime == PMB_RUNTIME_KNOWN && !runtime__ok(&t.runtime)) ||
	    (t.head.has_runtime == PMB_RUNTIME_V8 && !v8__ok(&t.runtime)))
		return -EPROTO;
	*ret = t;
	return 0;
}

static int read_all(int fd, void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)data + done, len - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPROTO;
		done += (size_t)n;
	}
	return 0;
}

int unwind_table__read(int fd, struct unwind_table *ret)
{
	_cleanup_free_ void *bytes = NULL;
	struct pmb_table_head head;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) /* what else there is may block */
		return -EPROTO;
	r = read_all(fd, &head, sizeof(head));
	if (r < 0)
		return r;
	if (!head__ok(&head) || (uint64_t)st.st_size != unwind_table__bytes(&head))
		return -EPROTO;
	bytes = malloc((size_t)st.st_size);
	if (!bytes)
		return -ENOMEM;
	r = read_all(fd, bytes, (size_t)st.st_size);
	if (r == 0)
		r = unwind_table__check(bytes, (size_t)st.st_size, ret);
	if (r == 0)
		ret->memory = TAKE_PTR(bytes);
	return r;
}

void unwind_table__done(struct unwind_table *t)
{
	free(t->memory);
	*t = (struct unwind_table){0};
}
