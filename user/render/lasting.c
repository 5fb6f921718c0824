// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/lasting.h"

#include "model/duration.h"

uint32_t lasting__of_labels(const struct prof *p, uint32_t labels)
{
	const struct prof_label *label = prof__label(p, labels, "duration");
	unsigned class;
	bool open;

	if (!label || !label->text ||
	    !duration_class_parse(prof__text(p, label->text), &class, &open))
		return 0;
	return 1 + 2 * class + open;
}
