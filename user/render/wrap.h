/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of text that are too long for a terminal. */
#ifndef PMUBPF_RENDER_WRAP_H
#define PMUBPF_RENDER_WRAP_H

#include "base/buf.h"

/* Lines of more than width columns (0: none is too long) go on in the next one, behind a space,
 * two columns further in than they began. What has no space stays whole. */
void wrap_lines(struct buf *out, const char *text, unsigned width);

#endif
