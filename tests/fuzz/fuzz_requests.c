// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a conversation with the helper: messages of a type, flags, a length and as many
 * bytes. Flag 1: the bytes are a file that comes with the request, else its body. Flag 2: the
 * header is in the bytes, too. A reply is a whole message.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "symd/protocol.h"
#include "symd/requests.h"

enum { MESSAGES_MAX = 16 };

static void compose(struct buf *msg, uint8_t type, uint8_t flags, const uint8_t *bytes, size_t len)
{
	buf__clear(msg);
	if (!(flags & 2))
		symd_msg__begin(msg, type, 1);
	if (!(flags & 1))
		buf__add(msg, bytes, len);
	if (!(flags & 2))
		symd_msg__end(msg);
}

static int ask(struct requests *s, const uint8_t *head, const uint8_t *bytes, size_t len)
{
	_cleanup_close_ int fd = head[1] & 1 ? fuzz_file(bytes, len) : -1;
	_cleanup_free_ void *exact = NULL;
	struct buf msg = {0};
	struct symd_header header;
	struct cursor body;
	int r;

	compose(&msg, head[0], head[1], bytes, len);
	exact = xmemdup(msg.len ? msg.data : "", msg.len);
	r = requests__handle(s, exact, msg.len, &fd);
	buf__done(&msg);
	if (r == 0 && (s->reply.len > SYMD_MSG_MAX ||
		       symd_msg__parse(s->reply.data, s->reply.len, &header, &body) < 0))
		abort();
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct requests s;

	requests__init(&s);
	for (int i = 0; i < MESSAGES_MAX && len >= 4; i++) {
		size_t n = data[2] | (size_t)data[3] << 8;

		if (n > len - 4)
			n = len - 4;
		if (ask(&s, data, data + 4, n) < 0)
			break;
		data += 4 + n;
		len -= 4 + n;
	}
	requests__done(&s);
	return 0;
}
