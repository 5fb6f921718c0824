// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Up to 3.12 the layouts are those of the headers (offsetof, on 64-bit machines; they are the same
 * for all patch releases). From 3.13 on _PyRuntime begins with _Py_DebugOffsets, which has them;
 * what it doesn't have (the hash of a text) is where it was.
 */
#include "symd/python_layout.h"

#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"

#define MINOR(version) ((version) >> 16)

enum {
	NONE = PMB_PY_NONE,
	EACH = PMB_PY_EACH,
	NEVER = 256 /* no byte is */,
	BYTES_LENGTH = 16,
	BYTES_AT = 32
};

/* The members in their order: of _PyRuntime and an interpreter one each, then those of a thread.
 * What leads to the next interpreter comes first in one. */
#define THREAD(in_runtime, in_interpreter, next, id, native_id, frame, in_cframe)         \
	.interpreters = (in_runtime), .interpreter_next = 0, .threads = (in_interpreter), \
	.thread_next = (next), .thread_id = (id), .thread_native_id = (native_id),        \
	.thread_frame = (frame), .cframe_frame = (in_cframe)
#define FRAME(size, code, previous, owner, shim, entry)                           \
	.frame_size = (size), .frame_code = (code), .frame_previous = (previous), \
	.frame_owner = (owner), .owner_shim = (shim), .frame_entry = (entry)
#define CODE(size, line, file, name, lines)                                                 \
	.code_size = (size), .code_line = (line), .code_file = (file), .code_name = (name), \
	.code_lines = (lines)
#define TEXT(ascii, other)                                                           \
	.text_length = 16, .text_hash = 24, .text_state = 32, .text_ascii = (ascii), \
	.text_other = (other)
/* Where a frame says which instruction it executes: in 3.10 as its number, before in bytes. */
#define LASTI(frame, shift, kind)                                                             \
	.frame_instr = (frame), .code_instrs = NONE, .instr_shift = (shift), .lines = (kind), \
	.bytes_length = BYTES_LENGTH, .bytes_at = BYTES_AT
#define INSTR(frame, code)                                               \
	.frame_instr = (frame), .code_instrs = (code), .instr_shift = 1, \
	.lines = PMB_PY_LINES_LOCATIONS, .bytes_length = BYTES_LENGTH, .bytes_at = BYTES_AT
#define V(minor) (3 << 24 | (minor) << 16)

