/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CPython: where its frames are, and what of them travels.
 *
 *   sample ── python_stack ──► chain: the interpreter's frames, leaf first, each an object's id
 *   object's id ──► object: what its code is called, and where it stands, as its memory had it
 *
 * A chain is a struct pmb_stack whose frames are no addresses. One call of the interpreter's
 * function runs several frames of Python, up to the one that is marked; they take that native
 * frame's place.
 */
#ifndef PMUBPF_PYTHON_H
#define PMUBPF_PYTHON_H

#include "pmubpf/v8.h"

enum {
	PMB_PYTHONS_MAX = 64,       /* files, each with an interpreter */
	PMB_PY_FRAME_MAX = 128,     /* bytes that are read of a frame, */
	PMB_PY_CODE_MAX = 256,      /* and of a code object */
	PMB_PY_OFFSET_MAX = 0xffff, /* of what is read one by one */
	PMB_PY_TEXT_MAX = 512,      /* bytes of one text that travel */
	PMB_PY_LINES_MAX = 4096,    /* and of a line table */
	PMB_PY_UNIT = 2,            /* bytes of code: what instructions have a multiple of */
	PMB_PY_NONE = 0xffff,       /* this version has no such member */
	PMB_PY_EACH = 0xfffe,       /* of frame_entry: each frame is the last of its native one */
};

/* The lowest bit of an object's id in a chain: the next frame runs in another native frame. */
#define PMB_PY_LAST 1ULL

/* Where lines are wanted, these bits of an object's id are 0, and in a chain say where its frame
 * stands: two more than the number of the instruction, in units of two bytes (-1: none ran yet); 0:
 * that is not known. */
#define PMB_PY_POSITION_SHIFT 2
#define PMB_PY_POSITION_MAX 0xffffULL
#define PMB_PY_POSITIONS (PMB_PY_POSITION_MAX << PMB_PY_POSITION_SHIFT)
#define PMB_PY_POSITION(word) ((word) >> PMB_PY_POSITION_SHIFT & PMB_PY_POSITION_MAX)
#define PMB_PY_UNIT_OF(position) ((long long)(position)-2)

/* Where things lie in the objects of one build. Members of a frame and of code are aligned words,
 * but for those that say otherwise. */
struct pmb_python {
	__u32 version;      /* as Py_Version has it: 0x030b02f0 */
	__u16 interpreters; /* in _PyRuntime: the interpreter that was made last */
	__u16 interpreter_next;
	__u16 threads; /* in an interpreter: the first thread */
	__u16 thread_next;
	__u16 thread_id;        /* what pthread_self() says */
	__u16 thread_native_id; /* what gettid() says */
	__u16 thread_frame;     /* the current frame, */
	__u16 cframe_frame;     /* or (not PMB_PY_NONE) that of what thread_frame points to */
	__u16 frame_size;
	__u16 frame_code;
	__u16 frame_previous;
	__u16 frame_owner; /* a byte; */
	__u16 owner_shim;  /* from this value on it is no frame of Python, but ends a native one */
	__u16 frame_entry; /* a byte: it is the last of its native frame; or NONE, or EACH */
	__u16 code_size;   /* to the last member that is used */
	__u16 code_line;   /* 4 bytes */
	__u16 code_file;
	__u16 code_name;
	__u16 code_lines; /* the line table */
	__u16 text_length;
	__u16 text_hash;
	__u16 text_state; /* 4 bytes */
	__u16 text_ascii; /* where the text begins, if all of it is ASCII, */
	__u16 text_other; /* or not */
	/* The instruction that a frame executes: 8 bytes, its address, from code_instrs in its code
	 * on; code_instrs is NONE: 4 bytes, its offset there. In bytes (1) or units (0). */
	__u16 frame_instr;
	__u16 code_instrs;
	__u16 instr_shift;
	__u16 lines;        /* enum pmb_py_lines */
	__u16 bytes_length; /* of a line table */
	__u16 bytes_at;
};

/* What a file says of the interpreter in it. */
struct pmb_runtime {
	struct pmb_python layout;
	__u64 runtime_from; /* where _PyRuntime lies, from where offset 0 of the file would, if it
			       were mapped as its code is */
	/* The function that runs Python's code, and what the compiler put elsewhere of it: file
	 * offsets, [from, to); 0, 0: there is none. */
	__u64 eval_from, eval_to;
	__u64 cold_from, cold_to;
	__u32 free_threaded; /* built without the lock that all threads share */
	__u32 tail_calls;    /* each instruction is a function, which the one above calls */
	/* Of HotSpot: gHotSpotVMStructs and gHotSpotVMTypes, seen from where runtime_from is. */
	__u64 structs_from, types_from;
	struct pmb_v8 v8;
	__u32 is_v8; /* of one that is unknown: it is V8 */
	__u32 pad;
};

/* How its line tables are made. */
enum pmb_py_lines {
	PMB_PY_LINES_NONE,
	PMB_PY_LINES_LNOTAB,    /* up to 3.9 */
	PMB_PY_LINES_LINETABLE, /* 3.10 */
	PMB_PY_LINES_LOCATIONS, /* 3.11 and later */
	PMB_PY_LINES_ONE,       /* none: its length is the line, wherever the frame stands */
};

/* What code of an interpreter is. */
enum pmb_eval {
	PMB_EVAL_NONE,
	PMB_EVAL_FUNCTION, /* the function that runs Python's code */
	PMB_EVAL_CALLER,   /* the same, of a build with tail calls: what it calls does it */
};

/* What is known of a file's interpreter. */
enum pmb_runtime_state {
	PMB_RUNTIME_NONE,    /* there is none */
	PMB_RUNTIME_KNOWN,   /* all of struct pmb_runtime */
	PMB_RUNTIME_UNKNOWN, /* its version (0: not even that) and free_threaded */
	PMB_RUNTIME_HOTSPOT, /* Java's: structs_from and types_from, to be read in its memory */
	PMB_RUNTIME_V8,      /* v8 */
	PMB_N_RUNTIME_STATES,
};

/* Whose layouts are known, in words. */
#define PMB_PYTHONS_KNOWN "3.7 to 3.15"
#define PMB_HOTSPOTS_KNOWN "8 to 26"

/* Of a text's state: bytes of a character, and whether all is ASCII. */
#define PMB_PY_TEXT_STATE 0x7cU
#define PMB_PY_TEXT_KIND(state) ((state) >> 2 & 7)
#define PMB_PY_TEXT_COMPACT 0x20U
#define PMB_PY_TEXT_ASCII 0x40U

#endif
