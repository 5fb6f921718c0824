// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/code_client.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmubpf/budgets.h"
#include "pmubpf/unwind.h"
#include "sym/helper.h"
#include "symd/protocol.h"
#include "sys/clock.h"
#include "sys/usage.h"

static const uint64_t ANSWER_NS = BUDGET_ANSWER_S * 1000000000ULL;

struct code_client {
	struct helper helper;
	bool busy;
	bool wants_names; /* what it was asked last is what the code is called */
	uint64_t since_ns;
	uint64_t cpu_before_ns;
	int asked;                 /* 0, or why it could not be */
	struct code_answer answer; /* so far */
	int err;                   /* of the helper that failed */
};

struct code_client *code_client__new(int (*child)(int sock))
{
	struct code_client *c = xcalloc(1, sizeof(*c));

	helper__init(&c->helper, child);
	c->answer.table = c->answer.names = -1;
	return c;
}

static void forget_answer(struct code_client *c)
{
	cleanup_close(&c->answer.table);
	cleanup_close(&c->answer.names);
	c->answer = (struct code_answer){.table = -1, .names = -1};
}

struct code_client *code_client__free(struct code_client *c)
{
	if (!c)
		return NULL;
	forget_answer(c);
	helper__abandon(&c->helper);
	helper__done(&c->helper);
	free(c);
	return NULL;
}

int code_client__start(struct code_client *c, const struct code_wanted *wanted)
{
	int r;

	if (c->busy)
		return -EBUSY;
	r = helper__spawn(&c->helper);
	if (r == -EBUSY)
		return r;
	forget_answer(c);
	c->wants_names = false;
	c->since_ns = now_ns();
	c->cpu_before_ns = helper__cpu_ns(&c->helper);
	c->busy = true;
	c->asked = r;
	if (r < 0)
		return 0;
	helper__begin(&c->helper, SYMD_READ_CODE);
	symd_msg__put_u8(&c->helper.request, wanted->only_places);
	symd_msg__put_u64(&c->helper.request, wanted->structs);
	symd_msg__put_u64(&c->helper.request, wanted->types);
	for (size_t i = 0; i < wanted->n_places && i < CODE_PLACES_MAX; i++)
		symd_msg__put_u64(&c->helper.request, wanted->places[i]);
	c->asked = helper__post(&c->helper, wanted->mem, "pmubpf-code");
	return 0;
}

static bool span__ok(uint64_t from, uint64_t to)
{
	return from < to && to - from <= CODE_SPAN_MAX && to <= INT64_MAX &&
	       from % PMB_UNWIND_ROW_MAX == 0;
}

/* False: it is none. written: where its table is. */
static bool take_code(struct code_client *c, struct cursor *body, int *written)
{
	static const enum code_status statuses[SYMD_N_CODE_STATUSES] = {
		[SYMD_CODE_READ] = CODE_READ,           [SYMD_CODE_SAME] = CODE_SAME,
		[SYMD_CODE_NOT_YET] = CODE_NOT_YET,     [SYMD_CODE_UNKNOWN] = CODE_UNKNOWN,
		[SYMD_CODE_NO_MEMORY] = CODE_NO_MEMORY, [SYMD_CODE_NAMED] = CODE_NAMED,
	};
	uint8_t status = cursor__u8(body);
	uint16_t len;
	const char *text;

	c->answer.from = cursor__u64(body);
	c->answer.to = cursor__u64(body);
	len = cursor__u16(body);
	text = cursor__bytes(body, len);
	if (!cursor__done(body) || len >= CODE_TEXT_MAX || status >= SYMD_N_CODE_STATUSES ||
	    (status <= SYMD_CODE_NAMED && !span__ok(c->answer.from, c->answer.to)))
		return false;
	memcpy(c->answer.text, text, len);
	c->answer.status = statuses[status];
	if (status == SYMD_CODE_READ)
		c->answer.table = TAKE_FD(*written);
	return status != SYMD_CODE_READ || c->answer.table >= 0;
}

static struct code_answer failed(struct code_client *c, int err)
{
	forget_answer(c);
	c->busy = false;
	c->err = err;
	helper__abandon(&c->helper);
	return (struct code_answer){.status = CODE_HELPER, .table = -1, .names = -1};
}

static struct code_answer pending(void)
{
	return (struct code_answer){.status = CODE_PENDING, .table = -1, .names = -1};
}

struct code_answer code_client__finish(struct code_client *c)
{
	_cleanup_close_ int written = -1;
	struct code_answer answer;
	struct cursor body;
	int r;

	if (!c->busy)
		return pending();
	r = c->asked < 0 ? c->asked : helper__take(&c->helper, &body, &written);
	if (r == -EAGAIN && !helper__is_stuck(&c->helper) &&
	    !helper__is_late(&c->helper, c->since_ns + ANSWER_NS))
		return pending();
	if (r < 0)
		return failed(c, r == -EAGAIN ? -ETIMEDOUT : r);
	if (!c->wants_names && !take_code(c, &body, &written))
		return failed(c, -EPROTO);
	if (!c->wants_names && (c->answer.status == CODE_READ || c->answer.status == CODE_NAMED)) {
		c->wants_names = true;
		helper__begin(&c->helper, SYMD_CODE_NAMES);
		r = helper__post(&c->helper, -1, "pmubpf-code");
		return r < 0 ? failed(c, r) : pending();
	}
	if (c->wants_names && (!cursor__done(&body) || written < 0))
		return failed(c, -EPROTO);
	if (c->wants_names)
		c->answer.names = TAKE_FD(written);
	c->answer.took_ns = helper__cpu_ns(&c->helper) - c->cpu_before_ns;
	c->busy = false;
	answer = c->answer;
	c->answer = (struct code_answer){.table = -1, .names = -1};
	return answer;
}

bool code_client__is_busy(const struct code_client *c)
{
	return c->busy;
}

uint64_t code_client__cpu_ns(const struct code_client *c)
{
	return helper__cpu_ns(&c->helper);
}

uint64_t code_client__rss_bytes(const struct code_client *c)
{
	return c->helper.pid ? usage_rss_bytes(c->helper.pid) : 0;
}

char *code_client__trouble(const struct code_client *c)
{
	return helper__obituary(&c->helper, c->err);
}
