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
	V8_TEXT_PART = 512, /* bytes that are looked at in a row */
	V8_TEXT_PARTS = PMB_V8_SOURCE_MAX / V8_TEXT_PART,
	V8_SCOPE_TAIL = 6, /* words of a scope in which its position is looked for */
};

/* Of units of text in a word, 8 bits or 16 each. */
#define V8_EACH(wide, unit) \
	((wide) ? 0x0001000100010001ULL * (unit) : 0x0101010101010101ULL * (unit))

/* Counts in the next part. False: there is none. A function of its own, for the verifier knows
 * nothing of what is in memory, and so looks at it once. */
__noinline int pmb_v8_part(__u32 wide)
{
	const __u64 end = V8_EACH(wide, 0x0a), ones = V8_EACH(wide, 1);
	const __u64 tops = wide ? ones << 15 : ones << 7, low = ~tops;
	const __u32 to_one = wide ? 15 : 7;
	struct py_walk *w = py_walk_of_cpu();
	__u64 *text, x, size, n = 0;

	if (!w || !w->text_left)
		return 0;
	text = (__u64 *)(w->object.bytes + 2 * PMB_PY_TEXT_MAX);
	size = w->text_left < V8_TEXT_PART ? w->text_left : V8_TEXT_PART;
	if (size < V8_TEXT_PART)
		__builtin_memset(text, 0, V8_TEXT_PART);
	if (!py_read(text, size, V8_TEXT_PART, w->text_at))
		return 0;
	for (int i = 0; i < V8_TEXT_PART / 8; i++) {
		x = text[i] ^ end; /* a unit that is 0 is one; its top becomes 1 */
		n += (~(((x & low) + low) | x) & tops) >> to_one;
	}
	/* of each unit at most 64: sums of two bytes have room in 16 bits */
	if (!wide)
		n = (n & V8_EACH(1, 0xff)) + (n >> 8 & V8_EACH(1, 0xff));
	n = n * V8_EACH(1, 1) >> 48;
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
	__u64 n, at, word, before = 1;

	if (!layout || v8_type(layout, scope) != layout->type_scope)
		return -1;
	n = v8_word(scope, layout->scope_locals) >> 32;
	if (n > PMB_V8_SCOPE_MAX)
		return -1;
	at = layout->scope_first + (n + (n < PMB_V8_INLINE_LOCALS ? n : 1)) * sizeof(__u64);
	if (layout->scope_first - layout->scope_locals >= 3 * sizeof(__u64))
		at = layout->scope_locals + sizeof(__u64);
	for (int i = 0; i < V8_SCOPE_TAIL; i++, at += sizeof(__u64)) {
		word = v8_word(scope, at);
		if (!(before & 0xffffffff) && !(word & 0xffffffff) && word >> 63 == 0 &&
		    before < word)
			return before >> 32;
		before = word;
	}
	return -1;
}

/* Where a text of so many units lies, one byte each or (*ret_wide) two; 0: it can't be told. */
static __always_inline __u64 v8_text_at(const struct pmb_v8 *layout, __u64 string, __u64 units,
					__u32 *ret_wide)
{
	__u32 type = v8_type(layout, string), kind = type & PMB_V8_STRING_KIND;

	if (type < layout->type_string_end &&
	    (kind == PMB_V8_STRING_THIN || kind == PMB_V8_STRING_CONS)) {
		string = v8_word(string, layout->string_other);
		type = v8_type(layout, string);
		kind = type & PMB_V8_STRING_KIND;
	}
	if (!V8_IS_OBJECT(string) || type >= layout->type_string_end ||
	    (__u32)v8_word(string, layout->string_length) < units)
		return 0;
	*ret_wide = !(type & PMB_V8_STRING_ONE_BYTE);
	if (kind == PMB_V8_STRING_PLAIN)
		return string - 1 + layout->string_chars;
	if (kind == PMB_V8_STRING_EXTERNAL && !(type & PMB_V8_STRING_UNCACHED))
		return v8_word(string, layout->string_resource + sizeof(__u64));
	return 0;
}

/* The line, from 1 on; 0: it isn't known; below 0: there is no time for it at this sample. */
__noinline int pmb_v8_line(__u64 scope, __u64 script)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u32 wide = 0;
	__u64 left, at;
	int units;

	if (!layout || v8_type(layout, script) != layout->type_script)
		return 0;
	units = pmb_v8_start(scope);
	if (units < 0)
		return 0;
	at = v8_text_at(layout, v8_word(script, layout->script_source), units, &wide);
	left = (__u64)units << wide;
	if (!at || left > PMB_V8_SOURCE_MAX)
		return 0;
	if (w->text_read + left > PMB_V8_SOURCE_MAX)
		return -1;
	w->text_read += left;
	w->text_at = at;
	w->text_left = left;
	w->text_lines = 0;
	for (int i = 0; i < V8_TEXT_PARTS; i++) {
		if (!pmb_v8_part(wide))
			break;
	}
	return w->text_left ? 0 : w->text_lines + 1;
}

#endif
