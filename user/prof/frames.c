// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void add(struct prof_frames *frames, const struct prof_frame *frame)
{
	GROW(frames->list, frames->n, frames->cap);
	frames->list[frames->n++] = *frame;
}

/* Asked for once of each location: that compares names, and stacks have a hundred times as many
 * frames. */
static enum prof_kind kind_of(struct prof_frames *frames, const struct prof *p, uint32_t location)
{
	uint8_t *known = &frames->kinds[location];

	if (!*known)
		*known = (uint8_t)(prof__kind(p, location) + 1);
	return (enum prof_kind)(*known - 1);
}

void prof_frames__expand(struct prof_frames *frames, const struct prof *p, uint32_t stack,
			 bool inlined)
{
	const uint32_t *locations;
	size_t n = prof__stack_locations(p, stack, &locations);

	frames->n = 0;
	if (!frames->kinds)
		frames->kinds = xcalloc(p->n_locations, sizeof(*frames->kinds));
	for (size_t i = 0; i < n; i++) {
		const struct prof_location *l = &p->locations[locations[i]];
		struct prof_frame frame = {.location = locations[i],
					   .number = (uint32_t)p->n_lines + locations[i],
					   .kind = kind_of(frames, p, locations[i])};

		if (!l->n_lines)
			add(frames, &frame);
		/* what a JIT inlines isn't the program's choice, and comes for nothing */
		bool all = inlined || frame.kind == PROF_JIT;

		for (uint32_t k = all || !l->n_lines ? 0 : l->n_lines - 1; k < l->n_lines; k++) {
			frame.number = l->first_line + k;
			frame.function = p->lines[frame.number].function;
			frame.line = p->lines[frame.number].line;
			frame.inlined = k + 1 < l->n_lines;
			add(frames, &frame);
		}
	}
}

bool prof_frame__leaf(const struct prof *p, uint32_t stack, struct prof_frame *ret)
{
	const uint32_t *locations;
	const struct prof_location *l;

	if (!prof__stack_locations(p, stack, &locations))
		return false;
	l = &p->locations[locations[0]];
	*ret = (struct prof_frame){.location = locations[0],
				   .number = (uint32_t)p->n_lines + locations[0],
				   .kind = prof__kind(p, locations[0])};
	if (l->n_lines) {
		ret->number = l->first_line;
		ret->function = p->lines[ret->number].function;
		ret->line = p->lines[ret->number].line;
		ret->inlined = l->n_lines > 1;
	}
	return true;
}

void prof_frames__done(struct prof_frames *frames)
{
	free(frames->list);
	free(frames->kinds);
	*frames = (struct prof_frames){0};
}

const char *prof_frame__module(const struct prof_frame *frame, const struct prof *p)
{
	const struct prof_location *l = &p->locations[frame->location];

	return base_name(prof__text(p, p->mappings[l->mapping].file));
}

/* False: what it lies in has a name of the tool's making, in brackets: the kernel, the vDSO, code
 * of a JIT. A file may be called so, too. */
static bool is_in_path(const struct prof_frame *frame, const struct prof *p)
{
	const struct prof_location *l = &p->locations[frame->location];

	return *prof__text(p, p->mappings[l->mapping].file) != '[';
}

void prof_frame__put_module_name(const struct prof_frame *frame, const struct prof *p,
				 struct buf *out)
{
	const char *module = prof_frame__module(frame, p);
	bool quoted = *module == '[' && is_in_path(frame, p);

	buf__printf(out, quoted ? "'%s'" : "%s", module);
}

void prof_frame__put_module(const struct prof_frame *frame, const struct prof *p, struct buf *out)
{
	bool in_path = is_in_path(frame, p);

	buf__printf(out, in_path ? "[%s]" : "%s", prof_frame__module(frame, p));
}

void prof_frame__text(const struct prof_frame *frame, const struct prof *p, bool lines,
		      struct buf *out)
{
	const struct prof_function *f = &p->functions[frame->function];
	uint32_t name = prof__function_name(p, frame->function);

	if (name) {
		buf__puts(out, prof__text(p, name));
		if (lines && f->file && frame->line)
			buf__printf(out, ":%s:%" PRId64, base_name(prof__text(p, f->file)),
				    frame->line);
	} else if (*prof_frame__module(frame, p)) {
		prof_frame__put_module(frame, p, out);
		buf__printf(out, "+0x%" PRIx64, p->locations[frame->location].address);
	} else {
		buf__puts(out, "[unknown]");
	}
}
