// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a runtime has put the code that it makes, in one process. */
#include "proc/processes_internal.h"

uint32_t process__code_file(struct processes *all, struct process *p)
{
	const struct fair_who who = process__who(p);

	process__found_jit(all, p);
	return files__code(all->files, p->jit_file, p->serial, &who);
}

void process__put_code(struct processes *all, struct process *p, const struct code_span *code)
{
	p->code_left = !code->file;
	if (!p->maps)
		return;
	p->maps = mappings__put_code(p->maps, code);
	p->generation = ++all->generations;
}

bool process__look_for_code(struct process *p, bool place)
{
	bool seen = p->looked_generation == p->generation && !(place && p->code_waits);

	p->looked_generation = p->generation;
	p->code_waits &= seen;
	return !seen && !p->code_left;
}

void process__await_place(struct process *p)
{
	p->code_waits = true;
}
