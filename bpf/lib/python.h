/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of CPython's interpreter at a sample (pmubpf/python.h). The hard thing is time: names
 * are freed soon, so they have to be read here; but a text is read only when its code is met for
 * the first time, and a frame costs three reads. All that is read is the program's own: each
 * pointer may be any, so every loop is bounded, and nothing read is believed.
 */
#ifndef PMUBPF_BPF_PYTHON_H
#define PMUBPF_BPF_PYTHON_H

#include "lib/arch.h"
#include "lib/emit.h"
#include "lib/pidns.h"

#include "pmubpf/unwind_find.h"

#define PY_NO_HASH (~0ULL)

extern const volatile struct pmb_config pmb_cfg;

enum {
	PY_AT_ONCE = 2,         /* frames */
	PY_LOOKED_AT_MAX = 256, /* threads of interpreters, that are looked through for one */
	PY_STATES_MAX = 4,      /* of a thread: interpreters one of which it runs inside another */
	PY_THREADS = 4096,      /* that are known */
	PY_SKIPPED_MAX = 256,   /* frames that are none of Python's code */
	PY_OBJECTS_MAX = 48,    /* that are sent at one sample; the others at the next */
	/* A thread that is none of Python's, or none yet, is looked for again after the first of
	 * these, and each time after twice as long, up to the second. */
	PY_FIRST_NS = 500000,
	PY_AGAIN_NS = 50000000
};

struct py_thread {
	__u64 id;     /* py_thread_id() */
	__u64 state;  /* its PyThreadState, the innermost one; 0: it has none */
	__u64 alone;  /* the only interpreter; 0: there are several */
	__u64 looked; /* when */
	__u32 tgid;
	__u32 wait; /* ns, from then on */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PY_THREADS);
	__type(key, __u32);
	__type(value, struct py_thread);
} pmb_py_threads SEC(".maps") __weak;

/* By the number that a process has in struct pmb_process. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PMB_PYTHONS_MAX);
	__type(key, __u32);
	__type(value, struct pmb_python);
} pmb_pythons SEC(".maps") __weak;

struct py_walk {
	struct pmb_stack chain; /* one more than may travel, for the verifier */
	__u64 room;
	__u64 code[PMB_MAX_FRAMES + 1]; /* objects of the chain's frames */
	struct pmb_object object;
	__u64 page[PMB_PY_FRAME_MAX / 8];
	__u64 words[PMB_PY_CODE_MAX / 8];
	__u64 at;    /* the next frame */
	__u64 frame; /* the present one */
	/* Of the present thread, in one interpreter each: the innermost first. */
	__u64 states[PY_STATES_MAX];
	__u64 interpreter; /* that is looked through for one, */
	__u64 idle;        /* and one that runs nothing */
	__u32 n_states;
	__u32 state; /* the next one */
	__u64 h;
	__u64 text_id;
	__u32 n;
	__u32 layout;
	/* of this chain's objects; here, for in registers each count would be a path of its own
	 * for the verifier */
	__u32 sent;
	__u32 missing;
	/* Of JavaScript's source text (lib/v8_line.h): where to go on, and how far; all bits, if a
	 * character has two bytes; ends of lines; bytes of all functions of this chain. */
	__u64 text_at, text_left, text_wide;
	__u32 text_lines, text_read;
	__u32 text_chars; /* of the whole */
	int line;         /* of the function that is sent: that which ran */
	__u32 is_placed;  /* its id is that of where it ran, too */
	__u32 n_strings;  /* of a text of JavaScript, in `page`: what is still to be looked at */
	__u32 code_bytes; /* of the bytecode that is looked at */
	__u64 code_at;    /* the baseline code that a frame runs (lib/v8_baseline.h) */
	/* Of optimised code (lib/v8_optimised.h): its deoptimisation data; a place in it, as V8 has
	 * it, and where what is inlined there is called; where its instructions may begin; and of
	 * the chain's frames, one more than the place in the text that each is at (0: that isn't
	 * known), and of the one that is sent. */
	__u64 deopt, found, caller, start;
	__u32 places[PMB_MAX_FRAMES + 1];
	__u32 place_at, pad;
	/* Of a table of places (lib/v8_ran.h), how far it was read. */
	struct {
		__u64 number, shift, second, newer; /* `second`, `newer`: no bits, or all */
		__s64 code, text, found, until;
	} place;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct py_walk);
} pmb_py_walk SEC(".maps") __weak;

