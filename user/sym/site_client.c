// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/site_client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/helper.h"
#include "sym/reason.h"
#include "symd/protocol.h"
#include "sys/clock.h"

enum { ANSWER_NS = 2000000000 };

struct site_client {
	struct helper helper;
	/* What the last question was about: */
	uint32_t n; /* functions that are called so */
	bool of_go;
	struct buf list;   /* of some of them, for a sentence */
	struct buf called; /* of the first, if there is one more name */
};

struct site_client *site_client__new(int (*child)(int sock))
{
	struct site_client *c = xcalloc(1, sizeof(*c));

	helper__init(&c->helper, child);
	return c;
}

void site_client__between(struct site_client *c, void (*meanwhile)(void *ctx), void *ctx)
{
	c->helper.meanwhile = meanwhile;
	c->helper.meanwhile_ctx = ctx;
}

struct site_client *site_client__free(struct site_client *c)
{
	if (!c)
		return NULL;
	helper__done(&c->helper);
	buf__done(&c->list);
	buf__done(&c->called);
	free(c);
	return NULL;
}

static uint64_t deadline(void)
{
	return now_ns() + (uint64_t)ANSWER_NS;
}

static int failed(struct site_client *c, int r, const char *what, struct err *err)
{
	char *why = helper__obituary(&c->helper, r);

	err__set(err, r, "%s: the helper that reads symbols %s", what, why);
	free(why);
	return r;
}

static int open_file(struct site_client *c, int fd, uint64_t until, const char *what,
		     struct err *err)
{
	struct cursor body;
	int r = helper__start(&c->helper, until);

	if (r == 0) {
		helper__begin(&c->helper, SYMD_OPEN_ELF);
		r = helper__ask(&c->helper, fd, until, &body);
	}
	if (r < 0)
		return failed(c, r, what, err);
	if (cursor__u8(&body) == SYM_NAMED)
		return 0;
	return err__usage(err, "%s: the file is not an ELF file with code that can be read", what);
}

/* Why it isn't known where a function is left. */
static int refuse_exits(enum symd_site_status status, const char *name, const char *what,
			struct err *err)
{
	static const char *const why[] = {
		[SYMD_SITE_NOT_READ] = "not all of its code can be read (it is larger than 64 KiB, "
				       "or has data amid instructions), so places where it is left "
				       "may be missing",
		[SYMD_SITE_NO_RETURN] = "it never returns",
		[SYMD_SITE_MANY_EXITS] = "it is left at more than 63 places",
		[SYMD_SITE_BEGINS_AGAIN] = "a jump of its own leads to its beginning, so a turn of "
					   "its loop can't be told from a call",
		[SYMD_SITE_UNPROBED] = "it is left by an instruction that the kernel puts no probe "
				       "on (retaa and its like, of code for armv8.3-a and later)",
	};

	return err__cannot(err,
			   "%s: windows of '%s' can't be had: %s; from one function to another "
			   "they can: u:FILE:A..u:FILE:B",
			   what, name, why[status]);
}

/* "ns::f(int) (_ZN2ns1fEi)": all of a name that can be typed; asked NULL: the first of these. */
static bool read_called(struct cursor *body, const char *asked, struct buf *ret)
{
	size_t len = cursor__u16(body);
	const char *linker = cursor__bytes(body, len);
	size_t written_len = cursor__u16(body);
	const char *written = cursor__bytes(body, written_len);

	buf__clear(ret);
	if (!linker || !written)
		return false;
	if (written_len)
		buf__add(ret, written, written_len);
	else if (!asked || len != strlen(asked) || memcmp(linker, asked, len) != 0)
		buf__add(ret, linker, len);
	if (asked && written_len && len < SYMD_CALLED_BYTES) {
		buf__puts(ret, " (");
		buf__add(ret, linker, len);
		buf__putc(ret, ')');
	}
	return true;
}

