// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/cpu_labels.h"

#include <stdlib.h>

#include "base/mem.h"

static const struct cpu_place *place_of(struct cpu_labels *c, uint32_t cpu)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].cpu == cpu)
			return &c->items[i].place;
	}
	GROW(c->items, c->n, c->cap);
	c->items[c->n].cpu = cpu;
	cpu_place__read(&c->items[c->n].place, "", (int)cpu);
	return &c->items[c->n++].place;
}

void cpu_labels__add(struct cpu_labels *c, struct prof *prof, struct prof_label_list *to,
		     uint32_t cpu)
{
	const struct cpu_place *place = place_of(c, cpu);

	prof__add_number(prof, to, "cpu", cpu);
	if (place->core)
		prof__add_text(prof, to, "core", place->core);
	if (place->type)
		prof__add_text(prof, to, "core_type", place->type);
	if (place->governor)
		prof__add_text(prof, to, "governor", place->governor);
	if (place->node >= 0)
		prof__add_number(prof, to, "numa_node", place->node);
}

void cpu_labels__done(struct cpu_labels *c)
{
	for (size_t i = 0; i < c->n; i++)
		cpu_place__done(&c->items[i].place);
	free(c->items);
	*c = (struct cpu_labels){0};
}
