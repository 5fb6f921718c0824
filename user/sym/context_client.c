// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/context_client.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sym/helper.h"
#include "sym/reason.h"
#include "sys/clock.h"

enum { START_MS = 5000 };

struct context_client {
	struct helper helper;
};

struct context_client *context_client__new(int (*child)(int sock))
{
	struct context_client *c = xcalloc(1, sizeof(*c));

	helper__init(&c->helper, child);
	return c;
}

struct context_client *context_client__free(struct context_client *c)
{
	if (!c)
		return NULL;
	helper__done(&c->helper);
	free(c);
	return NULL;
}

void context_client__spawn(struct context_client *c)
{
	helper__spawn(&c->helper);
}

void context_client__between(struct context_client *c, void (*meanwhile)(void *ctx), void *ctx)
{
	c->helper.meanwhile = meanwhile;
	c->helper.meanwhile_ctx = ctx;
}

uint64_t context_client__cpu_ns(const struct context_client *c)
{
	return helper__cpu_ns(&c->helper);
}

void context_keys__done(struct context_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		free(keys->names[i]);
	free(keys->names);
	*keys = (struct context_keys){0};
}

static bool read_keys(struct cursor *body, struct context_keys *ret)
{
	size_t n = cursor__u16(body);

	if (n > PMB_CONTEXT_KEYS)
		return false;
	ret->names = xcalloc(n + 1, sizeof(*ret->names));
	for (size_t i = 0; i < n; i++) {
		size_t len = cursor__u16(body);
		const char *name = cursor__bytes(body, len);

		if (!cursor__ok(body) || len > SYMD_CONTEXT_KEY_MAX)
			return false;
		ret->names[ret->n++] = xstrndup(name, len);
	}
	return cursor__done(body);
}

static int open_file(struct context_client *c, int file, uint64_t until)
{
	struct cursor body;
	int r;

	helper__begin(&c->helper, SYMD_OPEN_ELF);
	r = helper__ask(&c->helper, file, until, &body);
	if (r < 0)
		return r;
	return cursor__u8(&body) == SYM_NAMED ? 0 : -ENOEXEC;
}

int context_client__ask(struct context_client *c, const struct context_question *q,
			uint64_t within_ns, enum symd_context_status *ret,
			struct pmb_context_place *ret_place, struct context_keys *ret_keys)
{
	/* what it waits for a CPU counts in a start, unlike in an answer */
	int r = helper__start(&c->helper, now_ns() + START_MS * 1000000ULL);
	uint64_t until = now_ns() + within_ns;
	struct buf *to = &c->helper.request;
	struct cursor body;

	*ret_place = (struct pmb_context_place){0};
	*ret_keys = (struct context_keys){0};
	*ret = SYMD_CONTEXT_NONE;
	if (r == 0)
		r = open_file(c, q->file, until);
	if (r == -ENOEXEC)
		return 0;
	if (r < 0)
		return r;
	helper__begin(&c->helper, SYMD_CONTEXT);
	symd_msg__put_u64(to, q->start);
	symd_msg__put_u64(to, q->file_off);
	symd_msg__put_u8(to, (uint8_t)q->n_published);
	for (size_t i = 0; i < q->n_published; i++)
		symd_msg__put_u64(to, q->published[i]);
	r = helper__ask(&c->helper, q->mem, until, &body);
	if (r < 0)
		return r;
	*ret = cursor__u8(&body);
	ret_place->kind = cursor__u32(&body);
	ret_place->module = cursor__u32(&body);
	ret_place->offset = (int64_t)cursor__u64(&body);
	if (read_keys(&body, ret_keys) && *ret < SYMD_N_CONTEXT_STATUSES &&
	    ret_place->kind < PMB_N_CONTEXT_KINDS)
		return 0;
	context_keys__done(ret_keys);
	helper__kill(&c->helper);
	return -EPROTO;
}