/* In a sentence there is room for so much. */
static bool read_found(struct site_client *c, struct cursor *body, const char *asked)
{
	enum { LIST_BYTES = 600 };
	_cleanup_(buf__done) struct buf one = {0};
	uint32_t told = 0;
	uint8_t n;

	buf__clear(&c->list);
	buf__clear(&c->called);
	c->n = cursor__u32(body);
	c->of_go = cursor__u8(body);
	n = cursor__u8(body);
	for (uint8_t i = 0; i < n; i++) {
		if (!read_called(body, asked, &one))
			return false;
		if (!i)
			buf__add(&c->called, one.data, one.len);
		if (c->list.len + one.len > LIST_BYTES && told)
			continue;
		buf__printf(&c->list, "%s%s", told++ ? ", " : "", one.data ? one.data : "");
	}
	if (told && c->n > told)
		buf__printf(&c->list, " and %" PRIu32 " more", c->n - told);
	return n <= SYMD_CALLED_MAX && n <= c->n;
}

const char *site_client__called(const struct site_client *c)
{
	return c->called.len ? c->called.data : NULL;
}

bool site_client__of_go(const struct site_client *c)
{
	return c->of_go;
}

/* Of the file that is open. */
static void ask_near(struct site_client *c, const char *name, struct nearest *nearest)
{
	_cleanup_(buf__done) struct buf one = {0};
	struct cursor body;
	uint8_t n;

	helper__begin(&c->helper, SYMD_NEAR);
	symd_msg__put_text(&c->helper.request, name, SYMD_NAME_MAX);
	if (helper__ask(&c->helper, -1, deadline(), &body) < 0)
		return;
	n = cursor__u8(&body);
	for (uint8_t i = 0; i < n; i++) {
		uint32_t distance = cursor__u32(&body);

		if (!read_called(&body, "", &one))
			return;
		nearest__offer_at(nearest, distance, one.data);
	}
}

void site_client__near(struct site_client *c, int fd, const char *name, struct nearest *nearest)
{
	if (open_file(c, fd, deadline(), "", NULL) == 0)
		ask_near(c, name, nearest);
}

static int refuse_none(struct site_client *c, const char *name, const char *what, struct err *err)
{
	_cleanup_(nearest__done) struct nearest nearest;
	_cleanup_(buf__done) struct buf near = {0};

	nearest__init(&nearest, name);
	if (!err)
		return -EINVAL;
	ask_near(c, name, &nearest);
	nearest__format(&nearest, &near);
	return err__usage(err,
			  "%s: the file has no function '%s' by itself%s%s: it is spelt otherwise "
			  "(`nm -C` and `nm -DC` list what there is), was inlined everywhere, or "
			  "its symbols were stripped%s",
			  what, name, near.len ? "; nearest: " : "", near.len ? near.data : "",
			  strstr(name, "..") && !strstr(name, "...") ?
				  "; of two probes each is whole: u:FILE:A..u:FILE:B" :
				  "");
}

static int refuse_several(const struct site_client *c, const char *name, const char *what,
			  struct err *err)
{
	if (c->list.len)
		return err__usage(err,
				  "%s: %" PRIu32 " functions of the file are called '%s', and a "
				  "probe is put into one: %s; say which by its parameters or as "
				  "the linker calls it, which is in brackets",
				  what, c->n, name, c->list.data);
	return err__usage(err,
			  "%s: %" PRIu32 " functions of the file are called '%s' by the linker, "
			  "too, as static ones of several sources are, so that there is no name "
			  "for one of them, and a probe is put into one",
			  what, c->n, name);
}

