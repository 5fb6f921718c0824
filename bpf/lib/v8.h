/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JavaScript's functions at a sample (pmubpf/v8.h). The frames are among the native ones, each with
 * a frame pointer that says where the function is, whoever runs it: interpreter, baseline or
 * optimised code. Which native frames may be such ones is told later (assemble/in_stack.c). The
 * hard thing is that objects are moved, so a function is read here, with all that names it, and its
 * id is made of that. As in lib/python.h all is the program's own, and nothing read is believed.
 */
#ifndef PMUBPF_BPF_V8_H
#define PMUBPF_BPF_V8_H

#include "lib/v8_leaf.h"
#include "lib/v8_line.h"
#include "lib/v8_optimised.h"
#include "lib/v8_ran.h"

enum {
	V8_STRINGS_MAX = PMB_PY_FRAME_MAX / 8, /* of a text, that wait for their turn */
	V8_PIECES_MAX = 32,                    /* that are looked at */
	V8_SCRIPT_NUMBER = 40, /* bytes behind what it says of lines before; of 20 */
};

#define V8_STACK_MAX (16ULL << 20) /* bytes; what is further isn't this stack's */

/* The id of a SharedFunctionInfo, whose words are read. Another at its address may have name and
 * script where these were, too, but not a script of the same number, which V8 counts. 0: it is
 * none. */
static __always_inline __u64 v8_object_id(const struct pmb_v8 *layout, struct py_walk *w,
					  __u64 shared)
{
	__u64 h, script;

	if (!V8_IS_OBJECT(shared) ||
	    !py_read(w->words, layout->shared_size, PMB_PY_CODE_MAX, shared - 1) ||
	    (v8_word(w->words[0], layout->map_type) & 0xffff) != layout->type_shared)
		return 0;
	h = id_mix(id_seed_user(w->chain.tgid), shared);
	h = id_mix(h, PY_MEMBER(w->words, layout->shared_name));
	h = id_mix(h, PY_MEMBER(w->words, layout->shared_script));
	h = id_mix(h, PY_MEMBER(w->words, layout->shared_place));
	if (layout->script_lines_before) {
		script = PY_MEMBER(w->words, layout->shared_script);
		h = id_mix(h, v8_word(script, layout->script_lines_before + V8_SCRIPT_NUMBER));
	}
	return (h | 2) & ~(PMB_PY_LAST | PMB_PY_POSITIONS);
}

/* That of the same at the byte of its code that it runs. */
static __always_inline __u64 v8_placed_id(struct py_walk *w, __u64 id)
{
	return (id_mix(id, w->at + 1) | 2) & ~(PMB_PY_LAST | PMB_PY_POSITIONS);
}

/* The function that frame i of the stack runs joins the chain: `at` is one more than its place in
 * the text, if that is known. */
static __always_inline void v8_join(struct py_walk *w, __u32 i, __u64 shared, __u64 id, __u32 at)
{
	__u64 slot = w->n;

	UNWIND_HIDE(slot);
	slot &= PMB_MAX_FRAMES;
	id |= (i + 1ULL) << PMB_PY_POSITION_SHIFT;
	w->chain.frames[slot] = id;
	w->code[slot] = shared;
	w->places[slot] = at;
	w->h = id_mix(w->h, id);
	w->n++;
}

/* The same of a function at w->found. False: it is none. A function of its own for the
 * verifier. */
__noinline int pmb_v8_join_found(__u32 i, __u64 shared)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u32 at;
	__u64 id;

	if (!layout || w->n >= PMB_MAX_FRAMES)
		return 0;
	id = v8_object_id(layout, w, shared);
	if (!id)
		return 0;
	at = w->found >> 1 & V8_PLACE_MASK;
	if (!pmb_cfg.want_lines)
		at = 0;
	w->at = V8_IN_TEXT | at;
	if (at)
		id = v8_placed_id(w, id);
	v8_join(w, i, shared, id, at);
	return 1;
}

/* What is inlined in the function `own` of frame i joins the chain, the innermost first. 0: that
 * was all; below 0: it can't be told, or takes the room of the frames that are left. */
__noinline int pmb_v8_join_inlined(__u32 i, __u64 own)
{
	struct py_walk *w = py_walk_of_cpu();
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	__u64 shared;

	if (!w || !s)
		return -1;
	if (!(w->found >> V8_INLINED_SHIFT & V8_INLINED_MASK))
		return 0;
	if (w->n + s->stack.n >= PMB_MAX_FRAMES + i || w->text_read >= PMB_V8_SOURCE_MAX)
		return -1;
	w->text_read += V8_INLINED_BYTES;
	shared = pmb_v8_inlined(own);
	if (!shared || !pmb_v8_join_found(i, shared))
		return -1;
	w->found = w->caller;
	return 1;
}

/* Frame i runs that function, in optimised code: it joins the chain, behind what is inlined there.
 * What can't be told is left out, all of it. */
