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

enum { NONE = PMB_PY_NONE, EACH = PMB_PY_EACH, NEVER = 256 /* no byte is */ };

/* The members in their order: of _PyRuntime and an interpreter one each, then those of a thread. */
#define THREAD(in_runtime, in_interpreter, next, id, native_id, frame, in_cframe)         \
	.interpreters = (in_runtime), .threads = (in_interpreter), .thread_next = (next), \
	.thread_id = (id), .thread_native_id = (native_id), .thread_frame = (frame),      \
	.cframe_frame = (in_cframe)
#define FRAME(size, code, previous, owner, shim, entry)                           \
	.frame_size = (size), .frame_code = (code), .frame_previous = (previous), \
	.frame_owner = (owner), .owner_shim = (shim), .frame_entry = (entry)
#define CODE(size, line, file, name, lines)                                                 \
	.code_size = (size), .code_line = (line), .code_file = (file), .code_name = (name), \
	.code_lines = (lines)
#define TEXT(ascii, other)                                                           \
	.text_length = 16, .text_hash = 24, .text_state = 32, .text_ascii = (ascii), \
	.text_other = (other)
#define VERSION(minor) .version = 3 << 24 | (minor) << 16

static const struct pmb_python layouts[] = {
	{VERSION(8), THREAD(32, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(128, 40, 104, 112, 120), TEXT(48, 72)},
	{VERSION(9), THREAD(32, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(128, 40, 104, 112, 120), TEXT(48, 72)},
	{VERSION(10), THREAD(32, 8, 8, 176, NONE, 24, NONE), FRAME(40, 32, 24, 0, NEVER, EACH),
	 CODE(128, 40, 104, 112, 120), TEXT(48, 72)},
	{VERSION(11), THREAD(40, 16, 8, 152, 160, 56, 8), FRAME(80, 32, 48, 69, NEVER, 68),
	 CODE(144, 72, 112, 128, 136), TEXT(48, 72)},
	{VERSION(12), THREAD(40, 72, 8, 136, 144, 56, 0), FRAME(80, 0, 8, 70, 3, NONE),
	 CODE(144, 68, 112, 128, 136), TEXT(40, 56)},
};

/* An offset below `max`; anything else makes the whole description bad. */
static uint16_t offset(struct cursor *c, unsigned max)
{
	uint64_t off = cursor__u64(c);

	if (off >= max)
		c->bad = true;
	return (uint16_t)off;
}

static void skip(struct cursor *c, size_t n)
{
	cursor__skip(c, n * sizeof(uint64_t));
}

/* struct _Py_DebugOffsets of 3.13; the words that are skipped are named behind. */
static bool described(uint32_t version, const void *runtime, size_t n, struct pmb_python *ret)
{
	struct cursor c = cursor__over(runtime, n);
	const char *cookie = cursor__bytes(&c, 8);
	uint64_t own_version = cursor__u64(&c), free_threaded = cursor__u64(&c);

	*ret = (struct pmb_python){.version = version, .cframe_frame = PMB_PY_NONE};
	skip(&c, 2); /* runtime: size, finalizing */
	ret->interpreters = offset(&c, PMB_PY_OFFSET_MAX);
	skip(&c, 3); /* interpreter: size, id, next */
	ret->threads = offset(&c, PMB_PY_OFFSET_MAX);
	skip(&c, 9); /* gc … gil_runtime_state_holder */
	skip(&c, 2); /* thread: size, prev */
	ret->thread_next = offset(&c, PMB_PY_OFFSET_MAX);
	skip(&c, 1); /* interp */
	ret->thread_frame = offset(&c, PMB_PY_OFFSET_MAX);
	ret->thread_id = offset(&c, PMB_PY_OFFSET_MAX);
	ret->thread_native_id = offset(&c, PMB_PY_OFFSET_MAX);
	skip(&c, 2); /* datastack_chunk, status */
	skip(&c, 1); /* frame: size; that of the last of a stack's chunk may be all there is */
	ret->frame_previous = offset(&c, PMB_PY_FRAME_MAX);
	ret->frame_code = offset(&c, PMB_PY_FRAME_MAX);
	skip(&c, 1);                                        /* instr_ptr */
	ret->frame_size = offset(&c, PMB_PY_FRAME_MAX + 1); /* localsplus: ends what is fixed */
	ret->frame_owner = offset(&c, PMB_PY_FRAME_MAX);
	ret->owner_shim = 3;
	ret->frame_entry = PMB_PY_NONE;
	skip(&c, 1); /* code: size */
	ret->code_file = offset(&c, PMB_PY_CODE_MAX - 8);
	skip(&c, 1); /* name */
	ret->code_name = offset(&c, PMB_PY_CODE_MAX - 8);
	ret->code_lines = offset(&c, PMB_PY_CODE_MAX - 8);
	ret->code_line = offset(&c, PMB_PY_CODE_MAX - 8);
	skip(&c, 4);                             /* argcount … co_code_adaptive */
	skip(&c, 2 + 4 + 3 + 3 + 3 + 2 + 3 + 3); /* object … bytes */
	skip(&c, 1);                             /* text: size */
	ret->text_state = offset(&c, PMB_PY_CODE_MAX);
	ret->text_length = offset(&c, PMB_PY_CODE_MAX);
	ret->text_ascii = offset(&c, PMB_PY_CODE_MAX);
	ret->text_hash = (uint16_t)(ret->text_length + 8);
	ret->text_other = (uint16_t)(ret->text_ascii + 16);
	ret->code_size = (uint16_t)(ret->code_lines + 8);
	return cursor__ok(&c) && memcmp(cookie, "xdebugpy", 8) == 0 && !free_threaded &&
	       MINOR(own_version) == MINOR(version) && ret->code_file < ret->code_lines &&
	       ret->code_name < ret->code_lines && ret->code_line < ret->code_lines;
}

bool python_layout(uint32_t version, const void *runtime, size_t n, struct pmb_python *ret)
{
	if (MINOR(version) == 0x030d)
		return described(version, runtime, n, ret);
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (MINOR(layouts[i].version) == MINOR(version)) {
			*ret = layouts[i];
			ret->version = version;
			return true;
		}
	}
	return false;
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
