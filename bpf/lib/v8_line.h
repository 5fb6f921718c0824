/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In which line of its script's text a place is. V8 makes its own table of lines only when somebody
 * asks for a stack trace; so the ends of lines before the place are counted, in text that the
 * collector may move at any other time. Of long ones they are counted once, some at each sample.
 */
#ifndef PMUBPF_BPF_V8_LINE_H
#define PMUBPF_BPF_V8_LINE_H

#include "lib/v8_word.h"

enum {
	V8_TEXT_PART = 1024, /* bytes that are looked at in a row */
	V8_TEXT_PARTS = PMB_V8_SOURCE_MAX / V8_TEXT_PART,
	V8_SCOPE_TAIL = 6, /* words of a scope in which its position is looked for */
	V8_SCRIPTS = 256,  /* texts whose lines are known, */
	V8_SCRIPT_PART = PMB_V8_SCRIPT_MAX / 512, /* by parts */
};

/* Counts in the next part, in characters of a byte or two, 8 or 4 in a word. False: there is none.
 * A function of its own, for the verifier knows nothing of what is in memory, and so looks at it
 * once; and without branches, for it would follow each. */
__noinline int pmb_v8_part(void)
{
	struct py_walk *w = py_walk_of_cpu();
	__u64 *text, x, size, end, low, tops, wide, n = 0;

	if (!w || !w->text_left)
		return 0;
	wide = w->text_wide;
	end = 0x0a0a0a0a0a0a0a0aULL & ~(wide & 0xff00ff00ff00ff00ULL);
	tops = 0x8080808080808080ULL & ~(wide & 0x0080008000800080ULL);
	low = ~tops;
	text = (__u64 *)(w->object.bytes + 2 * PMB_PY_TEXT_MAX);
	size = w->text_left < V8_TEXT_PART ? w->text_left : V8_TEXT_PART;
	if (size < V8_TEXT_PART)
		__builtin_memset(text, 0, V8_TEXT_PART);
	if (!py_read(text, size, V8_TEXT_PART, w->text_at))
		return 0;
	for (int i = 0; i < V8_TEXT_PART / 8; i++) {
		x = text[i] ^ end; /* what is 0 is one; its top becomes 1 */
		n += (~(((x & low) + low) | x) & tops) >> (7 + (wide & 8));
	}
	/* of each character of the words at most 128: sums of two bytes have room in 16 bits */
	n = (n & 0x00ff00ff00ff00ffULL) + (n >> 8 & 0x00ff00ff00ff00ffULL);
	n = n * 0x0001000100010001ULL >> 48;
	w->text_lines += n;
	w->text_at += size;
	w->text_left -= size;
	w->text_read += size;
	return 1;
}

/* Where the function's text begins, in units of its script's; below 0: that isn't known. Newer
 * versions have it in front of a scope's variables; in others it is the first two numbers, in
 * order, behind the function's name. */
__noinline int pmb_v8_start(__u64 scope)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 n, at, start;

	if (!layout || v8_type(layout, scope) != layout->type_scope)
		return -1;
	n = v8_word(scope, layout->scope_locals) >> 32;
	if (n > PMB_V8_SCOPE_MAX)
		return -1;
	at = layout->scope_first + (n + (n < PMB_V8_INLINE_LOCALS ? n : 1)) * sizeof(__u64);
	if (layout->scope_first - layout->scope_locals >= 3 * sizeof(__u64))
		at = layout->scope_locals + sizeof(__u64);
	if (!py_read(w->page, V8_SCOPE_TAIL * sizeof(__u64), PMB_PY_FRAME_MAX, scope - 1 + at))
		return -1;
	for (int i = 0; i + 1 < V8_SCOPE_TAIL; i++) {
		start = w->page[i];
		/* both are numbers, none below 0 */
		if (!((start | w->page[i + 1]) & 0x80000000ffffffffULL) && start < w->page[i + 1])
			return start >> 32;
	}
	return -1;
}

/* Where the first characters of the script's text lie, and how many bytes they have. 0: it can't be
 * told. */
__noinline int pmb_v8_source(__u64 script, __u32 chars)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u32 type, kind;
	__u64 string;

	if (!layout || v8_type(layout, script) != layout->type_script)
		return 0;
	string = v8_word(script, layout->script_source);
	type = v8_type(layout, string);
	kind = type & PMB_V8_STRING_KIND;
	if (type < layout->type_string_end &&
	    (kind == PMB_V8_STRING_THIN || kind == PMB_V8_STRING_CONS)) {
		string = v8_word(string, layout->string_other);
		type = v8_type(layout, string);
		kind = type & PMB_V8_STRING_KIND;
	}
	if (!V8_IS_OBJECT(string) || type >= layout->type_string_end ||
	    (__u32)v8_word(string, layout->string_length) < chars)
		return 0;
	w->text_wide = (__u64)(type & PMB_V8_STRING_ONE_BYTE ? 0 : -1);
	w->text_left = (__u64)chars << (w->text_wide & 1);
	w->text_chars = v8_word(string, layout->string_length);
	w->text_lines = 0;
	w->text_at = 0;
	if (kind == PMB_V8_STRING_PLAIN)
		w->text_at = string - 1 + layout->string_chars;
	else if (kind == PMB_V8_STRING_EXTERNAL && !(type & PMB_V8_STRING_UNCACHED))
		w->text_at = v8_word(string, layout->string_resource + sizeof(__u64));
	return w->text_at != 0;
}

