// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/moments.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };

uint64_t moments__grid_ns(const struct prof *p)
{
	static const char words[] = "steps of ";
	const char *text = prof__remark(p, "timeline");
	uint64_t n, unit;

	if (!text || !starts_with(text, words))
		return MOMENTS_NO_GRID;
	text += strlen(words);
	if (!num__take_u64(&text, &n))
		return MOMENTS_NO_GRID;
	unit = strcmp(text, " ms") == 0 ? NS_PER_MS : strcmp(text, " us") == 0 ? NS_PER_US : 0;
	if (n > (uint64_t)MOMENTS_GRID_MOST_MS * NS_PER_MS / NS_PER_US ||
	    n * unit > (uint64_t)MOMENTS_GRID_MOST_MS * NS_PER_MS)
		return MOMENTS_NO_GRID;
	return n * unit;
}

bool moments__at_ns(const struct prof *p, uint32_t labels, uint64_t *ret)
{
	const struct prof_label *label = prof__label(p, labels, MOMENT_LABEL);
	const char *words = label ? prof__text(p, label->unit) : "";
	uint64_t unit = strcmp(words, "milliseconds") == 0 ? NS_PER_MS :
			strcmp(words, "microseconds") == 0 ? NS_PER_US :
							     0;

	if (!unit || label->text || label->number < 0 ||
	    (uint64_t)label->number > (uint64_t)MOMENTS_MOST_MS * NS_PER_MS / unit)
		return false;
	*ret = (uint64_t)label->number * unit;
	return true;
}

uint32_t moments__grid_ms(const struct prof *p)
{
	return (uint32_t)((moments__grid_ns(p) + NS_PER_MS - 1) / NS_PER_MS);
}

uint32_t moments__step(const struct prof *p, uint32_t grid_ms, uint32_t labels)
{
	uint64_t ns;

	if (!grid_ms || !moments__at_ns(p, labels, &ns))
		return 0;
	return (uint32_t)(ns / NS_PER_MS / grid_ms) + 1;
}