static int refuse(struct site_client *c, enum symd_site_status status, const char *name,
		  uint64_t offset, const char *what, struct err *err)
{
	switch (status) {
	case SYMD_SITE_NO_FUNCTION:
		return refuse_none(c, name, what, err);
	case SYMD_SITE_TOO_MANY:
		return err__usage(err,
				  "%s: in a second not all functions of the file could be looked "
				  "at, so which one is '%s' is not known: name it as the linker "
				  "does (`nm`, `nm -D`), or try again when the machine is less "
				  "busy",
				  what, name);
	case SYMD_SITE_ELSEWHERE:
		err__usage(err,
			   "%s: the file uses '%s' of another file: name that one (`ldd` lists the "
			   "libraries of a program)",
			   what, name);
		return -ENOLINK;
	case SYMD_SITE_SEVERAL:
		return refuse_several(c, name, what, err);
	case SYMD_SITE_NO_PROBE:
		return err__usage(err,
				  "%s: the file has no such probe of its own (`readelf -n` lists "
				  "those it has, as stapsdt)",
				  what);
	case SYMD_SITE_CHOOSES:
		return err__usage(err,
				  "%s: which function is '%s' is chosen when a program starts (an "
				  "IFUNC), and what the file calls so is not called afterwards: "
				  "name the one that profiles show",
				  what, name);
	case SYMD_SITE_OF_GO:
		return err__cannot(err,
				   "%s: a window belongs to a thread, and Go's functions go on on "
				   "another thread than they began on; what '%s' and all that it "
				   "calls cost is in a recording without a window: `pmubpf report "
				   "--callees '%s' FILE`",
				   what, name, name);
	case SYMD_SITE_NOT_READ:
	case SYMD_SITE_NO_RETURN:
	case SYMD_SITE_MANY_EXITS:
	case SYMD_SITE_BEGINS_AGAIN:
	case SYMD_SITE_UNPROBED:
		return refuse_exits(status, name, what, err);
	case SYMD_SITE_OTHER_MACHINE:
		return err__cannot(err,
				   "%s: it is not a program of this machine's kind, or probes are "
				   "put into none of that kind in this version (x86-64 and arm64 "
				   "only)",
				   what);
	default:
		return err__usage(err,
				  "%s: no instruction that can be probed begins at %s+%#" PRIx64,
				  what, name, offset);
	}
}

/* A request about that file; what it is about comes behind. */
static int begin(struct site_client *c, int fd, enum symd_type type, const char *what,
		 struct err *err)
{
	int r = open_file(c, fd, deadline(), what, err);

	if (r == 0)
		helper__begin(&c->helper, type);
	return r;
}

static int ask(struct site_client *c, const char *what, struct cursor *body, struct err *err)
{
	int r = helper__ask(&c->helper, -1, deadline(), body);

	return r < 0 ? failed(c, r, what, err) : 0;
}

int site_client__find(struct site_client *c, int fd, const char *name, uint64_t offset,
		      const char *what, struct site *ret, struct err *err)
{
	enum symd_site_status status;
	struct cursor body;
	int r = begin(c, fd, SYMD_SITE, what, err);

	if (r < 0)
		return r;
	symd_msg__put_u64(&c->helper.request, offset);
	symd_msg__put_text(&c->helper.request, name, SYMD_NAME_MAX);
	r = ask(c, what, &body, err);
	if (r < 0)
		return r;
	status = cursor__u8(&body);
	if (!read_found(c, &body, name))
		return failed(c, -EPROTO, what, err);
	ret->emulated = cursor__u8(&body);
	ret->counter_off = 0;
	ret->when = 0;
	ret->file_off = cursor__u64(&body);
	if (!cursor__done(&body) || status >= SYMD_N_SITE_STATUSES)
		return failed(c, -EPROTO, what, err);
	return status == SYMD_SITE_FOUND ? 0 : refuse(c, status, name, offset, what, err);
}

int site_client__find_usdt(struct site_client *c, int fd, const char *provider, const char *name,
			   const char *what, struct site ret[SITES_MAX], size_t *ret_n,
			   struct err *err)
{
	enum symd_site_status status;
	struct cursor body;
	uint32_t n;
	int r = begin(c, fd, SYMD_USDT, what, err);

