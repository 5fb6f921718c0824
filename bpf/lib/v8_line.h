/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On which line of its script a function of JavaScript begins. V8 has only a position in the
 * script's text; so the ends of lines before it are counted, once for each function, in text that
 * the collector may move at any other time.
 */
#ifndef PMUBPF_BPF_V8_LINE_H
#define PMUBPF_BPF_V8_LINE_H

#include "lib/v8_word.h"

enum {
	V8_TEXT_PART = 1024, /* bytes that are looked at in a row */
	V8_TEXT_PARTS = PMB_V8_SOURCE_MAX / V8_TEXT_PART,
	V8_SCOPE_TAIL = 6, /* words of a scope in which its position is looked for */
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
	w->text_lines = 0;
	w->text_at = 0;
	if (kind == PMB_V8_STRING_PLAIN)
		w->text_at = string - 1 + layout->string_chars;
	else if (kind == PMB_V8_STRING_EXTERNAL && !(type & PMB_V8_STRING_UNCACHED))
		w->text_at = v8_word(string, layout->string_resource + sizeof(__u64));
	return w->text_at != 0;
}

/* The line, from 1 on; 0: it isn't known; below 0: there is no time for it at this sample. */
__noinline int pmb_v8_line(__u64 scope, __u64 script)
{
	struct py_walk *w = py_walk_of_cpu();
	int start = pmb_v8_start(scope);

	if (!w || start < 0 || !pmb_v8_source(script, start) || w->text_left > PMB_V8_SOURCE_MAX)
		return 0;
	if (w->text_read + w->text_left > PMB_V8_SOURCE_MAX)
		return -1;
	w->text_read += w->text_left;
	for (int i = 0; i < V8_TEXT_PARTS; i++) {
		if (!pmb_v8_part())
			break;
	}
	return w->text_left ? 0 : w->text_lines + 1;
}

#endif