static __always_inline struct py_walk *py_walk_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_py_walk, &zero);
}

/* 0 if it can't be read, as no pointer of use is. */
static __always_inline __u64 py_word(__u64 addr)
{
	__u64 word = 0;

	if (is_kernel_address(addr) || bpf_probe_read_user(&word, sizeof(word), (void *)addr))
		return 0;
	return word;
}

/* What the interpreter calls this thread, and where it says so. */
static __always_inline __u64 py_thread_id(const struct pmb_python *layout, __u32 *ret_at)
{
	struct task_struct *task = (void *)bpf_get_current_task();

#if defined(__TARGET_ARCH_x86)
	/* pthread_self(): the same whatever pid namespace it is in, and after a fork */
	*ret_at = layout->thread_id;
	return BPF_CORE_READ(task, thread.fsbase);
#else
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	struct upid *at = (void *)pid + bpf_core_field_offset(pid->numbers) +
			  (level & 63) * bpf_core_type_size(struct upid);

	*ret_at = layout->thread_native_id;
	return (__u32)BPF_CORE_READ(at, nr);
#endif
}

static __always_inline struct pmb_python *py_layout(struct py_walk *w)
{
	return w ? bpf_map_lookup_elem(&pmb_pythons, &w->layout) : NULL;
}

static __always_inline __u64 py_current_frame(const struct pmb_python *layout, __u64 state)
{
	__u64 at = py_word(state + layout->thread_frame);

	return at && layout->cframe_frame != PMB_PY_NONE ? py_word(at + layout->cframe_frame) : at;
}

/* One step through the threads of all interpreters: w->at is a thread of w->interpreter. Returns
 * whether that was all. A function of its own for the verifier. */
__noinline int pmb_py_thread(__u64 id, __u32 id_at)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);
	__u32 n = w ? w->n_states : 0;
	__u64 at;

	if (!layout || !w->interpreter || n >= PY_STATES_MAX)
		return 1;
	at = w->at;
	w->at = at ? py_word(at + layout->thread_next) : 0;
	if (at && py_word(at + id_at) == id) {
		if (py_current_frame(layout, at)) {
			w->states[n & (PY_STATES_MAX - 1)] = at;
			w->n_states = n + 1;
			w->at = 0;
		} else {
			w->idle = at;
		}
	}
	if (!w->at) {
		w->interpreter = py_word(w->interpreter + layout->interpreter_next);
		w->at = w->interpreter ? py_word(w->interpreter + layout->threads) : 0;
	}
	return 0;
}

/* Returns the innermost state of this thread. An interpreter that is run inside another is newer
 * than that, and comes before it. */
static __always_inline __u64 py_look_for(const struct pmb_python *layout, struct py_walk *w,
					 __u64 newest, __u64 id, __u32 id_at)
{
	w->interpreter = newest;
	w->at = newest ? py_word(newest + layout->threads) : 0;
	for (int i = 0; i < PY_LOOKED_AT_MAX; i++) {
		if (pmb_py_thread(id, id_at))
			break;
	}
	return w->n_states ? w->states[0] : w->idle;
}

/* On to where the frames of the thread's next state begin, if the ones before ended. 0: there is
 * no more. */
__noinline int pmb_py_state(void)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);
	__u32 i = w ? w->state : 0;

	if (!layout || w->at || i >= w->n_states)
		return 0;
	w->state = i + 1;
	w->at = py_current_frame(layout, w->states[i & (PY_STATES_MAX - 1)]);
	return w->at != 0;
}

