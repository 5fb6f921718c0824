// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as what a thread says it works on, behind a process's message with the names of keys:
 * u16 length of the message, the message, the attributes. What comes out can be shown, and keeps to
 * its limit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "fuzz.h"
#include "model/context_text.h"
#include "symd/protocol.h"
#include "symd/thread_context.h"

struct keys {
	const char *text[256];
	size_t len[256], n;
	char name[SYMD_CONTEXT_KEY_MAX + 1];
};

static const char *key_of(void *ctx, uint32_t tgid, unsigned key)
{
	struct keys *keys = ctx;

	(void)tgid;
	if (key >= keys->n)
		return NULL;
	memcpy(keys->name, keys->text[key], keys->len[key]);
	keys->name[keys->len[key]] = '\0';
	return keys->name;
}

static void read_keys(const struct buf *said, struct keys *ret)
{
	struct cursor c = cursor__over(said->data, said->len);
	size_t n = cursor__u16(&c);

	if (n > 256)
		abort();
	for (size_t i = 0; i < n; i++) {
		ret->len[i] = cursor__u16(&c);
		if (ret->len[i] > SYMD_CONTEXT_KEY_MAX)
			abort();
		ret->text[i] = cursor__bytes(&c, ret->len[i]);
	}
	ret->n = n;
	if (!cursor__done(&c))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct cursor c = cursor__over(data, len);
	size_t n = cursor__u16(&c);
	void *message = n <= cursor__left(&c) ? fuzz_text(cursor__bytes(&c, n), n) : NULL;
	struct buf said = {0}, text = {0};
	struct pmb_context context = {0};
	struct keys keys = {0};

	if (!message)
		return 0;
	context.n_bytes = (uint32_t)cursor__left(&c);
	if (context.n_bytes > PMB_CONTEXT_MAX)
		context.n_bytes = PMB_CONTEXT_MAX;
	if (context.n_bytes)
		memcpy(context.bytes, cursor__bytes(&c, context.n_bytes), context.n_bytes);
	thread_context__put_keys(message, n, &said);
	read_keys(&said, &keys);
	context_text(&context, key_of, &keys, &text);
	for (size_t i = 0; i < text.len; i++) {
		if ((uint8_t)text.data[i] < ' ' || text.data[i] == 0x7f)
			abort();
	}
	/* of each attribute its key's name, "=" and a blank besides */
	if (!text.len ||
	    text.len > PMB_CONTEXT_MAX / 2 * (SYMD_CONTEXT_KEY_MAX + 2) + PMB_CONTEXT_MAX)
		abort();
	buf__done(&text);
	buf__done(&said);
	free(message);
	return 0;
}