static const struct pmb_python layouts[] = {
	{V(7), THREAD(24, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(120, 36, 96, 104, 112), TEXT(48, 72), LASTI(104, 1, PMB_PY_LINES_LNOTAB)},
	{V(8), THREAD(32, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(128, 40, 104, 112, 120), TEXT(48, 72), LASTI(104, 1, PMB_PY_LINES_LNOTAB)},
	{V(9), THREAD(32, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(128, 40, 104, 112, 120), TEXT(48, 72), LASTI(104, 1, PMB_PY_LINES_LNOTAB)},
	{V(10), THREAD(32, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(128, 40, 104, 112, 120), TEXT(48, 72), LASTI(96, 0, PMB_PY_LINES_LINETABLE)},
	{V(11), THREAD(40, 16, 8, 152, 160, 56, 8), FRAME(80, 32, 48, 69, NEVER, 68),
	 CODE(144, 72, 112, 128, 136), TEXT(48, 72), INSTR(56, 184)},
	{V(12), THREAD(40, 72, 8, 136, 144, 56, 0), FRAME(80, 0, 8, 70, 3, NONE),
	 CODE(144, 68, 112, 128, 136), TEXT(40, 56), INSTR(56, 192)},
};

/* Which word of struct _Py_DebugOffsets says what. */
static const struct words {
	uint32_t version;
	uint8_t interpreters, interpreter_next, threads, thread_next, thread_frame, thread_id,
		thread_native_id;
	uint8_t frame_previous, frame_executable, frame_localsplus, frame_owner;
	uint8_t code_filename, code_qualname, code_linetable, code_firstlineno;
	uint8_t text_state, text_length, text_asciiobject_size;
	uint8_t frame_instr_ptr, code_co_code_adaptive, bytes_ob_size, bytes_ob_sval;
} described[] = {
	{V(13), 5,  8,  9,  21, 23, 24, 25, 29, 30, 32, 33,
	 35,    37, 38, 39, 68, 69, 70, 31, 43, 65, 66},
	{V(14), 5,  8,  9,  24, 26, 27, 28, 32, 33, 35, 36,
	 40,    42, 43, 44, 78, 79, 80, 34, 48, 75, 76},
	{V(15), 5,  8,  9,  24, 26, 30, 31, 40, 41, 43, 44,
	 48,    50, 51, 52, 90, 91, 92, 42, 56, 87, 88},
};

struct description {
	const void *bytes;
	size_t n;
	bool bad;
};

/* An offset below `max`; anything else makes the whole description bad. */
static uint16_t offset(struct description *d, unsigned word, unsigned max)
{
	struct cursor c = cursor__over(d->bytes, d->n);
	uint64_t off;

	cursor__skip(&c, word * sizeof(uint64_t));
	off = cursor__u64(&c);
	if (!cursor__ok(&c) || off >= max)
		d->bad = true;
	return (uint16_t)off;
}

static bool describes(struct description *d, const struct words *at, struct pmb_python *ret)
{
	*ret = (struct pmb_python){
		.interpreters = offset(d, at->interpreters, PMB_PY_OFFSET_MAX),
		.interpreter_next = offset(d, at->interpreter_next, PMB_PY_OFFSET_MAX),
		.threads = offset(d, at->threads, PMB_PY_OFFSET_MAX),
		.thread_next = offset(d, at->thread_next, PMB_PY_OFFSET_MAX),
		.thread_frame = offset(d, at->thread_frame, PMB_PY_OFFSET_MAX),
		.thread_id = offset(d, at->thread_id, PMB_PY_OFFSET_MAX),
		.thread_native_id = offset(d, at->thread_native_id, PMB_PY_OFFSET_MAX),
		.cframe_frame = NONE,
		.frame_previous = offset(d, at->frame_previous, PMB_PY_FRAME_MAX),
		.frame_code = offset(d, at->frame_executable, PMB_PY_FRAME_MAX),
		/* ends what is fixed: what follows may end a stack's chunk */
		.frame_size = offset(d, at->frame_localsplus, PMB_PY_FRAME_MAX + 1),
		.frame_owner = offset(d, at->frame_owner, PMB_PY_FRAME_MAX),
		.owner_shim = 3,
		.frame_entry = NONE,
		.code_file = offset(d, at->code_filename, PMB_PY_CODE_MAX - 8),
		.code_name = offset(d, at->code_qualname, PMB_PY_CODE_MAX - 8),
		.code_lines = offset(d, at->code_linetable, PMB_PY_CODE_MAX - 8),
		.code_line = offset(d, at->code_firstlineno, PMB_PY_CODE_MAX - 8),
		.text_state = offset(d, at->text_state, PMB_PY_CODE_MAX),
		.text_length = offset(d, at->text_length, PMB_PY_CODE_MAX),
		.text_ascii = offset(d, at->text_asciiobject_size, PMB_PY_CODE_MAX),
		.frame_instr = offset(d, at->frame_instr_ptr, PMB_PY_FRAME_MAX),
		.code_instrs = offset(d, at->code_co_code_adaptive, PMB_PY_OFFSET_MAX),
		.instr_shift = 1,
		.lines = PMB_PY_LINES_LOCATIONS,
		.bytes_length = offset(d, at->bytes_ob_size, PMB_PY_CODE_MAX),
		.bytes_at = offset(d, at->bytes_ob_sval, PMB_PY_CODE_MAX),
	};
	ret->text_hash = (uint16_t)(ret->text_length + 8);
	ret->text_other = (uint16_t)(ret->text_ascii + 16);
	ret->code_size = (uint16_t)(ret->code_lines + 8);
	return !d->bad && ret->code_file < ret->code_lines && ret->code_name < ret->code_lines &&
	       ret->code_line < ret->code_lines;
}

static bool describes_itself(const void *runtime, size_t n, const struct words *at,
			     struct pmb_python *ret)
{
	struct description d = {.bytes = runtime, .n = n};
	struct cursor c = cursor__over(runtime, n);
	const char *cookie = cursor__bytes(&c, 8);
	uint64_t version = cursor__u64(&c), free_threaded = cursor__u64(&c);

	return cursor__ok(&c) && memcmp(cookie, "xdebugpy", 8) == 0 && !free_threaded &&
	       MINOR(version) == MINOR(at->version) && describes(&d, at, ret);
}

bool python_layout(uint32_t version, const void *runtime, size_t n, struct pmb_python *ret)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(layouts) && !found; i++) {
		found = MINOR(layouts[i].version) == MINOR(version);
		if (found)
			*ret = layouts[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(described) && !found; i++)
		found = MINOR(described[i].version) == MINOR(version) &&
			describes_itself(runtime, n, &described[i], ret);
	ret->version = version;
	return found;
}

bool python_is_free_threaded(const void *runtime, size_t n)
{
	struct cursor c = cursor__over(runtime, n);
	const char *cookie = cursor__bytes(&c, 8);
	uint64_t version = cursor__u64(&c), free_threaded = cursor__u64(&c);

	return cursor__ok(&c) && memcmp(cookie, "xdebugpy", 8) == 0 && version && free_threaded;
}

/* Of up to two digits. */
static const char *number(const char *text, uint32_t *ret)
{
	size_t n = strspn(text, "0123456789");

	*ret = 0;
	for (size_t i = 0; i < n && n <= 2; i++)
		*ret = *ret * 10 + (uint32_t)(text[i] - '0');
	return n && n <= 2 ? text + n : NULL;
}

uint32_t python_version_of_text(const char *text)
{
	uint32_t major, minor, patch;

	text = number(text, &major);
	if (!text || *text != '.' || (major != 2 && major != 3))
		return 0;
	text = number(text + 1, &minor);
	if (!text || *text != '.' || !number(text + 1, &patch))
		return 0;
	return major << 24 | minor << 16;
}