/* Of the present thread: where its interpreters' frames begin. 0: it runs none. */
__noinline int pmb_py_begin(__u32 tgid)
{
	struct py_walk *w = py_walk_of_cpu();
	__u32 zero = 0, id_at, index = (__u32)bpf_get_current_pid_tgid() % PY_THREADS;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct py_thread *t = bpf_map_lookup_elem(&pmb_py_threads, &index);
	struct pmb_python *layout;
	__u64 id, now, newest, state;
	bool known;

	if (!w || !s || !t)
		return 0;
	layout = bpf_map_lookup_elem(&pmb_pythons, &w->layout);
	if (!layout)
		return 0;
	id = py_thread_id(layout, &id_at);
	now = s->stack.rec.time;
	newest = py_word(s->walk.runtime_at + layout->interpreters);
	known = t->id == id && t->tgid == tgid;
	state = t->state;
	w->at = w->idle = 0;
	w->n_states = w->state = 0;
	if (known && state && t->alone == newest && py_word(state + id_at) == id) {
		w->states[0] = state;
		w->n_states = 1;
	} else if (!known || state || now - t->looked > t->wait) {
		state = py_look_for(layout, w, newest, id, id_at);
		/* while there is no interpreter yet a look is at one word */
		t->wait = !known || state || !newest ? PY_FIRST_NS :
			  t->wait < PY_AGAIN_NS / 2  ? 2 * t->wait :
						       PY_AGAIN_NS;
		t->alone = py_word(newest + layout->interpreter_next) ? 0 : newest;
		t->id = id;
		t->tgid = tgid;
		t->looked = now;
		t->state = state;
		w->at = 0;
	}
	return pmb_py_state();
}

/* "invalid access to map value": the compiler leaves bounds out that the verifier can't see. */
#define PY_MEMBER(words, off)                           \
	({                                              \
		__u64 at_ = (off) / 8;                  \
		UNWIND_HIDE(at_);                       \
		(words)[at_ & (sizeof(words) / 8 - 1)]; \
	})
#define PY_BYTE(words, off) (PY_MEMBER(words, off) >> ((off)&7) * 8 & 0xff)

static __always_inline bool py_read(void *to, __u64 size, __u64 max, __u64 addr)
{
	UNWIND_HIDE(size);
	size &= 2 * max - 1; /* "R2 min value is negative" */
	return size <= max && !is_kernel_address(addr) &&
	       !bpf_probe_read_user(to, size, (void *)addr);
}

/* What tells a text from another one at its address: its hash. That is made when somebody asks for
 * it, and nobody may have asked for that of a qualified name: then its length and its ends. A
 * function of its own for the verifier. */
__noinline int pmb_py_text_id(__u64 text)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);
	__u64 h, at, state, size;

	if (!layout)
		return 0;
	h = py_word(text + layout->text_hash);
	if (h == PY_NO_HASH) {
		state = py_word(text + layout->text_state) & PMB_PY_TEXT_STATE;
		size = py_word(text + layout->text_length) * PMB_PY_TEXT_KIND(state);
		at = state & PMB_PY_TEXT_ASCII ? layout->text_ascii : layout->text_other;
		h = id_mix(id_mix(size, state), py_word(text + at));
		if (size > 2 * sizeof(h)) {
			h = id_mix(h, py_word(text + at + size - 2 * sizeof(h)));
			h = id_mix(h, py_word(text + at + size - sizeof(h)));
		} else if (size > sizeof(h)) {
			h = id_mix(h, py_word(text + at + size - sizeof(h)));
		}
	}
	w->text_id = h;
	return 0;
}

/* The id of the code at hand, whose words were read. Same addresses and lines may be other code, a
 * moment later: but not with the same name. */
static __always_inline __u64 py_object_id(const struct pmb_python *layout, struct py_walk *w,
					  __u64 code)
{
	__u64 name = PY_MEMBER(w->words, layout->code_name);
	__u64 h = id_mix(id_seed_user(w->chain.tgid), code);

	h = id_mix(h, PY_MEMBER(w->words, layout->code_line));
	h = id_mix(h, PY_MEMBER(w->words, layout->code_file));
	h = id_mix(h, PY_MEMBER(w->words, layout->code_lines));
	h = id_mix(h, name);
	pmb_py_text_id(name);
	h = id_mix(h, w->text_id);
	h = (h | 2) & ~PMB_PY_LAST;
	return pmb_cfg.want_lines ? h & ~PMB_PY_POSITIONS : h;
}

/* Frame n of the chain gets its position. A function of its own, as that below, for what registers
 * hold would not do for both: without lines all is as if there were none. */
