// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the helper reads hostile files, so what it says is hostile too, and it may die or
 * hang at any moment. Every reply is checked in full before anything of it is used (sym/reply.c);
 * whatever is wrong ends the helper and leaves SYM_HELPER on what that file still lacks.
 */
#include "pmubpf/budgets.h"
#include "sym/sym_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/object_place.h"
#include "sym/helper.h"
#include "sym/listing.h"
#include "sym/reply.h"
#include "sym/texts.h"
#include "symd/protocol.h"
#include "sys/clock.h"
#include "sys/usage.h"

enum {
	TIMEOUT_MS = 1000 * BUDGET_ANSWER_S,
	START_TIMES = 6, /* until it says hello: its namespaces may wait for all CPUs */
};

static int sym__start(struct sym **ret, int (*child)(int sock), const char *command, int timeout_ms,
		      struct err *err)
{
	struct sym *sym = xcalloc(1, sizeof(*sym));
	int r;

	helper__init(&sym->helper, child);
	sym->helper.command = command;
	sym->texts = sym->own_texts = texts__new(0);
	sym->until_ns = UINT64_MAX;
	sym->timeout_ns = (uint64_t)timeout_ms * 1000000;
	r = helper__start(&sym->helper, now_ns() + START_TIMES * sym->timeout_ns);
	if (r < 0) {
		sym__free(sym);
		return err__set(err, r,
				"can't start the symbol helper (this program again, as "
				"`pmubpf symd`): %s; is /proc mounted?",
				strerror(-r));
	}
	*ret = sym;
	return 0;
}

int sym__new_with(struct sym **ret, int (*child)(int sock), int timeout_ms, struct err *err)
{
	return sym__start(ret, child, NULL, timeout_ms, err);
}

void sym__meanwhile(struct sym *sym, void (*fn)(void *ctx), void *ctx)
{
	sym->helper.meanwhile = fn;
	sym->helper.meanwhile_ctx = ctx;
}

void sym__until(struct sym *sym, uint64_t deadline_ns, int stop_fd, uint64_t stop_from_ns)
{
	sym->until_ns = deadline_ns;
	sym->helper.stop_fd = stop_fd;
	sym->helper.stop_from_ns = stop_from_ns;
}

void sym__set_patience(struct sym *sym, uint64_t ns)
{
	sym->patience_ns = ns;
}

bool sym__was_put_off(const struct sym *sym)
{
	return sym->put_off;
}

int sym__new(struct sym **ret, struct err *err)
{
	return sym__new_with(ret, NULL, TIMEOUT_MS, err);
}

int sym__new_for_code(struct sym **ret, struct err *err)
{
	return sym__start(ret, NULL, "symd-code", TIMEOUT_MS, err);
}

uint64_t sym__helper_ns(const struct sym *sym)
{
	return helper__cpu_ns(&sym->helper);
}

uint64_t sym__helper_rss_bytes(const struct sym *sym)
{
	return sym->helper.pid ? usage_rss_bytes(sym->helper.pid) : 0;
}

struct sym *sym__free(struct sym *sym)
{
	if (!sym)
		return NULL;
	helper__done(&sym->helper);
	texts__free(sym->own_texts);
	free(sym->trouble);
	free(sym);
	return NULL;
}

void sym__put_texts(struct sym *sym, struct texts *texts)
{
	sym->texts = texts;
}

unsigned sym__failures(const struct sym *sym)
{
	return sym->failures;
}

char *sym__take_trouble(struct sym *sym)
{
	return TAKE_PTR(sym->trouble);
}

size_t sym__build_id(const struct sym *sym, const uint8_t **ret)
{
	*ret = sym->identity.build_id;
	return sym->identity.build_id_len;
}

struct sym_work sym__work(const struct sym *sym)
{
	return sym->work;
}

void sym__want(struct sym *sym, bool inlined, bool lines, bool types)
{
	sym->wanted = (inlined ? SYMD_WANT_INLINED : 0) | (lines ? SYMD_WANT_LINES : 0) |
		      (types ? SYMD_WANT_TYPES : 0);
}

void sym__want_blocks(struct sym *sym)
{
	sym->wanted |= SYMD_WANT_BLOCKS;
}

void sym__forget_last(struct sym *sym)
{
	free(sym__take_trouble(sym));
	sym->put_off = false;
}

static void fill(struct sym_name *ret, const uint64_t *where, size_t n, enum sym_reason reason)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_name){.vaddr = where[i], .reason = reason};
}

