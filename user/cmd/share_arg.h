/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --share: what part of the windows a fleet's server gets. */
#ifndef PMUBPF_CMD_SHARE_ARG_H
#define PMUBPF_CMD_SHARE_ARG_H

#include "base/err.h"

/* "10" or "10%": *ret is 10, one window of 10. 0 or -EINVAL, with the sentence. */
int share_arg__parse(const char *text, unsigned *ret, struct err *err);

#endif