__noinline int pmb_py_position(__u32 n)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);
	__u64 at;

	if (!layout)
		return 0;
	at = py_word(w->frame + layout->frame_instr);
	if (layout->code_instrs == PMB_PY_NONE)
		at = (__s32)at;
	else
		at -= w->code[n & PMB_MAX_FRAMES] + layout->code_instrs;
	at = ((__s64)at >> (layout->instr_shift & 1)) + 2;
	at = at <= PMB_PY_POSITION_MAX ? at << PMB_PY_POSITION_SHIFT : 0;
	w->chain.frames[n & PMB_MAX_FRAMES] |= at;
	w->h = id_mix(w->h, at);
	return 0;
}

/* One frame joins the chain. False: it was the last. */
static __always_inline bool py_frame(const struct pmb_python *layout, struct py_walk *w)
{
	__u64 code, id, slot;
	__u32 n = w->n;

	w->frame = w->at;
	if (!py_read(w->page, layout->frame_size, PMB_PY_FRAME_MAX, w->at))
		return false;
	w->at = PY_MEMBER(w->page, layout->frame_previous);
	if (PY_BYTE(w->page, layout->frame_owner) >= layout->owner_shim) {
		if (n && n <= PMB_MAX_FRAMES)
			w->chain.frames[(n - 1) & PMB_MAX_FRAMES] |= PMB_PY_LAST;
		w->h = id_mix(w->h, PMB_PY_LAST);
		return w->at != 0;
	}
	code = PY_MEMBER(w->page, layout->frame_code) & ~7ULL;
	if (n >= PMB_MAX_FRAMES || !py_read(w->words, layout->code_size, PMB_PY_CODE_MAX, code))
		return false;
	id = py_object_id(layout, w, code);
	if (layout->frame_entry == PMB_PY_EACH ||
	    (layout->frame_entry != PMB_PY_NONE && PY_BYTE(w->page, layout->frame_entry)))
		id |= PMB_PY_LAST;
	/* "R3 unbounded memory access": 5.10 forgets the bounds of what was on the stack */
	slot = n;
	UNWIND_HIDE(slot);
	slot &= PMB_MAX_FRAMES;
	w->chain.frames[slot] = id;
	w->code[slot] = code;
	w->h = id_mix(w->h, id);
	w->n = n + 1;
	if (pmb_cfg.want_lines)
		pmb_py_position(n);
	return w->at != 0;
}

/* A function of its own for the verifier, which looks at it once and not once for each frame. */
__noinline int pmb_py_frames(void)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);

	if (!layout)
		return 0;
	for (int i = 0; i < PY_AT_ONCE; i++) {
		if (!py_frame(layout, w))
			return pmb_py_state();
	}
	return 1;
}

/* Returns how many bytes of the text stand at w->object.bytes + at. */
static __always_inline __u32 py_text(const struct pmb_python *layout, struct py_walk *w, __u64 addr,
				     __u64 at, struct pmb_py_text *ret)
{
	__u64 kind, size;

	ret->state = py_word(addr + layout->text_state) & PMB_PY_TEXT_STATE;
	ret->length = py_word(addr + layout->text_length);
	ret->n_bytes = 0;
	kind = PMB_PY_TEXT_KIND(ret->state);
	if (!(ret->state & PMB_PY_TEXT_COMPACT))
		return 0;
	size = ret->length > PMB_PY_TEXT_MAX ? PMB_PY_TEXT_MAX : ret->length * kind;
	if (size > PMB_PY_TEXT_MAX)
		size = PMB_PY_TEXT_MAX;
	addr += ret->state & PMB_PY_TEXT_ASCII ? layout->text_ascii : layout->text_other;
	UNWIND_HIDE(at);
	at &= 2 * PMB_PY_TEXT_MAX - 1;
	if (at > PMB_PY_TEXT_MAX || !size ||
	    !py_read(w->object.bytes + at, size, PMB_PY_TEXT_MAX, addr))
		return 0;
	ret->n_bytes = size;
	return size;
}

/* Puts the line table behind the texts, which end at w->object.bytes + at; returns where it
 * ends. */
