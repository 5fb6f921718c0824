/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of V8's objects (pmubpf/v8.h): as in lib/python.h all is the program's own. */
#ifndef PMUBPF_BPF_V8_WORD_H
#define PMUBPF_BPF_V8_WORD_H

#include "lib/python.h"

#include "pmubpf/v8.h"

#define V8_TAG 3ULL
#define V8_IS_OBJECT(word) (((word)&V8_TAG) == 1)

/* By the number that a process has in struct pmb_process. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PMB_PYTHONS_MAX);
	__type(key, __u32);
	__type(value, struct pmb_v8);
} pmb_v8s SEC(".maps") __weak;

/* NULL: the runtime of that number is none. */
static __always_inline struct pmb_v8 *v8_layout(const __u32 *number)
{
	struct pmb_v8 *layout = bpf_map_lookup_elem(&pmb_v8s, number);

	return layout && layout->function_shared ? layout : NULL;
}

/* NULL: the walk's process has none. */
static __always_inline struct pmb_v8 *v8_of(struct py_walk *w)
{
	return w ? v8_layout(&w->layout) : NULL;
}

/* A member of an object, whose address has its tag; 0: it is none. */
static __always_inline __u64 v8_word(__u64 object, __u64 off)
{
	return V8_IS_OBJECT(object) ? py_word(object - 1 + off) : 0;
}

/* 0: none that is looked for. */
static __always_inline __u32 v8_type(const struct pmb_v8 *layout, __u64 object)
{
	return v8_word(v8_word(object, 0), layout->map_type) & 0xffff;
}

/* How many bytes or elements it says it has. */
static __always_inline __u64 v8_length(__u64 array)
{
	return v8_word(array, sizeof(__u64)) >> 32;
}

static __always_inline bool v8_is_table(const struct pmb_v8 *layout, __u64 object)
{
	__u32 type = v8_type(layout, object);

	return type && (type == layout->type_bytes || type == layout->type_trusted);
}

/* Such a table is read from its beginning. Returns how long it says it is. */
static __always_inline __u64 v8_open_table(struct py_walk *w, __u64 table)
{
	__u64 size = v8_length(table);

	w->text_at = table - 1 + 2 * sizeof(__u64);
	w->text_left = size < PMB_V8_POSITIONS_MAX ? size : PMB_V8_POSITIONS_MAX;
	__builtin_memset(&w->place, 0, sizeof(w->place));
	return size;
}

/* Whether the walk's frame is a caller of JavaScript's: then it has a frame pointer, whatever is
 * known of its code. A function of its own for the verifier. */
__noinline int pmb_v8_has_frame(void)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct pmb_v8 *layout;
	__u64 function, fp;

	if (!s || s->walk.frame.exact)
		return 0;
	layout = v8_layout(&s->walk.runtime);
	if (!layout)
		return 0;
	fp = s->walk.frame.fp;
	if (!V8_IS_OBJECT(py_word(fp + PMB_V8_CONTEXT)))
		return 0;
	function = py_word(fp + PMB_V8_FUNCTION);
	return v8_type(layout, v8_word(function, layout->function_shared)) == layout->type_shared;
}

#endif
