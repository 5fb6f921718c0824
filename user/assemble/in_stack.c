// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* JavaScript's functions have native frames, and say which (pmubpf/v8.h): they take their places.
 * Where a function never came the native frame stays. */
#include <linux/types.h>
#include <string.h>

#include "assemble/internal.h"
#include "model/objects.h"

bool assembly__is_in_stack(const struct assembly *a, const struct account *to)
{
	const struct frame *all;
	const uint32_t *ids;
	uint32_t n = profile__stack_frames(a->profile, to->python, &ids);

	profile__frames(a->profile, &all);
	return n && all[ids[0]].kind == FRAME_OBJECT &&
	       all[ids[0]].off == placed_object(OBJECT_IN_STACK, 0);
}

/* A JIT's code, or a runtime's own. In other code the frame pointer is any number. */
static bool may_be(const struct assembly *a, const struct frame *f)
{
	const struct assembly_tables *t = a->opts.tables;

	return f->kind == FRAME_JIT || f->kind == FRAME_UNKNOWN ||
	       (f->kind == FRAME_FILE && t && t->interpreter &&
		t->interpreter(a->opts.ctx, f->file, f->off) != PMB_EVAL_NONE);
}

void assembly__put_in_stack(struct assembly *a, struct account *to)
{
	uint32_t joined[PMB_MAX_FRAMES], functions[PMB_MAX_FRAMES + 1], n, n_functions;
	const struct frame *all;
	const uint32_t *ids;

	n_functions = profile__stack_frames(a->profile, to->python, &ids);
	if (n_functions > PMB_MAX_FRAMES + 1)
		n_functions = PMB_MAX_FRAMES + 1;
	memcpy(functions, ids, n_functions * sizeof(*ids));
	n = profile__stack_frames(a->profile, to->key.user_stack, &ids);
	if (n > PMB_MAX_FRAMES)
		n = PMB_MAX_FRAMES;
	memcpy(joined, ids, n * sizeof(*ids));
	for (uint32_t i = 1; i < n_functions; i++) {
		struct frame frame = {.kind = FRAME_SCRIPT};
		uint32_t position, number;

		profile__frames(a->profile, &all); /* each new one may move them */
		position = object_position(all[functions[i]].off);
		number = object_number(all[functions[i]].off);
		frame.off = placed_object(number, 0);
		if (position && position <= n && number < OBJECT_IN_STACK &&
		    may_be(a, &all[joined[position - 1]]))
			joined[position - 1] = profile__frame(a->profile, &frame);
	}
	to->key.user_stack = profile__stack(a->profile, joined, n);
	to->python = 0;
}
