// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* JavaScript's functions have native frames, and say which (pmubpf/v8.h): they take their places.
 * Where a function never came the native frame stays. */
#include <linux/types.h>
#include <string.h>

#include "assemble/internal.h"
#include "base/mem.h"
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

/* Functions of JavaScript that are still to be put somewhere, from the innermost on. */
struct functions {
	const uint32_t *ids;
	uint32_t n;
};

/* Puts those of the native frame at that position to ret, innermost first: what is inlined comes
 * before what it is inlined in. Returns how many. */
static uint32_t put_frame(struct assembly *a, struct functions *f, uint32_t position,
			  uint32_t native, uint32_t *ret)
{
	bool is_known = false;
	const struct frame *all;
	uint32_t n = 0;

	for (; f->n; f->ids++, f->n--) {
		struct frame frame = {.kind = FRAME_SCRIPT};
		uint32_t at, number;

		profile__frames(a->profile, &all); /* each new one may move them */
		at = object_position(all[*f->ids].off);
		number = object_number(all[*f->ids].off);
		if (at > position)
			break;
		if (at < position || !may_be(a, &all[native]))
			continue;
		is_known = number < OBJECT_IN_STACK;
		frame.off = placed_object(number, 0);
		if (is_known)
			ret[n++] = profile__frame(a->profile, &frame);
	}
	if (!is_known) /* the one that has the frame */
		ret[n++] = native;
	return n;
}

void assembly__put_in_stack(struct assembly *a, struct account *to)
{
	uint32_t native[PMB_MAX_FRAMES], ids[PMB_MAX_FRAMES + 1], n, n_joined = 0;
	uint32_t joined[ARRAY_SIZE(native) + ARRAY_SIZE(ids)];
	struct functions f = {.ids = ids + 1};
	const uint32_t *from;

	f.n = profile__stack_frames(a->profile, to->python, &from);
	if (f.n > ARRAY_SIZE(ids))
		f.n = ARRAY_SIZE(ids);
	memcpy(ids, from, f.n * sizeof(*ids));
	f.n--; /* the first one says what they are */
	n = profile__stack_frames(a->profile, to->key.user_stack, &from);
	if (n > PMB_MAX_FRAMES)
		n = PMB_MAX_FRAMES;
	memcpy(native, from, n * sizeof(*native));
	for (uint32_t i = 0; i < n; i++)
		n_joined += put_frame(a, &f, i + 1, native[i], joined + n_joined);
	to->key.user_stack = profile__stack(a->profile, joined, n_joined);
	to->python = 0;
}
