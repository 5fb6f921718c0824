// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static int err__fill(struct err *err, int exit_code, int ret, const char *fmt, va_list ap)
{
	if (err) {
		err->exit_code = exit_code;
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
	}
	return ret;
}

#define FILL(exit_code, ret)                                   \
	do {                                                   \
		va_list ap;                                    \
		va_start(ap, fmt);                             \
		ret = err__fill(err, exit_code, ret, fmt, ap); \
		va_end(ap);                                    \
		return ret;                                    \
	} while (0)

int err__set(struct err *err, int ret, const char *fmt, ...)
{
	FILL(EXIT_FAILED, ret);
}

int err__usage(struct err *err, const char *fmt, ...)
{
	int ret = -EINVAL;

	FILL(EXIT_USAGE, ret);
}

int err__cannot(struct err *err, const char *fmt, ...)
{
	int ret = -EOPNOTSUPP;

	FILL(EXIT_CANNOT, ret);
}
