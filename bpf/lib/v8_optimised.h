/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What optimised code (TurboFan) runs at a frame: a place in the text of its function, or of one
 * that is inlined in it, and who called that. Node has V8 keep all places, for profilers. The hard
 * thing is where the code begins: the function that the frame has may have got other code
 * meanwhile, and newer versions keep it in a table of their own. So the beginning is looked for
 * from the instruction on backwards, once for each.
 */
#ifndef PMUBPF_BPF_V8_OPTIMISED_H
#define PMUBPF_BPF_V8_OPTIMISED_H

#include "lib/v8_ran.h"

enum {
	V8_CODE_ALIGN = 64,     /* instructions begin at a multiple of it */
	V8_LOOK = 4,            /* of these are looked at in a row, */
	V8_LOOKS = 128,         /* and so often */
	V8_LOOK_COST = 512,     /* a row takes as long as so many bytes of text */
	V8_CODES = 4096,        /* instructions whose place is known */
	V8_INLINED_MAX = 64,    /* functions, each in the next one */
	V8_INLINED_BYTES = 128, /* that one counts for, in what a sample may read */
	V8_ARRAY = 16,          /* what an array has begins here */
	V8_INLINED_SIZE = 16,
	V8_INLINED_SHIFT = 31, /* of a place: one more than the number of what is inlined there */
	V8_INLINED_MASK = 0xffff,
	V8_LITERALS_MAX = 1 << 16,
	V8_ITSELF = -1, /* instead of a literal's number: what others are inlined in */
};

/* In w->at: what is below it is one more than a place in the text. */
#define V8_IN_TEXT (1ULL << 33)
#define V8_PLACE_MASK 0x3fffffffU

/* What is no optimised code may be, later. */
#define V8_NO_CODE_NS 8000000000ULL

/* Of an instruction. Several CPUs may write one at once: `check` tells what is of one piece. */
struct v8_code {
	__u64 check;
	__u64 code;  /* 0: it is in none, */
	__u64 deopt; /* its data; 0, or when that was looked for */
	__u64 found;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, V8_CODES);
	__type(key, __u32);
	__type(value, struct v8_code);
} pmb_v8_codes SEC(".maps") __weak;

/* Looks for the code that has the instruction at pc, from w->start on backwards. 0: w->code_at is
 * that, and its instructions begin at w->start. A function of its own for the verifier. */
__noinline int pmb_v8_look(__u64 pc)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 at, code;

	if (!layout)
		return 1;
	at = w->start;
	w->text_read += V8_LOOK_COST;
	for (int i = 0; i < V8_LOOK; i++, at -= V8_CODE_ALIGN) {
		code = at - layout->code_start + 1;
		if (!layout->code_inline) {
			code = py_word(at - layout->stream_start + sizeof(__u64));
			if (v8_word(code, layout->code_start) != at)
				continue;
		}
		if (v8_type(layout, code) != layout->type_code ||
		    pc - at >= (__u32)v8_word(code, layout->code_size))
			continue;
		w->code_at = code;
		w->start = at;
		return 0;
	}
	w->start = at;
	return 1;
}

/* w->code_at becomes the code that has that instruction; 0: it is none's, or that one is long. */
static __always_inline void v8_find_code(struct py_walk *w, __u64 pc)
{
	w->code_at = 0;
	w->start = pc & ~(V8_CODE_ALIGN - 1ULL);
	for (int i = 0; i < V8_LOOKS; i++) {
		if (!pmb_v8_look(pc))
			break;
	}
}

/* Fills in the cell of that number for pc. */
__noinline int pmb_v8_fill(__u32 index, __u64 key, __u64 pc)
{
	struct v8_code *cell = bpf_map_lookup_elem(&pmb_v8_codes, &index);
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 table;

	if (!cell || !layout)
		return 0;
	w->found = 0;
	v8_find_code(w, pc);
	w->deopt = v8_word(w->code_at, layout->code_bytecode);
	if (v8_is_table(layout, v8_word(w->deopt, layout->deopt_inlined))) {
		table = v8_word(w->code_at, layout->code_table);
		if (v8_is_table(layout, table) && pmb_v8_place(table, pc - w->start) != V8_NO_PLACE)
			w->found = w->place.found;
	} else {
		w->code_at = 0;
		w->deopt = w->chain.rec.time;
	}
	cell->code = w->code_at;
	cell->deopt = w->deopt;
	cell->found = w->found;
	cell->check = key ^ w->code_at ^ w->deopt ^ w->found;
	return w->code_at != 0;
}

/* Whether frame i, of that function, runs optimised code: then w->deopt is its data, and w->found
 * the place; 0: that isn't known. */
__noinline int pmb_v8_optimised(__u32 i, __u64 shared)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	struct v8_code *cell;
	__u64 pc, key, code;
	__u32 index = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &index);

	if (!s || !layout || !layout->deopt_literals ||
	    (s->frame_at[i & PMB_MAX_FRAMES] & PMB_FRAME_OF_FILE))
		return 0;
	pc = s->stack.frames[i & PMB_MAX_FRAMES] - (i != 0); /* a caller is behind its call */
	key = id_mix(id_mix(id_seed_user(w->chain.tgid), pc), shared);
	index = key % V8_CODES;
	cell = bpf_map_lookup_elem(&pmb_v8_codes, &index);
	if (!cell)
		return 0;
	code = cell->code;
	w->deopt = cell->deopt;
	w->found = cell->found;
	if ((cell->check ^ code ^ w->deopt ^ w->found) == key) {
		if (!code && w->chain.rec.time - w->deopt < V8_NO_CODE_NS)
			return 0;
		if (code && v8_word(code, layout->code_bytecode) == w->deopt)
			return 1;
	}
	/* what is left is for lines; where it isn't enough, the next sample has them */
	return w->text_read < PMB_V8_SOURCE_MAX / 2 && pmb_v8_fill(index, key, pc);
}

/* The function that is inlined at w->found, with its tag; w->caller becomes where it is called. 0:
 * it can't be told. `own` is the one that it is inlined in. */
__noinline __u64 pmb_v8_inlined(__u64 own)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_v8 *layout = v8_of(w);
	__u64 number, inlined, literals, literal;

	if (!layout)
		return 0;
	number = w->found >> V8_INLINED_SHIFT & V8_INLINED_MASK;
	inlined = v8_word(w->deopt, layout->deopt_inlined);
	if (!number || !v8_is_table(layout, inlined) ||
	    number * V8_INLINED_SIZE > v8_length(inlined) ||
	    !py_read(w->page, V8_INLINED_SIZE, PMB_PY_FRAME_MAX,
		     inlined - 1 + V8_ARRAY + (number - 1) * V8_INLINED_SIZE))
		return 0;
	literals = v8_word(w->deopt, layout->deopt_literals);
	literal = (__u32)w->page[1];
	w->caller = w->page[0];
	if ((w->caller >> V8_INLINED_SHIFT & V8_INLINED_MASK) >= number)
		return 0;
	if (literal == (__u32)V8_ITSELF)
		return own;
	if (literal >= V8_LITERALS_MAX || literal >= v8_length(literals))
		return 0;
	return v8_word(literals, V8_ARRAY + literal * sizeof(__u64)) & ~2ULL; /* it may be weak */
}

#endif
