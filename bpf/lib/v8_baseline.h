/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which byte of its bytecode a frame of V8's baseline code (Sparkplug) is at. Each bytecode became
 * some instructions, and a table beside the code has how many bytes these are, of one after the
 * other. So that tells which one in order it is, and the lengths of those before it where it is.
 */
#ifndef PMUBPF_BPF_V8_BASELINE_H
#define PMUBPF_BPF_V8_BASELINE_H

#include "lib/v8_word.h"

enum {
	V8_STEPS = 32,          /* bytes of the table, or bytecodes, that are looked at in a row */
	V8_STEPS_COST = 8,      /* each takes as long as so many bytes of text */
	V8_BYTECODE_MAX = 4096, /* bytes of bytecode that are gone through */
	V8_RETURN_WORDS = 4,    /* of a stack, in which a return address is looked for */
	V8_CALL = 0xe8,         /* and 4 bytes: how far from where it returns to */
	V8_BUILTIN_MAX = 8192,  /* bytes of code */
	V8_PREFIXES = 4,        /* the first bytecodes: what follows has wide operands */
};

/* In w->at: what is below it says how far in its instructions a frame is, not in its bytecode. */
#define V8_IN_CODE (1ULL << 32)

/* All bits, if x is below 0. */
#define V8_BELOW_0(x) ((__u64)((__s64)(x) >> 63))

/* Built-in code without a frame that those instructions have called: where in them it returns to,
 * by the top of the stack. 0: that is none. What is there may be left over, of a call before; so
 * the instruction before has to be a call of code that is right here. */
static __always_inline __u64 v8_return(struct scratch *s, struct py_walk *w, __u64 start,
				       __u64 size)
{
	__u64 at, found = 0, call;

	if (!py_read(w->page, V8_RETURN_WORDS * sizeof(__u64), PMB_PY_FRAME_MAX, ARCH_SP(&s->regs)))
		return 0;
	for (int i = V8_RETURN_WORDS - 1; i >= 0; i--) {
		at = w->page[i] - start;
		found = at < size ? at : found;
	}
	call = py_word(start + found - sizeof(__u64));
	if ((call >> 24 & 0xff) != V8_CALL)
		return 0;
	at = start + found + ((__s64)call >> 32);
	return s->stack.frames[0] - at < V8_BUILTIN_MAX ? found : 0;
}

/* Whether frame i, at fp, runs the baseline code that was made of that bytecode: then w->code_at is
 * that, and w->at where in it. Optimised code has the same words in its frame, but is elsewhere. */
static __always_inline bool v8_is_baseline(const struct pmb_v8 *layout, struct scratch *s,
					   struct py_walk *w, __u32 i, __u64 fp, __u64 bytecode)
{
	__u64 code, start, size, at;

	if (!layout->code_table || !layout->sizes[0])
		return false;
	code = v8_word(py_word(fp + PMB_V8_FUNCTION), layout->function_shared);
	code = v8_word(code, PMB_V8_SHARED_CODE);
	if (v8_type(layout, code) != layout->type_code ||
	    v8_word(code, layout->code_bytecode) != bytecode)
		return false;
	start = layout->code_inline ? code - 1 + layout->code_start :
				      v8_word(code, layout->code_start);
	size = (__u32)v8_word(code, layout->code_size);
	at = s->stack.frames[i & PMB_MAX_FRAMES] - start;
	if (at < size)
		at += !i; /* a caller is behind the instruction that called */
	else
		at = i ? 0 : v8_return(s, w, start, size);
	w->code_at = code;
	w->at = V8_IN_CODE | at;
	return at != 0;
}

/* The next part of the table: numbers of 7 bits a byte, the lowest first; w->place.found becomes
 * how many have sums below `until`. Without branches, for the verifier would follow each. */