/* Of a script's text: how many ends of lines are before a part of it. A cell has the upper half
 * of its text's id in its own upper half, so that what another text has left is told apart, and
 * what other CPUs write meanwhile does no harm. */
struct v8_script {
	__u64 counted; /* parts, from the first on */
	__u64 lines[PMB_V8_SCRIPT_MAX / V8_SCRIPT_PART];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, V8_SCRIPTS);
	__type(key, __u32);
	__type(value, struct v8_script);
} pmb_v8_scripts SEC(".maps") __weak;

/* What a cell has of that text; 0: nothing. */
#define V8_CELL(cell, id) ((((cell) ^ (id)) >> 32) ? 0 : (__u32)(cell))
#define V8_PARTS_OF(script) (sizeof((script)->lines) / sizeof((script)->lines[0]))

/* Of two that it may have the one that it has, or takes. */
static __always_inline struct v8_script *v8_script_of(__u64 id)
{
	__u32 first = id % V8_SCRIPTS, second = (id >> 8) % V8_SCRIPTS;
	struct v8_script *a = bpf_map_lookup_elem(&pmb_v8_scripts, &first);
	struct v8_script *b = bpf_map_lookup_elem(&pmb_v8_scripts, &second);

	if (!a || !b)
		return NULL;
	if (V8_CELL(a->counted, id))
		return a;
	return !a->counted || (b->counted && (id >> 16 & 1)) ? a : b;
}

/* Skips the parts of the walk's text that were counted before. Their number, and that of the text,
 * are some of its id: what is moved away is followed by other text, of another length mostly. */
__noinline int pmb_v8_skip(__u64 id)
{
	struct v8_script *script = v8_script_of(id);
	struct py_walk *w = py_walk_of_cpu();
	__u64 part, counted, lines;

	if (!script || !w)
		return 0;
	part = w->text_left / V8_SCRIPT_PART;
	counted = V8_CELL(script->counted, id);
	if (part > counted)
		part = counted;
	UNWIND_HIDE(part);
	part &= V8_PARTS_OF(script) - 1;
	lines = V8_CELL(script->lines[part], id);
	if (!part || !lines)
		return 0;
	w->text_lines = lines - 1;
	w->text_at += part * V8_SCRIPT_PART;
	w->text_left -= part * V8_SCRIPT_PART;
	return 0;
}

/* Counts on, and keeps what is known at the end of a part. False: that was all for this sample. A
 * function of its own for the verifier. */
__noinline int pmb_v8_count(__u64 id, __u64 from)
{
	struct py_walk *w = py_walk_of_cpu();
	struct v8_script *script;
	__u64 part;

	if (!w || w->text_read >= PMB_V8_SOURCE_MAX || !pmb_v8_part())
		return 0;
	part = w->text_at - from;
	if (part % V8_SCRIPT_PART)
		return 1;
	part /= V8_SCRIPT_PART;
	script = v8_script_of(id);
	if (!script || !part || part >= V8_PARTS_OF(script))
		return 1;
	UNWIND_HIDE(part);
	part &= V8_PARTS_OF(script) - 1;
	script->lines[part] = (id & ~0xffffffffULL) | (w->text_lines + 1);
	if (V8_CELL(script->counted, id) < part)
		script->counted = (id & ~0xffffffffULL) | part;
	return 1;
}

/* That line of the script's text as it is called: a script may begin further down (or up) in what
 * its name says, as vm.Script's lineOffset has it. 0: it isn't known. */
static __always_inline int v8_line_called(const struct pmb_v8 *layout, __u64 script, __u32 line)
{
	__s64 before = layout->script_lines_before ? v8_word(script, layout->script_lines_before) :
						     0;

	before = (__u32)before ? line : line + (before >> 32);
	return before > 0 && before <= 0x7fffffff ? before : 0;
}

/* In which line that place of the script's text is, from 1 on; 0: it isn't known; below 0: there is
 * no time for it at this sample. */
__noinline int pmb_v8_line(__u64 script, int place)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 id, from;

	if (!layout || place < 0 || !pmb_v8_source(script, place) ||
	    w->text_left > PMB_V8_SCRIPT_MAX)
		return 0;
	from = w->text_at;
	id = id_mix(id_mix(id_seed_user(w->chain.tgid), from), w->text_chars);
	id = id_mix(id_mix(id, py_word(from)), py_word(from + (w->text_chars / 2 & ~7U)));
	pmb_v8_skip(id);
	for (int i = 0; i < V8_TEXT_PARTS; i++) {
		if (!pmb_v8_count(id, from))
			break;
	}
	if (!w->text_left)
		return v8_line_called(layout, script, w->text_lines + 1);
	return w->text_read >= PMB_V8_SOURCE_MAX ? -1 : 0;
}

#endif
