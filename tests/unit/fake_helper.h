/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every helper that a test makes up begins with. */
#ifndef PMUBPF_TESTS_FAKE_HELPER_H
#define PMUBPF_TESTS_FAKE_HELPER_H

#include "base/buf.h"
#include "symd/protocol.h"

static inline void say_hello(int sock)
{
	struct buf b = {0};

	symd_msg__begin(&b, SYMD_HELLO, 0);
	symd_msg__end(&b);
	symd_msg__send(sock, &b, -1, 0);
	buf__done(&b);
}

#endif
