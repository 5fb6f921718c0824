/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack as people see it: a frame for each function, those that were inlined too. */
#ifndef PMUBPF_PROF_FRAMES_H
#define PMUBPF_PROF_FRAMES_H

#include "base/buf.h"
#include "prof/prof.h"

struct prof_frame {
	uint32_t location;
	uint32_t function; /* 0: there is only the location */
	int64_t line;
	uint32_t number; /* below n_lines + n_locations; of a frame that is met again the same */
	enum prof_kind kind;
	bool inlined; /* into the frame after it */
};

/* Begins as {0}; of one profile, to which nothing is added meanwhile. */
struct prof_frames {
	struct prof_frame *list;
	size_t n, cap;
	uint8_t *kinds; /* by location: kind + 1; 0: not asked for yet */
};

/* The frames of a stack replace those that are there; leaf first. inlined: those, too. */
void prof_frames__expand(struct prof_frames *frames, const struct prof *p, uint32_t stack,
			 bool inlined);
void prof_frames__done(struct prof_frames *frames);
/* The first of these alone, inlined or not: a stack may be long, and a profile have many. False: it
 * has none. */
bool prof_frame__leaf(const struct prof *p, uint32_t stack, struct prof_frame *ret);

/*
 * Appends the name of its function, or "[libc.so.6]+0x26d90" where there is none, or "[unknown]";
 * with lines ":file.c:42" after it where that is known. As found: to be escaped.
 */
void prof_frame__text(const struct prof_frame *frame, const struct prof *p, bool lines,
		      struct buf *out);
/* "libc.so.6", "[kernel.kallsyms]", "[jit]", or "" for a frame without a mapping. Borrowed. */
const char *prof_frame__module(const struct prof_frame *frame, const struct prof *p);
/* Appends it; a file that is called as the tool's own modules are is in quotes. */
void prof_frame__put_module_name(const struct prof_frame *frame, const struct prof *p,
				 struct buf *out);
/* Appends "[libc.so.6]", "[vdso]"; of a file that is called [vdso], "[[vdso]]". */
void prof_frame__put_module(const struct prof_frame *frame, const struct prof *p, struct buf *out);

#endif