__noinline int pmb_v8_join_optimised(__u32 i, __u64 shared)
{
	struct py_walk *w = py_walk_of_cpu();
	int more = 1;
	__u64 h;
	__u32 n;

	if (!w)
		return 0;
	h = w->h;
	n = w->n;
	for (int k = 0; k < V8_INLINED_MAX; k++) {
		more = pmb_v8_join_inlined(i, shared);
		if (more <= 0)
			break;
	}
	if (more) {
		w->h = h;
		w->n = n;
		w->found = 0;
	}
	return pmb_v8_join_found(i, shared);
}

/* Frame i of the stack joins the chain, if it is one of JavaScript. 0: there are no more. */
__noinline int pmb_v8_frame(__u32 i)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 fp, id, shared;
	struct scratch *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	if (!s || !layout || i + 1 >= s->stack.n || w->n >= PMB_MAX_FRAMES)
		return 0;
	fp = s->frame_at[i & PMB_MAX_FRAMES] & ~7ULL;
	/* what has no frame of its own has its caller's, which is next */
	if (fp < ARCH_SP(&s->regs) || fp - ARCH_SP(&s->regs) > V8_STACK_MAX ||
	    fp == (s->frame_at[(i + 1) & PMB_MAX_FRAMES] & ~7ULL))
		return 1;
	if (!i && !pmb_v8_leaf())
		return 1;
	if (!py_read(w->page, 2 * sizeof(__u64), PMB_PY_FRAME_MAX, fp + PMB_V8_FUNCTION) ||
	    !V8_IS_OBJECT(w->page[1]))
		return 1; /* other frames have their kind where these have their context */
	shared = v8_word(w->page[0], layout->function_shared);
	id = v8_object_id(layout, w, shared);
	if (!id)
		return 1;
	if (pmb_v8_optimised(i, shared)) {
		pmb_v8_join_optimised(i, shared);
		return 1;
	}
	if (pmb_cfg.want_lines && pmb_v8_ran(i))
		id = v8_placed_id(w, id);
	v8_join(w, i, shared, id, 0);
	return 1;
}

/* w->at becomes the string that is the function's name, 0: it has none. Behind the names and the
 * infos of a scope's variables stand the function's name and (if that is empty or none) what the
 * parser calls it. */
__noinline int pmb_v8_name(__u64 name)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 n, at, word;

	if (!layout)
		return 0;
	w->at = name;
	if (v8_type(layout, name) != layout->type_scope)
		return 0;
	w->at = 0;
	n = v8_word(name, layout->scope_locals) >> 32;
	if (n > PMB_V8_SCOPE_MAX)
		return 0;
	at = layout->scope_first + (n + (n < PMB_V8_INLINE_LOCALS ? n : 1)) * sizeof(__u64);
	for (int i = 0; i < 4; i++, at += sizeof(__u64)) {
		word = v8_word(name, at);
		if (!V8_IS_OBJECT(word) || v8_type(layout, word) >= layout->type_string_end)
			continue;
		if ((__u32)v8_word(word, layout->string_length)) {
			w->at = word;
			return 0;
		}
	}
	return 0;
}

/* The next piece of a text: one that has two puts both on the pile, that of its beginning on top.
 * 0: there are no more, or none that can be read. */
__noinline int pmb_v8_piece(__u32 at, __u32 is_file)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 n, string, size, width, to;
	struct pmb_py_text *ret;
	__u32 type, kind;

	if (!layout || !w->n_strings || w->n_strings >= V8_STRINGS_MAX)
		return 0;
	n = w->n_strings - 1;
	w->n_strings = 0;
	UNWIND_HIDE(n);
	n &= V8_STRINGS_MAX - 1;
	string = w->page[n];
	type = v8_type(layout, string);
	kind = type & PMB_V8_STRING_KIND;
	if (!V8_IS_OBJECT(string) || type >= layout->type_string_end)
		return 0;
	if (kind == PMB_V8_STRING_THIN || kind == PMB_V8_STRING_CONS) {
		w->page[n] = v8_word(string, layout->string_other);
		w->n_strings = n + 1;
		if (kind == PMB_V8_STRING_THIN)
			return 1;
		w->page[n + 1] = w->page[n];
		w->page[n] = v8_word(string, layout->string_other + sizeof(__u64));
		w->n_strings = n + 2;
		return 1;
	}
	ret = is_file ? &w->object.file : &w->object.name;
	width = type & PMB_V8_STRING_ONE_BYTE ? 1 : 2;
	if (kind != PMB_V8_STRING_PLAIN || (ret->n_bytes && PMB_PY_TEXT_KIND(ret->state) != width))
		return 0;
	w->n_strings = n;
	size = (__u32)v8_word(string, layout->string_length);
	if (!size)
		return 1;
	ret->state = PMB_PY_TEXT_COMPACT | width << 2 | (is_file ? 0 : PMB_TEXT_MAY_BE_EMPTY);
	n = PMB_PY_TEXT_MAX - ret->n_bytes;
	size = size > n ? n : size * width;
	if (size > n)
		size = n;
	to = at + ret->n_bytes;
	UNWIND_HIDE(to);
	to &= 2 * PMB_PY_TEXT_MAX - 1;
	if (!size || !py_read(w->object.bytes + to, size, PMB_PY_TEXT_MAX,
			      string - 1 + layout->string_chars))
		return 0;
	ret->n_bytes += size;
	return 1;
}

