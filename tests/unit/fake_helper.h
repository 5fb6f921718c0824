/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every helper that a test makes up begins with. */
#ifndef PMUBPF_TESTS_FAKE_HELPER_H
#define PMUBPF_TESTS_FAKE_HELPER_H

#include <stdbool.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "symd/protocol.h"

static inline void say_hello(int sock)
{
	struct buf b = {0};

	symd_msg__begin(&b, SYMD_HELLO, 0);
	symd_msg__end(&b);
	symd_msg__send(sock, &b, -1, 0);
	buf__done(&b);
}

struct fake_request {
	struct symd_header header;
	struct cursor body;
	int fd;   /* that came with it, the caller's, or -1 */
	int into; /* what the answer is written into; -1 before the first one */
};

/* False: there is none any more. */
static inline bool next_request(int sock, struct fake_request *r)
{
	static char bytes[SYMD_MSG_MAX];
	ssize_t n;

	while ((n = symd_msg__recv(sock, bytes, &r->fd, 0)) > 0 &&
	       symd_msg__parse(bytes, (size_t)n, &r->header, &r->body) == 0) {
		if (r->header.type != SYMD_INTO)
			return true;
		if (r->into >= 0)
			close(r->into);
		r->into = r->fd;
	}
	return false;
}

#endif
