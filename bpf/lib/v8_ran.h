/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which place of its script's text a frame of V8's interpreter runs, or of its baseline code. The
 * frame has its bytecode and (the interpreter's) which byte of it; beside the bytecode is a table
 * of places, if V8 has made one. The hard thing is that code that was optimised while it ran has
 * the same words in its frame still: so both are told by the code that the frame runs.
 */
#ifndef PMUBPF_BPF_V8_RAN_H
#define PMUBPF_BPF_V8_RAN_H

#include "lib/v8_baseline.h"
#include "lib/v8_word.h"

enum {
	V8_RAN_WORDS = 2,   /* of a frame */
	V8_TABLE_PART = 32, /* bytes that are looked at in a row */
	V8_TABLE_PARTS = PMB_V8_POSITIONS_MAX / V8_TABLE_PART,
	V8_TABLE_COST = 8, /* a byte of a table takes as long as so many of text */
	V8_NO_PLACE = -1,
	V8_KIND_MAX = 0xff, /* of frames that aren't JavaScript's */
};

/* mov -0x20(%rbp), %r12; mov -0x24(%rbp), %r9d: what the interpreter's frame returns to */
#define V8_INTERPRETER 0xdc4d8b44e0658b4cULL

/* Whether the innermost frame is that of an instruction's own code, right above the interpreter's
 * at fp: it has a frame, or none yet. */
static __always_inline bool v8_is_handler(struct scratch *s, __u64 fp)
{
	__u64 own = s->frame_at[0] & ~7ULL, kind;

	if (own == fp)
		return true;
	kind = py_word(own - sizeof(__u64));
	return py_word(own) == fp && kind <= V8_KIND_MAX && !(kind & 1);
}

/* Whether frame i, at fp, runs the interpreter on that bytecode; w->at becomes the byte, for the
 * innermost one has it in a register before it is in the frame. */
static __always_inline bool v8_is_interpreted(struct scratch *s, struct py_walk *w, __u32 i,
					      __u64 fp, __u64 bytecode)
{
#if defined(__TARGET_ARCH_x86)
	if (i > 1 || (i && !v8_is_handler(s, fp)))
		return py_word(s->stack.frames[i & PMB_MAX_FRAMES]) == V8_INTERPRETER;
	w->at = s->regs.r9;
	return s->regs.r12 == bytecode;
#else
	return false;
#endif
}

/* Frame i of the stack: where the table of its code is, with its tag, and w->at the byte of the
 * code that it runs (or V8_IN_CODE). 0: it is neither the interpreter's nor baseline code, or has
 * no table. A function of its own for the verifier. */
__noinline __u64 pmb_v8_ran(__u32 i)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 bytecode, fp, table;
	struct scratch *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	if (!s || !layout || !layout->bytecode_data)
		return 0;
	fp = s->frame_at[i & PMB_MAX_FRAMES] & ~7ULL;
	if (!py_read(w->page, V8_RAN_WORDS * sizeof(__u64), PMB_PY_FRAME_MAX,
		     fp + PMB_V8_BYTECODE_AT))
		return 0;
	w->at = w->page[0] >> 32;
	bytecode = w->page[1];
	if (v8_type(layout, bytecode) != layout->type_bytecode)
		return 0;
	w->code_bytes = v8_length(bytecode);
	/* a whole number has its value in the upper half */
	if (!(__u32)w->page[0] && v8_is_interpreted(s, w, i, fp, bytecode)) {
		w->at -= layout->bytecode_data - 1;
		if (w->at >= w->code_bytes)
			return 0;
	} else if (!v8_is_baseline(layout, s, w, i, fp, bytecode)) {
		return 0;
	}
	table = v8_word(bytecode, layout->bytecode_table);
	return v8_is_table(layout, table) ? table : 0;
}

/* The next part of the table. Each entry is two numbers of 7 bits a byte, the lowest first: how
 * many bytes of code on, and how far on or back in the text. Without branches, for the verifier
 * would follow each. */
__noinline int pmb_v8_places(void)
{
	struct py_walk *w = py_walk_of_cpu();
	__u64 number, shift, second, newer, size, byte, last, on, far, take;
	__s64 code, text, found, until;
	__u8 *bytes;

	if (!w || !w->text_left)
		return 0;
	size = w->text_left < V8_TABLE_PART ? w->text_left : V8_TABLE_PART;
	bytes = w->object.bytes + 2 * PMB_PY_TEXT_MAX;
	__builtin_memset(bytes, 0, V8_TABLE_PART);
	if (!py_read(bytes, size, V8_TABLE_PART, w->text_at))
		return 0;
	number = w->place.number;
	shift = w->place.shift;
	second = w->place.second;
	code = w->place.code;
	text = w->place.text;
	found = w->place.found;
	until = w->place.until;
	newer = w->place.newer;
	for (int i = 0; i < V8_TABLE_PART; i++) {
		byte = bytes[i];
		number |= (byte & 0x7f) << (shift & 63);
		shift += 7;
		last = (byte >> 7) - 1; /* all bits, if it is the number's last */
		far = (number >> 1) ^ -(number & 1);
		on = far ^ (__u64)((__s64)far >> 63);
		on = (on & ~newer) | (number >> 2 & newer);
		code += on & last & ~second;
		text += far & last & second;
		take = last & second & ~(__u64)((until - code) >> 63);
		found = (found & ~take) | (text & take);
		second ^= last;
		number &= ~last;
		shift &= ~last;
	}
	w->place.number = number;
	w->place.shift = shift;
	w->place.second = second;
	w->place.code = code;
	w->place.text = text;
	w->place.found = found;
	w->text_at += size;
	w->text_left -= size;
	w->text_read += size * V8_TABLE_COST;
	return code <= until;
}

/* Where in its script's text that byte of the code comes from, by the code's table; V8_NO_PLACE:
 * nowhere, or that is too far down. */
__noinline int pmb_v8_place(__u64 table, __u32 at)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 size;

	if (!layout)
		return V8_NO_PLACE;
	size = v8_open_table(w, table);
	w->place.code = -1; /* before the first byte is what is done before it */
	w->place.until = at;
	w->place.newer = layout->newer_table ? ~0ULL : 0;
	for (int i = 0; i < V8_TABLE_PARTS; i++) {
		if (!pmb_v8_places())
			break;
	}
	if (!w->text_left && size > PMB_V8_POSITIONS_MAX && w->place.code <= at)
		return V8_NO_PLACE;
	/* one bit says that it is of no script; then one more than the place, 0: there is none */
	return (w->place.found & 1) || !w->place.found ?
		       V8_NO_PLACE :
		       (int)(w->place.found >> 1 & 0x3fffffff) - 1;
}

/* The same of what pmb_v8_ran() found. */
static __always_inline int v8_place_that_ran(struct py_walk *w, __u64 table)
{
	int at = w->at;

	if (w->at & V8_IN_CODE)
		at = pmb_v8_compiled(w->at);
	return at < 0 ? V8_NO_PLACE : pmb_v8_place(table, at);
}

#endif
