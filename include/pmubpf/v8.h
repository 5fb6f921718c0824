/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * V8, the engine of Node: where a frame's function is, and what of it travels.
 *
 *   frame ── fp - 16 ──► JSFunction ──► SharedFunctionInfo ──► its name (or a ScopeInfo with it),
 *                                                              Script ──► the file's name
 *
 * Which instruction of its bytecode the interpreter runs is in its frame, too:
 *
 *   frame ── fp - 32 ──► BytecodeArray ──► a table: from which byte of the code on it is which
 *         ── fp - 40 ──► the byte          place in the script's text; if V8 has made it
 *
 *
 * Of baseline code only the bytecode is in the frame:
 *
 *   SharedFunctionInfo ──► Code ──► a table: how many bytes of instructions each bytecode has
 *
 * Optimised code has in itself what is inlined in it:
 *
 *   instructions ── from their beginning ──► Code ──► a table: from which of them on it is which
 *                                                     place, of the function or one inlined in it
 *                                            Code ──► those functions; where each one is called
 *
 * They travel as those of CPython do (pmubpf/python.h): a chain of objects' ids, whose positions
 * say which frame of the native stack each is: 1 is the innermost. What is inlined has its
 * caller's position, and comes before it.
 */
#ifndef PMUBPF_V8_H
#define PMUBPF_V8_H

enum {
	PMB_V8_SHARED_MAX = 128,     /* bytes that are read of a SharedFunctionInfo */
	PMB_V8_SCOPE_MAX = 4096,     /* variables of a function with a name */
	PMB_V8_INLINE_LOCALS = 75,   /* from so many on their names lie elsewhere */
	PMB_V8_SOURCE_MAX = 1 << 17, /* bytes of source text in which lines are counted, at one
					sample, */
	PMB_V8_SCRIPT_MAX = 1 << 23, /* and of one script in all */
	PMB_V8_FUNCTION = -16,       /* of the frame pointer: the JSFunction, */
	PMB_V8_CONTEXT = -8,         /* and the context; */
	PMB_V8_BYTECODE = -32,       /* in the interpreter: the bytecode, */
	PMB_V8_BYTECODE_AT = -40,    /* and which byte of it, from the array's beginning on */
	PMB_V8_POSITIONS_MAX = 8192, /* bytes of a table of places that are read */
	PMB_V8_SHARED_CODE = 8,      /* in a SharedFunctionInfo: its baseline code, if it has any */
};

/* Where things lie in the objects of one build, from their maps on, in bytes; words but for those
 * that say otherwise. */
struct pmb_v8 {
	__u16 function_shared; /* 0: it isn't known */
	__u16 shared_size;     /* to the last member that is used */
	__u16 shared_name;
	__u16 shared_script;
	__u16 shared_place;  /* the word with the place in the source */
	__u16 scope_locals;  /* how many, */
	__u16 scope_first;   /* and their names */
	__u16 map_type;      /* 2 bytes */
	__u16 string_length; /* 4 bytes */
	__u16 string_chars;
	__u16 string_other;    /* of one that stands for another: that */
	__u16 string_resource; /* of one whose text lies elsewhere; the word behind it says where */
	__u16 script_name;
	__u16 script_source;
	__u16 type_shared;
	__u16 type_scope;
	__u16 type_script;
	__u16 type_string_end; /* strings are below it */
	/* Of the interpreter's code, for lines. */
	__u16 bytecode_data;  /* 0: nothing of it is known */
	__u16 bytecode_table; /* its table of places */
	__u16 type_bytecode;
	__u16 type_bytes;          /* of that table */
	__u16 type_trusted;        /* the same, where it is one of its own kind; 0: it isn't */
	__u16 newer_table;         /* each step in it has two bits that say what it is about */
	__u16 version;             /* the first number of V8's own */
	__u16 script_lines_before; /* of a script's text; 0: it isn't known */
	/* Of baseline code. */
	__u16 type_code;
	__u16 code_bytecode; /* what it was made of */
	__u16 code_table;    /* of lengths; 0: nothing of it is known */
	__u16 code_start;    /* the address of its instructions, or (code_inline) they themselves */
	__u16 code_size;     /* 4 bytes: theirs */
	__u16 code_inline;
	/* Of optimised code: in its deoptimisation data, the functions that are inlined, and their
	 * places. 0: nothing of it is known. */
	__u16 deopt_literals;
	__u16 deopt_inlined;
	__u16 stream_start; /* instructions, in what they are in, if that isn't code itself */
	__u16 pad;
	__u8 sizes[1024]; /* of each bytecode with its operands: 256 plain, wide, wider ones */
};

/* Of a string's type. */
#define PMB_V8_STRING_KIND 7U
#define PMB_V8_STRING_PLAIN 0U
#define PMB_V8_STRING_CONS 1U
#define PMB_V8_STRING_EXTERNAL 2U
#define PMB_V8_STRING_THIN 5U
#define PMB_V8_STRING_ONE_BYTE 8U
#define PMB_V8_STRING_UNCACHED 16U /* of one whose text lies elsewhere: it doesn't say where */

/* Of a text's state: a function's that may have none (pmubpf/python.h has the others). */
#define PMB_TEXT_MAY_BE_EMPTY 0x80U

/* In the id of an object: it is the one without, that goes before one with lines. */
#define PMB_V8_NO_LINES (1ULL << 63)

/* Whose layouts are known, in words. */
#define PMB_V8S_KNOWN "18 to 25"

#endif