/* Puts the string at w->at behind the first `at` bytes of the object's; returns how many. */
__noinline int pmb_v8_text(__u32 at, __u32 is_file)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	struct pmb_py_text *ret;

	if (!layout)
		return 0;
	ret = is_file ? &w->object.file : &w->object.name;
	ret->state = PMB_PY_TEXT_COMPACT | 1 << 2 | (is_file ? 0 : PMB_TEXT_MAY_BE_EMPTY);
	ret->n_bytes = 0;
	ret->length = 0;
	if (!V8_IS_OBJECT(w->at) || v8_type(layout, w->at) >= layout->type_string_end)
		return 0;
	ret->length = (__u32)v8_word(w->at, layout->string_length);
	w->page[0] = w->at;
	w->n_strings = 1;
	for (int i = 0; i < V8_PIECES_MAX; i++) {
		if (!pmb_v8_piece(at, is_file))
			break;
	}
	return ret->n_bytes;
}

/* The line that goes with the object: that which ran, if it is known, behind texts of n bytes.
 * Returns where that ends. */
static __always_inline __u64 v8_put_line(struct py_walk *w, __u64 n, int line)
{
	struct pmb_py_table *table;
	__u64 at = n, *last;

	w->object.rec.parts = line > 0;
	if (line <= 0)
		return n;
	UNWIND_HIDE(at);
	at &= 2 * PMB_PY_TEXT_MAX - 1;
	last = (void *)(w->object.bytes + (at & ~7ULL));
	*last &= (1ULL << (at & 7) * 8) - 1; /* what is between them is the same each time */
	at = (at + 7) & ~7ULL;
	table = (void *)(w->object.bytes + at);
	table->kind = PMB_PY_LINES_ONE;
	table->n_bytes = 0;
	table->length = line;
	return at + sizeof(*table);
}

/* The lines of what frame i runs: w->line becomes the one that ran; returns the first one. 0: it
 * isn't known; below 0: there is no time for it. */
__noinline int pmb_v8_lines(__u32 i, __u64 scope, __u64 script)
{
	struct py_walk *w = py_walk_of_cpu();
	__u64 table;
	int first, ran;

	if (!w)
		return 0;
	w->line = 0;
	first = pmb_v8_line(script, pmb_v8_start(scope));
	if (first < 0 || !w->is_placed)
		return first;
	ran = -1;
	if (w->place_at) {
		ran = pmb_v8_line(script, w->place_at - 1);
	} else if (w->text_read < PMB_V8_SOURCE_MAX) {
		table = pmb_v8_ran(i);
		ran = table ? pmb_v8_line(script, v8_place_that_ran(w, table)) : 0;
	}
	w->line = ran;
	return first;
}

/* Whether frame i of the stack is still at the place of which that id is, of the function of the
 * id `own`. A function of its own for the verifier. */
__noinline int pmb_v8_is_still_at(__u32 i, __u64 own, __u64 id)
{
	struct py_walk *w = py_walk_of_cpu();

	if (!w || !pmb_cfg.want_lines)
		return false;
	if (w->place_at)
		w->at = V8_IN_TEXT | w->place_at;
	else if (!pmb_v8_ran(i))
		return false;
	return v8_placed_id(w, own) == id;
}

/* Sends what frame i of the chain runs, if that isn't known; for the time being without its lines,
 * if there is no time for them. */
__noinline int pmb_v8_object(__u32 i)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 id, own, script, name, n;
	int line = 0;
	__u32 frame;

	if (!layout || i >= w->n)
		return 0;
	i &= PMB_MAX_FRAMES;
	frame = PMB_PY_POSITION(w->chain.frames[i]) - 1;
	id = w->chain.frames[i] & ~(PMB_PY_LAST | PMB_PY_POSITIONS);
	if (!object_wanted(w, id))
		return 0;
	own = v8_object_id(layout, w, w->code[i]);
	w->place_at = w->places[i];
	w->is_placed = own != id;
	if (w->is_placed && !pmb_v8_is_still_at(frame, own, id))
		return 0;
	script = PY_MEMBER(w->words, layout->shared_script);
	name = PY_MEMBER(w->words, layout->shared_name);
	if (pmb_cfg.want_lines)
		line = pmb_v8_lines(frame, name, script);
	if (line < 0 || w->line < 0) { /* and once more with its lines, when there is time */
		id ^= PMB_V8_NO_LINES;
		if (!object_wanted(w, id))
			return 0;
		line = line < 0 ? 0 : line;
		w->line = 0;
	}
	w->object.line = line;
	pmb_v8_name(name);
	n = pmb_v8_text(0, 0);
	w->at = v8_type(layout, script) == layout->type_script ?
			v8_word(script, layout->script_name) :
			0;
	n += pmb_v8_text(n, 1);
	object_send(w, id, v8_put_line(w, n, w->line));
	return 0;
}

#endif
