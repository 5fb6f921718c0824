// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/moments.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"

uint32_t moments__grid_ms(const struct prof *p)
{
	static const char words[] = "steps of ";
	const char *text = prof__remark(p, "timeline");
	uint64_t ms;

	if (!text || !starts_with(text, words))
		return MOMENTS_NO_GRID;
	text += strlen(words);
	if (!num__take_u64(&text, &ms) || strcmp(text, " ms") != 0 || ms > MOMENTS_GRID_MOST_MS)
		return MOMENTS_NO_GRID;
	return (uint32_t)ms;
}

uint32_t moments__step(const struct prof *p, uint32_t grid_ms, uint32_t labels)
{
	const struct prof_label *label = grid_ms ? prof__label(p, labels, MOMENT_LABEL) : NULL;

	if (!label || label->text || label->number < 0 || label->number > MOMENTS_MOST_MS ||
	    strcmp(prof__text(p, label->unit), "milliseconds") != 0)
		return 0;
	return (uint32_t)(label->number / grid_ms) + 1;
}
