/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread says it works on, as text for people. */
#ifndef PMUBPF_MODEL_CONTEXT_TEXT_H
#define PMUBPF_MODEL_CONTEXT_TEXT_H

#include <linux/types.h>
#include <stdint.h>

#include "base/buf.h"
#include "pmubpf/thread_context.h"

/* The name of a process's key; NULL: not known. */
typedef const char *(*context_key_fn)(void *ctx, uint32_t tgid, unsigned key);

/* "http_route=/cart http_method=GET", by the keys' numbers; without any "trace=4bf9…". */
void context_text(const struct pmb_context *c, context_key_fn key, void *ctx, struct buf *out);

#endif
