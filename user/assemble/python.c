// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The frames of CPython take the places of its eval loop's among the native ones. The hard thing is
 * that both were read at one moment, which may be one in between: a frame of Python that is about
 * to be, or no more, that of the native one. Whole stacks are matched from their outermost frames
 * on, where nothing moves; others from the leaf.
 */
#include "assemble/python.h"

#include "assemble/internal.h"

/* Of Python's frames, those up to the next boundary. */
struct parts {
	const struct python_join *from;
	uint32_t at;
	uint32_t *to;
	uint32_t n;
};

static void put_part(struct parts *p)
{
	const struct python_join *j = p->from;

	while (p->at < j->n_python && j->python[p->at] != j->boundary)
		p->to[p->n++] = j->python[p->at++];
	p->at += p->at < j->n_python;
}

static uint32_t count_parts(const struct python_join *j)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->n_python; i++)
		n += j->python[i] == j->boundary || i + 1 == j->n_python;
	return n;
}

uint32_t python_join(const struct python_join *j, uint32_t ret[PYTHON_JOINED_MAX])
{
	/* a stack of Python that doesn't end in a boundary was cut */
	bool whole = j->whole && j->n_python && j->python[j->n_python - 1] == j->boundary;
	uint32_t n_parts = count_parts(j), n_evals = 0, bare, more;
	struct parts p = {.from = j, .to = ret};

	for (uint32_t i = 0; i < j->n_native; i++)
		n_evals += j->kind[i] == PYTHON_EVAL;
	/* of the innermost: native frames that have none of Python yet, and the other way round */
	bare = whole && n_evals > n_parts ? n_evals - n_parts : 0;
	more = whole && n_parts > n_evals ? n_parts - n_evals : 0;
	for (uint32_t i = 0; i < j->n_native; i++) {
		bool eval = j->kind[i] == PYTHON_EVAL, stays = bare || p.at == j->n_python;
		bool innermost = j->kind[i] == PYTHON_OWN && !p.at;

		if (j->kind[i] == PYTHON_OTHER || innermost || stays) {
			bare -= eval && bare;
			ret[p.n++] = j->native[i];
			continue;
		}
		if (!eval)
			continue;
		for (; more; more--)
			put_part(&p);
		put_part(&p);
	}
	while (!whole && p.at < j->n_python)
		put_part(&p);
	return p.n;
}

static uint32_t object_frame(struct assembly *a, uint64_t place)
{
	const struct frame frame = {FRAME_OBJECT, 0, place};

	return profile__frame(a->profile, &frame);
}

uint32_t assembly__python(struct assembly *a, const struct pmb_sample *sample)
{
	const struct assembly_tables *tables = a->opts.tables;
	uint64_t places[2 * PMB_MAX_FRAMES];
	uint32_t frames[2 * PMB_MAX_FRAMES];
	size_t n = 0;

	if (sample->python_stack && tables && tables->interpreter)
		n = chains__find(&a->chains, sample->python_stack, places);
	for (size_t i = 0; i < n; i++)
		frames[i] = object_frame(a, places[i]);
	return profile__stack(a->profile, frames, (uint32_t)n);
}

static enum pmb_eval eval_of(const struct assembly *a, const struct frame *f)
{
	return f->kind == FRAME_FILE ? a->opts.tables->interpreter(a->opts.ctx, f->file, f->off) :
				       PMB_EVAL_NONE;
}

/* From the outermost frame on: what the function that runs Python's code has called is told by
 * it, and what else is of its file, too. */
static void kinds_of(const struct assembly *a, const struct python_join *j, uint8_t *kinds)
{
	const struct frame *all, *frame, *eval = NULL, *caller = NULL;

	profile__frames(a->profile, &all);
	for (uint32_t i = j->n_native; i-- > 0; caller = frame) {
		frame = &all[j->native[i]];
		if (eval_of(a, frame) != PMB_EVAL_NONE) {
			kinds[i] = PYTHON_EVAL;
			eval = frame;
		} else if (!eval || frame->kind != FRAME_FILE || frame->file != eval->file) {
			kinds[i] = PYTHON_OTHER;
		} else if (caller == eval && eval_of(a, eval) == PMB_EVAL_CALLER) {
			kinds[i] = PYTHON_PART;
		} else {
			kinds[i] = a->opts.interpreter_frames ? PYTHON_OTHER : PYTHON_OWN;
		}
	}
}

void assembly__join(struct assembly *a, struct account *to)
{
	uint32_t joined[PYTHON_JOINED_MAX], n;
	uint8_t kinds[PMB_MAX_FRAMES] = {0};
	struct python_join j = {
		.kind = kinds,
		.boundary = object_frame(a, placed_object(OBJECT_BOUNDARY, 0)),
		.whole = !status_is_early(to->user_end),
	};

	n = profile__stack_frames(a->profile, to->key.user_stack, &j.native);
	j.n_native = n < PMB_MAX_FRAMES ? n : PMB_MAX_FRAMES;
	kinds_of(a, &j, kinds);
	j.n_python = profile__stack_frames(a->profile, to->python, &j.python);
	n = python_join(&j, joined);
	to->key.user_stack = profile__stack(a->profile, joined, n);
	to->python = 0;
}