	if (r < 0)
		return r;
	symd_msg__put_text(&c->helper.request, provider, SYMD_NAME_MAX);
	symd_msg__put_text(&c->helper.request, name, SYMD_NAME_MAX);
	r = ask(c, what, &body, err);
	if (r < 0)
		return r;
	status = cursor__u8(&body);
	n = cursor__u32(&body);
	for (uint32_t i = 0; i < n && i < SITES_MAX; i++) {
		ret[i].file_off = cursor__u64(&body);
		ret[i].counter_off = cursor__u64(&body);
		ret[i].emulated = cursor__u8(&body);
		ret[i].when = 0;
	}
	if (!cursor__done(&body) || n > SITES_MAX || status >= SYMD_N_SITE_STATUSES)
		return failed(c, -EPROTO, what, err);
	*ret_n = n;
	buf__clear(&c->called);
	return status == SYMD_SITE_FOUND ? 0 : refuse(c, status, name, 0, what, err);
}

/* What FUNCTION says of one, and RETURNS of each. False: it can't be read. */
static bool read_places(struct cursor *body, enum symd_site_status *ret_status,
			struct site ret[SITES_MAX], size_t *ret_n)
{
	uint32_t n;

	*ret_status = cursor__u8(body);
	n = cursor__u32(body);
	for (uint32_t i = 0; i < n && i < SITES_MAX; i++) {
		ret[i].counter_off = 0;
		ret[i].file_off = cursor__u64(body);
		ret[i].when = cursor__u8(body);
		ret[i].emulated = cursor__u8(body);
	}
	*ret_n = n;
	return n <= SITES_MAX && *ret_status < SYMD_N_SITE_STATUSES &&
	       (n || *ret_status != SYMD_SITE_FOUND);
}

int site_client__find_function(struct site_client *c, int fd, const char *name, const char *what,
			       struct site ret[SITES_MAX], size_t *ret_n,
			       struct site_entry *ret_entry, struct err *err)
{
	enum symd_site_status status;
	struct cursor body;
	int r = begin(c, fd, SYMD_FUNCTION, what, err);

	if (r < 0)
		return r;
	symd_msg__put_text(&c->helper.request, name, SYMD_NAME_MAX);
	r = ask(c, what, &body, err);
	if (r < 0)
		return r;
	if (!read_places(&body, &status, ret, ret_n))
		return failed(c, -EPROTO, what, err);
	ret_entry->kept = cursor__u16(&body);
	ret_entry->grows = cursor__u8(&body);
	if (!read_found(c, &body, name) || !cursor__done(&body))
		return failed(c, -EPROTO, what, err);
	return status == SYMD_SITE_FOUND ? 0 : refuse(c, status, name, 0, what, err);
}

int site_client__find_returns(struct site_client *c, int fd, const struct site_name *names,
			      size_t n, uint64_t within_ns, const char *what, site_found_fn found,
			      void *ctx, struct err *err)
{
	uint64_t until = now_ns() + within_ns;
	struct site sites[SITES_MAX];
	enum symd_site_status status;
	struct cursor body;
	size_t n_sites;
	int r = open_file(c, fd, until, what, err);

	if (r < 0)
		return r;
	helper__begin(&c->helper, SYMD_RETURNS);
	symd_msg__put_u8(&c->helper.request, (uint8_t)n);
	for (size_t i = 0; i < n; i++) {
		symd_msg__put_u8(&c->helper.request, (uint8_t)names[i].arguments);
		symd_msg__put_text(&c->helper.request, names[i].name, SYMD_NAME_MAX);
	}
	r = helper__ask(&c->helper, -1, until, &body);
	if (r < 0)
		return failed(c, r, what, err);
	for (size_t i = 0; i < n; i++) {
		if (!read_places(&body, &status, sites, &n_sites))
			return failed(c, -EPROTO, what, err);
		if (status == SYMD_SITE_FOUND)
			found(ctx, i, sites, n_sites);
	}
	return cursor__done(&body) ? 0 : failed(c, -EPROTO, what, err);
}

