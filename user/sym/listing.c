// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/listing.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sym/sym_internal.h"
#include "symd/protocol.h"

/* One function, answer by answer. Negative: the helper failed, or the machine is another one. */
static int ask_listing(struct sym *sym, uint64_t file_off, struct listing *ret)
{
	uint32_t from = 0;
	int r;

	do {
		struct cursor body;

		helper__begin(&sym->helper, SYMD_LISTING);
		symd_msg__put_u64(&sym->helper.request, file_off);
		symd_msg__put_u32(&sym->helper.request, from);
		r = sym__ask_names(sym, &body);
		if (r < 0)
			return r;
		r = reply__listing(&body, sym->texts, ret, &from);
		if (r == -EPROTO)
			return sym__fail(sym, r);
	} while (r == 0 && from);
	return r;
}

static bool holds(const struct listing *l, uint64_t file_off)
{
	return file_off - l->file_off < l->size;
}

static bool is_listed(const struct listing *list, size_t n, uint64_t file_off)
{
	for (size_t i = 0; i < n; i++) {
		if (holds(&list[i], file_off))
			return true;
	}
	return false;
}

/* The others: functions don't overlap, whatever symbols say. */
static bool is_behind(const struct listing *list, size_t n, const struct listing *l)
{
	return !n || (l->file_off > list[n - 1].file_off && !holds(&list[n - 1], l->file_off));
}

static enum listing_end ask_all(struct sym *sym, const uint64_t *offsets, size_t n,
				struct listing *list, size_t *ret_n)
{
	/* of what is in no function there may be many places, which are asked about one by one */
	size_t tries = 4 * LISTINGS_MAX, rows = 0;

	for (size_t i = 0; i < n && *ret_n < LISTINGS_MAX && tries && rows < LISTING_ROWS_MAX;
	     i++) {
		struct listing *l = &list[*ret_n];
		int r;

		if (is_listed(list, *ret_n, offsets[i]))
			continue;
		tries--;
		r = ask_listing(sym, offsets[i], l);
		rows += l->n;
		if (l->n && holds(l, offsets[i]) && is_behind(list, *ret_n, l))
			(*ret_n)++;
		else
			listing__done(l);
		if (r == -EOPNOTSUPP)
			return LISTING_OTHER_MACHINE;
		if (r < 0)
			return LISTING_FAILED;
	}
	return LISTING_WHOLE;
}

enum listing_end sym__jit_listings(struct sym *sym, int fd, const uint64_t *addrs, size_t n,
				   struct listing **ret, size_t *ret_n)
{
	enum sym_reason reason = SYM_HELPER;
	struct cursor body;

	*ret = xcalloc(LISTINGS_MAX, sizeof(**ret));
	*ret_n = 0;
	sym__forget_last(sym);
	if (sym__open(sym, SYMD_OPEN_JITDUMP, fd, SYM_NO_PERF_MAP, &body, &reason) < 0)
		return LISTING_FAILED;
	if (reason != SYM_NAMED)
		return LISTING_BAD_FILE;
	return ask_all(sym, addrs, n, *ret, ret_n);
}

enum listing_end sym__listings(struct sym *sym, const struct sym_file *file,
			       const uint64_t *offsets, size_t n, struct listing **ret,
			       size_t *ret_n)
{
	enum listing_end end = LISTING_BAD_FILE;
	enum sym_reason reason;

	*ret = xcalloc(LISTINGS_MAX, sizeof(**ret));
	*ret_n = 0;
	sym__forget_last(sym);
	if (sym__open_elf(sym, file, true, true, &reason) == 0)
		end = ask_all(sym, offsets, n, *ret, ret_n);
	else if (reason == SYM_HELPER)
		end = LISTING_FAILED;
	sym__close(sym, file);
	return end;
}