/* Of an ELF file's: marks aren't part of a place. */
static void fill_elf(struct sym_name *ret, const uint64_t *where, size_t n, enum sym_reason reason)
{
	fill(ret, where, n, reason);
	for (size_t i = 0; i < n; i++) {
		if (!(where[i] & DATA_PLACE_MARK))
			ret[i].vaddr &= ~SYMD_BLOCK_MARK;
	}
}

/* Asks about the first of n locations, as many as fit; returns how many got an answer, or an
 * error. */
static ssize_t sym__lookup_some(struct sym *sym, uint32_t wanted, const uint64_t *where, size_t n,
				struct sym_name *ret)
{
	struct buf *request = &sym->helper.request;
	struct cursor body;
	ssize_t m;
	int r;

	if (n > SYMD_LOOKUP_MAX)
		n = SYMD_LOOKUP_MAX;
	helper__begin(&sym->helper, SYMD_LOOKUP);
	symd_msg__put_u32(request, wanted);
	symd_msg__put_u32(request, (uint32_t)n);
	buf__add(request, where, n * sizeof(*where));
	r = sym__ask_names(sym, &body);
	if (r < 0)
		return r;
	m = reply__answers(&body, n, sym->texts, ret);
	return m < 0 ? sym__fail(sym, (int)m) : m;
}

/* How many of the first got an answer: all, unless the helper failed. */
static size_t sym__lookup(struct sym *sym, uint32_t wanted, const uint64_t *where, size_t n,
			  struct sym_name *ret)
{
	size_t done = 0;

	while (done < n) {
		ssize_t m = sym__lookup_some(sym, wanted, where + done, n - done, ret + done);

		if (m < 0)
			break;
		done += (size_t)m;
	}
	return done;
}

/* False: the helper has failed. */
static bool sym__ask_layout(struct sym *sym, uint64_t where, const char **ret)
{
	struct cursor body;
	int r;

	helper__begin(&sym->helper, SYMD_LAYOUT);
	symd_msg__put_u64(&sym->helper.request, where);
	if (sym__ask_names(sym, &body) < 0)
		return false;
	r = reply__layout(&body, sym->texts, ret);
	if (r < 0)
		sym__fail(sym, r);
	return r == 0;
}

/* Texts are there once, so that the same one has the same address. */
static bool same_type(uint64_t a, const struct sym_name *of_a, uint64_t b,
		      const struct sym_name *of_b)
{
	if (is_object_place(a) || is_object_place(b))
		return object_place_entry(a) == object_place_entry(b);
	return of_a->frame.name == of_b->frame.name &&
	       of_a->inlined[0].name == of_b->inlined[0].name;
}

/* How the types of data at these places lie, where they have a member. */
static void sym__ask_layouts(struct sym *sym, const uint64_t *where, size_t n,
			     struct sym_name *names)
{
	size_t last = n;

	for (size_t i = 0; i < n; i++) {
		/* of a variable there is its type, too */
		bool typed = is_object_place(where[i]) && !is_variable_place(where[i]);

		if (!(where[i] & DATA_PLACE_MARK) || !names[i].frame.name ||
		    names[i].n_inlined <= !typed)
			continue;
		if (last < n && same_type(where[last], &names[last], where[i], &names[i]))
			names[i].layout = names[last].layout;
		else if (!sym__ask_layout(sym, where[i], &names[i].layout))
			return;
		last = i;
	}
}

/* As sym__lookup(); *ret_reason is what the others have. */
static size_t sym__try_elf(struct sym *sym, const struct sym_file *file, uint32_t wanted,
			   const uint64_t *offsets, size_t n, struct sym_name *ret,
			   enum sym_reason *ret_reason)
{
	bool dwarf = wanted & ~(uint32_t)SYMD_WANT_BLOCKS;
	size_t done;

	if (sym__open_elf(sym, file, true, dwarf, ret_reason) < 0)
		return 0;
	*ret_reason = SYM_HELPER;
	done = sym__lookup(sym, wanted, offsets, n, ret);
	if (done == n && (wanted & SYMD_WANT_TYPES))
		sym__ask_layouts(sym, offsets, n, ret);
	return done;
}

/* Types are of data: a file without a place of it needs no debug file for them. */
static uint32_t wanted_of(const struct sym *sym, const uint64_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (offsets[i] & DATA_PLACE_MARK)
			return sym->wanted;
	}
	return sym->wanted & ~(uint32_t)SYMD_WANT_TYPES;
}

void sym__elf(struct sym *sym, const struct sym_file *file, const uint64_t *offsets, size_t n,
	      struct sym_name *ret)
{
	uint32_t wanted = wanted_of(sym, offsets, n);
	enum sym_reason reason;
	size_t done;