static const enum site_jump_kind kinds[] = {
	[SYMD_BRANCH_FOUND] = SITE_JUMP_EMULATED,
	[SYMD_BRANCH_NOT_EMULATED] = SITE_JUMP_STEPPED,
	[SYMD_BRANCH_NOT_REACHED] = SITE_JUMP_UNREACHED,
};

static bool read_jumps(struct cursor *body, struct site_jumps *ret)
{
	uint32_t n;

	ret->vaddr = cursor__u64(body);
	ret->file_off = cursor__u64(body);
	ret->size = cursor__u64(body);
	ret->n_all = cursor__u32(body);
	n = cursor__u32(body);
	if (n > SYMD_BRANCHES_MAX || n > ret->n_all)
		return false;
	ret->list = xcalloc(n + 1, sizeof(*ret->list));
	for (; ret->n < n; ret->n++) {
		struct site_jump *j = &ret->list[ret->n];
		uint8_t why;

		j->at = cursor__u32(body);
		j->condition = cursor__u8(body);
		why = cursor__u8(body);
		if (j->at >= ret->size || j->condition > 15 || why >= ARRAY_SIZE(kinds) ||
		    (ret->n && j->at <= ret->list[ret->n - 1].at))
			return false;
		j->kind = kinds[why];
	}
	return cursor__done(body) && ret->file_off <= INT64_MAX && ret->size <= UINT32_MAX;
}

int site_client__find_jumps(struct site_client *c, int fd, const struct site_function *function,
			    const char *what, struct site_jumps *ret, struct err *err)
{
	const char *name = function->name;
	enum symd_site_status status;
	struct cursor body;
	int r = open_file(c, fd, deadline(), what, err);

	*ret = (struct site_jumps){0};
	if (r == -EINVAL) /* it has no code, either */
		return 1;
	if (r < 0)
		return r;
	helper__begin(&c->helper, SYMD_BRANCHES);
	symd_msg__put_text(&c->helper.request, name, SYMD_NAME_MAX);
	symd_msg__put_u64(&c->helper.request, function->file_off);
	symd_msg__put_u8(&c->helper.request, (uint8_t)function->class);
	r = ask(c, what, &body, err);
	if (r < 0)
		return r;
	status = cursor__u8(&body);
	if (!read_found(c, &body, name) || !read_jumps(&body, ret) ||
	    status >= SYMD_N_SITE_STATUSES) {
		free(ret->list);
		*ret = (struct site_jumps){0};
		return failed(c, -EPROTO, what, err);
	}
	if (status == SYMD_SITE_FOUND)
		return 0;
	free(ret->list);
	*ret = (struct site_jumps){0};
	if (status == SYMD_SITE_NO_FUNCTION || status == SYMD_SITE_ELSEWHERE || !name)
		return 1;
	if (status == SYMD_SITE_NOT_READ)
		return err__cannot(err,
				   "%s: '%s' has jumps that lead amid what are taken for its "
				   "instructions, so which of its bytes are instructions isn't "
				   "known",
				   what, name);
	return refuse(c, status, name, 0, what, err);
}

int site_client__is_same_code(struct site_client *c, int fd, int memory,
			      const struct site_jumps *jumps, uint64_t addr, const char *what,
			      struct err *err)
{
	struct cursor body;
	bool same;
	int r = begin(c, fd, SYMD_SAME_CODE, what, err);

	if (r < 0)
		return r;
	symd_msg__put_u64(&c->helper.request, jumps->file_off);
	symd_msg__put_u64(&c->helper.request, addr);
	symd_msg__put_u64(&c->helper.request, jumps->size);
	r = helper__ask(&c->helper, memory, deadline(), &body);
	if (r < 0)
		return failed(c, r, what, err);
	same = cursor__u8(&body);
	return cursor__done(&body) ? same : failed(c, -EPROTO, what, err);
}
