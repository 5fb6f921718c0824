/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * V8, the engine of Node: where a frame's function is, and what of it travels.
 *
 *   frame ── fp - 16 ──► JSFunction ──► SharedFunctionInfo ──► its name (or a ScopeInfo with it),
 *                                                              Script ──► the file's name
 *
 * They travel as those of CPython do (pmubpf/python.h): a chain of objects' ids, whose positions
 * say which frame of the native stack each is: 1 is the innermost.
 */
#ifndef PMUBPF_V8_H
#define PMUBPF_V8_H

enum {
	PMB_V8_SHARED_MAX = 128,     /* bytes that are read of a SharedFunctionInfo */
	PMB_V8_SCOPE_MAX = 4096,     /* variables of a function with a name */
	PMB_V8_INLINE_LOCALS = 75,   /* from so many on their names lie elsewhere */
	PMB_V8_SOURCE_MAX = 1 << 17, /* bytes of source text in which lines are counted, at one
					sample */
	PMB_V8_FUNCTION = -16,       /* of the frame pointer: the JSFunction, */
	PMB_V8_CONTEXT = -8,         /* and the context */
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

/* Whose layouts are known, in words. */
#define PMB_V8S_KNOWN "18 to 25"

#endif