	if (!n)
		return;
	sym__forget_last(sym);
	if (sym__is_silent(sym, file)) {
		fill_elf(ret, offsets, n, SYM_HELPER);
		return;
	}
	if (sym__is_stopped(sym)) {
		fill_elf(ret, offsets, n, SYM_TIME);
		return;
	}
	sym->work.files++;
	sym->work.lookups += n;
	sym->helper.stuck = false;
	done = sym__try_elf(sym, file, wanted, offsets, n, ret, &reason);
	if (done < n && reason == SYM_HELPER && !sym__is_stuck_at(sym, file) && wanted &&
	    !sym->stopped && !sym->put_off)
		done += sym__try_elf(sym, file, 0, offsets + done, n - done, ret + done, &reason);
	fill_elf(ret + done, offsets + done, n - done,
		 sym->stopped || sym->put_off ? SYM_TIME : reason);
	sym__close(sym, file);
}

/* How many of the first got an answer. */
static size_t sym__ask_places(struct sym *sym, enum pmb_skid skid, bool types,
			      const uint64_t *offsets, size_t n, struct pmb_place *ret)
{
	struct cursor body;
	size_t done = 0;
	ssize_t m = 1;

	while (done < n && m > 0) {
		size_t some = n - done < SYMD_LOOKUP_MAX ? n - done : SYMD_LOOKUP_MAX;

		helper__begin(&sym->helper, SYMD_PLACES);
		symd_msg__put_u8(&sym->helper.request, (uint8_t)skid);
		symd_msg__put_u8(&sym->helper.request, types);
		symd_msg__put_u32(&sym->helper.request, (uint32_t)some);
		buf__add(&sym->helper.request, offsets + done, some * sizeof(*offsets));
		m = sym__ask(sym, -1, &body);
		if (m == 0 && (m = reply__places(&body, some, ret + done)) < 0)
			sym__fail(sym, (int)m);
		done += m > 0 ? (size_t)m : 0;
	}
	return done;
}

static size_t sym__try_places(struct sym *sym, const struct sym_file *file, enum pmb_skid skid,
			      bool types, const uint64_t *offsets, size_t n, struct pmb_place *ret)
{
	enum sym_reason reason;

	if (sym__open_elf(sym, file, false, types, &reason) < 0)
		return 0;
	return sym__ask_places(sym, skid, types, offsets, n, ret);
}

void sym__places(struct sym *sym, const struct sym_file *file, enum pmb_skid skid,
		 const uint64_t *offsets, size_t n, struct pmb_place *ret)
{
	bool types = sym->wanted & SYMD_WANT_TYPES;
	size_t done = 0;

	sym__forget_last(sym);
	sym->helper.stuck = false;
	if (n && !sym__is_silent(sym, file) && !sym__is_stopped(sym)) {
		done = sym__try_places(sym, file, skid, types, offsets, n, ret);
		if (done < n && types && !sym__is_stuck_at(sym, file) && !sym__is_stopped(sym))
			done += sym__try_places(sym, file, skid, false, offsets + done, n - done,
						ret + done);
		sym__close(sym, file);
	}
	for (size_t i = done; i < n; i++)
		ret[i] = (struct pmb_place){.finding = PMB_PLACE_UNKNOWN};
}

void sym__jit(struct sym *sym, enum sym_jit kind, int fd, const uint64_t *addrs, size_t n,
	      struct sym_name *ret)
{
	static const uint16_t types[] = {
		[SYM_PERF_MAP] = SYMD_OPEN_PERF_MAP,
		[SYM_JITDUMP] = SYMD_OPEN_JITDUMP,
		[SYM_CODE_MAP] = SYMD_OPEN_CODE_MAP,
	};
	uint32_t wanted = kind == SYM_CODE_MAP ? SYMD_WANT_INLINED | SYMD_WANT_LINES : 0;
	enum sym_reason reason = SYM_HELPER;
	struct cursor body;
	size_t done = 0;
	int r;

	if (!n)
		return;
	sym__forget_last(sym);
	if (sym__is_stopped(sym)) {
		fill(ret, addrs, n, SYM_TIME);
		return;
	}
	sym->work.files++;
	sym->work.lookups += n;
	r = sym__open(sym, types[kind], fd, SYM_NO_PERF_MAP, &body, &reason);
	if (r == 0 && !cursor__done(&body))
		r = sym__fail(sym, -EPROTO);
	if (r == 0 && reason == SYM_NAMED) {
		done = sym__lookup(sym, wanted, addrs, n, ret);
		reason = SYM_HELPER;
	}
	if (r < 0)
		reason = SYM_HELPER;
	fill(ret + done, addrs + done, n - done, sym->stopped || sym->put_off ? SYM_TIME : reason);
}
