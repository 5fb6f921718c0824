// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/context_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* Bytes of the character at the beginning; 0: it is none, or none to be shown. */
static size_t character(const uint8_t *at, size_t left)
{
	size_t n = utf8__length(at, left);

	return !n || *at < ' ' || *at == 0x7f || utf8__is_control(at) ? 0 : n;
}

static void put_text(struct buf *out, const void *text, size_t len)
{
	const uint8_t *at = text;

	while (len) {
		size_t n = character(at, len);

		if (n)
			buf__add(out, at, n);
		else
			buf__putc(out, '?');
		n = n ? n : 1;
		at += n;
		len -= n;
	}
}

static void put_trace(struct buf *out, const struct pmb_context *c)
{
	static const uint8_t none[sizeof(c->trace_id)];

	if (memcmp(c->trace_id, none, sizeof(none)) == 0) {
		buf__puts(out, "[without attributes]");
		return;
	}
	buf__puts(out, "trace=");
	for (size_t i = 0; i < sizeof(c->trace_id); i++)
		buf__printf(out, "%02x", c->trace_id[i]);
}

void context_text(const struct pmb_context *c, context_key_fn key, void *ctx, struct buf *out)
{
	struct {
		const uint8_t *text; /* NULL: it has no such attribute */
		size_t len;
	} values[PMB_CONTEXT_KEYS] = {{0}};
	const uint8_t *at = (const void *)c->bytes, *end = at + c->n_bytes;
	size_t before = out->len;

	/* of several the last; what is cut is none */
	for (; end - at >= 2 && at[1] <= end - at - 2; at += 2 + at[1]) {
		values[at[0]].text = at + 2;
		values[at[0]].len = at[1];
	}
	for (unsigned i = 0; i < PMB_CONTEXT_KEYS; i++) {
		const char *name;

		if (!values[i].text)
			continue;
		name = key(ctx, c->tgid, i);
		if (out->len > before)
			buf__putc(out, ' ');
		if (name && *name)
			put_text(out, name, strlen(name));
		else
			buf__printf(out, "#%u", i);
		buf__putc(out, '=');
		put_text(out, values[i].text, values[i].len);
	}
	if (out->len == before)
		put_trace(out, c);
}