__noinline int pmb_v8_lengths(void)
{
	struct py_walk *w = py_walk_of_cpu();
	__u64 number, shift, size, byte, last;
	__s64 sum, until, found;
	__u8 *bytes;

	if (!w || !w->text_left)
		return 0;
	size = w->text_left < V8_STEPS ? w->text_left : V8_STEPS;
	bytes = w->object.bytes + 2 * PMB_PY_TEXT_MAX;
	__builtin_memset(bytes, 0x80, V8_STEPS); /* which ends no number */
	if (!py_read(bytes, size, V8_STEPS, w->text_at))
		return 0;
	number = w->place.number;
	shift = w->place.shift;
	sum = w->place.code;
	found = w->place.found;
	until = w->place.until;
	for (int i = 0; i < V8_STEPS; i++) {
		byte = bytes[i];
		number |= (byte & 0x7f) << (shift & 63);
		shift += 7;
		last = (byte >> 7) - 1; /* all bits, if it is the number's last */
		sum += number & last;
		found += last & V8_BELOW_0(sum - until) & 1;
		number &= ~last;
		shift &= ~last;
	}
	w->place.number = number;
	w->place.shift = shift;
	w->place.code = sum;
	w->place.found = found;
	w->text_at += size;
	w->text_left -= size;
	w->text_read += size * V8_STEPS_COST;
	return sum < until;
}

/* Goes on by some of w->place.until bytecodes; w->place.code becomes where the next one begins.
 * Their bytes are in the walk's object. */
__noinline int pmb_v8_bytecodes(void)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 at, left, width, op, more, wide, index;
	__u8 *bytes;

	if (!layout || !w->place.until)
		return 0;
	bytes = w->object.bytes + 2 * PMB_PY_TEXT_MAX;
	at = w->place.code;
	left = w->place.until;
	width = w->place.shift;
	for (int i = 0; i < V8_STEPS; i++) {
		more = V8_BELOW_0(-left);
		index = at;
		UNWIND_HIDE(index); /* "R3 unbounded memory access" */
		op = bytes[index & (V8_BYTECODE_MAX - 1)];
		wide = V8_BELOW_0(op - V8_PREFIXES);
		index = width << 8 | op;
		UNWIND_HIDE(index);
		at += layout->sizes[index & (sizeof(layout->sizes) - 1)] & more;
		left -= ~wide & more & 1;
		width = wide & more & (1 + (op & 1));
	}
	w->place.code = at;
	w->place.until = left;
	w->place.shift = width;
	w->text_read += V8_STEPS * V8_STEPS_COST;
	return 1;
}

/* Which of the code's bytecodes in order has the instruction up to byte `at`, from 1 on; 0: none,
 * or it can't be told. */
static __always_inline __u64 v8_which(const struct pmb_v8 *layout, struct py_walk *w, __u64 code,
				      __u32 at)
{
	__u64 table = v8_word(code, layout->code_table);

	if (!v8_is_table(layout, table))
		return 0;
	v8_open_table(w, table);
	w->place.until = at;
	for (int i = 0; i < PMB_V8_POSITIONS_MAX / V8_STEPS; i++) {
		if (!pmb_v8_lengths())
			break;
	}
	return w->place.code < at ? 0 : w->place.found;
}

/* The byte of the bytecode that the baseline code at w->code_at was made of, `at` bytes into it;
 * below 0: it can't be told. */
__noinline int pmb_v8_compiled(__u32 at)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 n, bytecode, size;

	if (!layout)
		return -1;
	n = v8_which(layout, w, w->code_at, at);
	bytecode = v8_word(w->code_at, layout->code_bytecode);
	size = v8_length(bytecode);
	if (size > V8_BYTECODE_MAX)
		size = V8_BYTECODE_MAX;
	if (!n || !py_read(w->object.bytes + 2 * PMB_PY_TEXT_MAX, size, V8_BYTECODE_MAX,
			   bytecode - 1 + layout->bytecode_data))
		return -1;
	w->place.until = n - 1;
	w->place.code = 0;
	w->place.shift = 0;
	for (int i = 0; i < V8_BYTECODE_MAX / V8_STEPS; i++) {
		if (!pmb_v8_bytecodes())
			break;
	}
	return !w->place.until && (__u64)w->place.code < size ? w->place.code : -1;
}

#endif
