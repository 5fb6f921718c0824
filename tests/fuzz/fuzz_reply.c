// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as what a helper that was taken over could send: a message, as its client takes it. The
 * first byte says what was asked. What passes holds to what the client's users rely on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "model/type_layout.h"
#include "sym/listing.h"
#include "sym/reply.h"
#include "sym/texts.h"

enum { ASKED = 8 };

static void expect(bool held)
{
	if (!held)
		abort();
}

static void check_frame(const struct sym_frame *f, bool named)
{
	expect((f->name != NULL) == named);
	expect(!f->name || (*f->name && strlen(f->name) <= TEXT_MAX));
	expect(!f->file || strlen(f->file) <= SYMD_FILE_MAX);
	expect(f->file || !(f->line || f->start_line));
}

static void take_answers(struct cursor *c)
{
	struct texts *texts = texts__new(512);
	struct sym_name names[ASKED];
	ssize_t n = reply__answers(c, ASKED, texts, names);

	expect(n == -EPROTO || (n > 0 && n <= ASKED));
	for (ssize_t i = 0; i < n; i++) {
		expect(names[i].n_inlined <= SYMD_INLINED_MAX);
		check_frame(&names[i].frame, names[i].reason == SYM_NAMED);
		for (size_t k = 0; k < names[i].n_inlined; k++)
			check_frame(&names[i].inlined[k], true);
		sym_name__done(&names[i]);
	}
	texts__free(texts);
}

static void take_demangled(struct cursor c)
{
	struct texts *texts = texts__new(512);
	const char *names[ASKED];
	ssize_t n = reply__names(&c, ASKED, texts, names);

	expect(n == -EPROTO || (n > 0 && n <= ASKED));
	for (ssize_t i = 0; i < n; i++)
		expect(!names[i] || (*names[i] && strlen(names[i]) <= TEXT_MAX));
	texts__free(texts);
}

static void take_layout(struct cursor c)
{
	struct texts *texts = texts__new(1 << 20);
	struct type_layout layout;
	const char *text;

	if (reply__layout(&c, texts, &text) == 0 && text) {
		expect(type_layout__parse(&layout, text, strlen(text)));
		for (size_t i = 0; i < layout.n; i++)
			expect(*layout.members[i].name && *layout.members[i].type);
		type_layout__done(&layout);
	}
	texts__free(texts);
}

static void take_listing(struct cursor c)
{
	struct texts *texts = texts__new(1 << 20);
	struct listing l = {0};
	uint32_t next;

	if (reply__listing(&c, texts, &l, &next) == 0) {
		expect(l.size && l.size <= UINT32_MAX);
		for (size_t i = 0; i < l.n; i++) {
			const struct listing_row *row = &l.rows[i];

			expect(row->n_frames && row->first_frame + row->n_frames <= l.n_frames);
			expect(row->at < l.size && row->len);
			expect(!i || row->at > l.rows[i - 1].at);
		}
	}
	listing__done(&l);
	texts__free(texts);
}

static void take_file(struct cursor *c)
{
	struct reply_identity id;
	enum sym_reason reason;

	if (reply__reason(c, SYM_BAD_FILE, &reason) < 0)
		return;
	expect(reason == SYM_NAMED || reason == SYM_BAD_FILE);
	if (reply__identity(c, &id) == 0)
		expect(id.build_id_len <= sizeof(id.build_id) && strlen(id.link) <= SYMD_LINK_MAX);
}

/* Inputs of any version, and of any length, are worth a look behind the header. */
static void set_header(uint8_t *message, uint32_t size)
{
	const uint16_t version = SYMD_VERSION;

	if (size < SYMD_HEADER_BYTES)
		return;
	memcpy(message, &size, sizeof(size));
	memcpy(message + SYMD_HEADER_BYTES - sizeof(version), &version, sizeof(version));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symd_header header;
	struct cursor body;
	void *message;
	int r;

	if (!size || size > SYMD_MSG_MAX)
		return 0;
	message = xmemdup(data + 1, size - 1); /* of its own size */
	set_header(message, (uint32_t)size - 1);
	if (symd_msg__parse(message, size - 1, &header, &body) == 0) {
		if (data[0] % 3 == 0) {
			take_demangled(body);
			take_layout(body);
			take_listing(body);
			take_answers(&body);
		}
		if (data[0] % 3 == 1)
			take_file(&body);
		if (data[0] % 3 == 2 && (r = reply__flag(&body)) != -EPROTO)
			expect(r == 0 || r == 1);
	}
	free(message);
	return 0;
}