__noinline int pmb_py_table(__u32 end)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);
	__u64 addr, size, at = end;
	struct pmb_py_table *table;
	__u64 *last;

	if (!layout || at > 2 * PMB_PY_TEXT_MAX)
		return 0;
	last = (void *)(w->object.bytes + (at & ~7ULL));
	*last &= (1ULL << (at & 7) * 8) - 1; /* what is between them is the same each time */
	at = (at + 7) & ~7ULL;
	UNWIND_HIDE(at);
	at &= 4 * PMB_PY_TEXT_MAX - 1;
	if (at > 2 * PMB_PY_TEXT_MAX)
		return 0;
	table = (void *)(w->object.bytes + at);
	addr = PY_MEMBER(w->words, layout->code_lines);
	table->kind = layout->lines;
	table->n_bytes = 0;
	table->length = py_word(addr + layout->bytes_length);
	size = table->length > PMB_PY_LINES_MAX ? PMB_PY_LINES_MAX : table->length;
	addr += layout->bytes_at;
	if (size && py_read(table + 1, size, PMB_PY_LINES_MAX, addr))
		table->n_bytes = size;
	return at + sizeof(*table) + table->n_bytes;
}

/* Whether the object of that id has to be sent, and may be. */
static __always_inline bool object_wanted(struct py_walk *w, __u64 id)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	struct id_bucket *bucket = id_bucket(id);

	if (!ring || !bucket || id_known(bucket, id))
		return false;
	w->missing++;
	/* samples come first, as with dumps */
	return w->sent < PY_OBJECTS_MAX &&
	       bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) <= 3 * (__u64)pmb_cfg.ring_wake;
}

/* The walk's object, of n bytes of texts and table. */
static __always_inline void object_send(struct py_walk *w, __u64 id, __u64 n)
{
	__u32 cpu = bpf_get_smp_processor_id(), event = pmb_cfg.event;
	struct pmb_stats *stats = bpf_map_lookup_elem(&pmb_stats, &event);
	void *ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	struct id_bucket *bucket = id_bucket(id);
	struct pmb_object *o = &w->object;

	if (!stats || !ring || !bucket)
		return;
	o->rec.type = PMB_REC_OBJECT;
	o->rec.time = w->chain.rec.time;
	o->id = id;
	o->tgid = w->chain.tgid;
	n = offsetof(struct pmb_object, bytes) + ((n + 7) & ~7ULL);
	o->rec.size = n;
	UNWIND_HIDE(n); /* "R3 unbounded memory access" */
	n &= 2 * PMB_PY_LINES_MAX - 1;
	if (n > sizeof(*o))
		return;
	if (ring_output(&pmb_cfg, ring, o, n)) {
		stats->stacks_lost++;
		return;
	}
	id_remember(bucket, id);
	w->sent++;
	w->missing--;
	stats->objects_sent++;
	stats->ring_bytes += n;
}

/* Sends what frame i of the chain is the code of, if that isn't known. */
__noinline int pmb_py_object(__u32 i)
{
	struct py_walk *w = py_walk_of_cpu();
	struct pmb_python *layout = py_layout(w);
	struct pmb_object *o;
	__u64 id, n;

	if (!layout || i >= w->n)
		return 0;
	o = &w->object;
	id = w->chain.frames[i & PMB_MAX_FRAMES] & ~PMB_PY_LAST;
	if (pmb_cfg.want_lines)
		id &= ~PMB_PY_POSITIONS;
	/* it may have changed meanwhile, for other threads run: then its id is another, and it is
	 * met again */
	if (!object_wanted(w, id) ||
	    !py_read(w->words, layout->code_size, PMB_PY_CODE_MAX, w->code[i & PMB_MAX_FRAMES]) ||
	    py_object_id(layout, w, w->code[i & PMB_MAX_FRAMES]) != id)
		return 0;
	o->rec.parts = pmb_cfg.want_lines != 0;
	o->line = PY_MEMBER(w->words, layout->code_line) >> (layout->code_line & 4) * 8;
	n = py_text(layout, w, PY_MEMBER(w->words, layout->code_name), 0, &o->name);
	n += py_text(layout, w, PY_MEMBER(w->words, layout->code_file), n, &o->file);
	if (pmb_cfg.want_lines)
		n = pmb_py_table(n);
	object_send(w, id, n);
	return 0;
}

#endif
