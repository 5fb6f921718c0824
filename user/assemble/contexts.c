// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What threads said they work on becomes labels of their samples. */
#include "assemble/internal.h"
#include "base/cleanup.h"
#include "model/context_text.h"

static const char *key_of(void *ctx, uint32_t tgid, unsigned key)
{
	const struct assembly *a = ctx;

	return a->opts.fns->context_key ? a->opts.fns->context_key(a->opts.ctx, tgid, key) : NULL;
}

void assembly__context(struct assembly *a, const struct pmb_context *rec)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (!a->opts.contexts || !contexts__lacks(a->opts.contexts, rec->id))
		return; /* the kernel side had forgotten that it sent it */
	context_text(rec, key_of, a, &text);
	contexts__add(a->opts.contexts, rec->id, text.data);
}

void assembly__label_context(const struct assembly *a, uint64_t context, struct account *to)
{
	if (!a->opts.contexts)
		return;
	to->context = PMB_CONTEXT_NONE;
	if (context < PMB_CONTEXT_IDS) {
		to->context = context < PMB_N_CONTEXT_STATES ? (uint8_t)context : PMB_CONTEXT_NONE;
		return;
	}
	to->labels.context = contexts__number(a->opts.contexts, context);
	to->context = to->labels.context == CONTEXT_UNKNOWN ? PMB_CONTEXT_LOST :
		      to->labels.context == CONTEXT_OTHER   ? PMB_CONTEXT_NO_ROOM :
							      PMB_CONTEXT_READ;
}
