// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <linux/types.h>
#include <string.h>

#include "base/mem.h"
#include "symd/python_layout.h"

enum { V311 = 0x030b07f0, V312 = 0x030c01f0, V313 = 0x030d00f0 };

/* As CPython 3.13.0 for x86-64 has it at the beginning of _PyRuntime. */
static const uint64_t offsets_313[] = {
	8750607829840520312,
	51183856,
	0,
	283320,
	608,
	632,
	194968,
	7272,
	7264,
	7344,
	7400,
	7656,
	7640,
	7648,
	16,
	7752,
	0,
	7768,
	7760,
	304,
	0,
	8,
	16,
	72,
	152,
	160,
	232,
	32,
	80,
	8,
	0,
	56,
	72,
	70,
	208,
	112,
	120,
	128,
	136,
	68,
	52,
	96,
	104,
	200,
	16,
	8,
	416,
	24,
	88,
	168,
	32,
	24,
	16,
	40,
	24,
	16,
	48,
	32,
	40,
	24,
	16,
	32,
	16,
	24,
	40,
	16,
	32,
	64,
	32,
	16,
	40,
};

/* As Debian's 3.14.10 has it. */
static const uint64_t offsets_314[] = {
	8750607829840520312,
	51251952,
	0,
	316616,
	784,
	808,
	225864,
	7280,
	7272,
	7344,
	7360,
	7408,
	7688,
	7672,
	7680,
	16,
	7784,
	0,
	7800,
	7792,
	7992,
	0,
	832,
	0,
	8,
	16,
	72,
	152,
	160,
	232,
	32,
	88,
	8,
	0,
	56,
	80,
	74,
	64,
	0,
	216,
	112,
	120,
	128,
	136,
	68,
	52,
	96,
	104,
	208,
	0,
	16,
	8,
	416,
	24,
	88,
	168,
	40,
	32,
	16,
	40,
	24,
	16,
	200,
	24,
	40,
	32,
	48,
	32,
	40,
	24,
	16,
	32,
	16,
	24,
	40,
	16,
	32,
	64,
	32,
	16,
	40,
};

/* As Debian's 3.15.2 has it. */
static const uint64_t offsets_315[] = {
	8750607829840520312,
	51315440,
	0,
	346568,
	912,
	936,
	226240,
	7272,
	7264,
	7336,
	7352,
	7400,
	7592,
	7576,
	7584,
	16,
	7736,
	0,
	7752,
	7744,
	7944,
	0,
	888,
	0,
	8,
	16,
	72,
	80,
	88,
	96,
	176,
	184,
	256,
	32,
	36,
	40,
	136,
	288,
	0,
	88,
	8,
	0,
	56,
	80,
	74,
	64,
	0,
	216,
	112,
	120,
	128,
	136,
	68,
	52,
	96,
	104,
	208,
	0,
	16,
	8,
	424,
	24,
	88,
	168,
	32,
	288,
	944,
	888,
	40,
	32,
	16,
	40,
	24,
	16,
	200,
	24,
	40,
	32,
	48,
	32,
	40,
	24,
	16,
	32,
	16,
	24,
	40,
	16,
	32,
	64,
	32,
	16,
	40,
};

/* offsetof() in its headers. */
Test(python_layout, known_versions)
{
	struct pmb_python p;

	cr_assert(python_layout(V311, "", 0, &p));
	cr_expect_eq(p.version, V311);
	cr_expect_eq(p.thread_frame, 56);
	cr_expect_eq(p.frame_entry, 68);
	cr_expect_eq(p.text_ascii, 48);
	cr_expect_eq(p.frame_instr, 56);
	cr_expect_eq(p.code_instrs, 184);
	cr_expect_eq(p.lines, PMB_PY_LINES_LOCATIONS);
	cr_assert(python_layout(V312, "", 0, &p));
	cr_expect_eq(p.interpreter_next, 0);
	cr_expect_eq(p.threads, 72);
	cr_expect_eq(p.frame_entry, PMB_PY_NONE);
	cr_expect_eq(p.code_name, 128);
	cr_expect_eq(p.frame_instr, 56);
	cr_expect_eq(p.code_instrs, 192);
	cr_expect_eq(p.instr_shift, 1);
	cr_expect_eq(p.bytes_length, 16);
	cr_expect_eq(p.bytes_at, 32);
	cr_expect(!python_layout(0x03060000, "", 0, &p));
	cr_expect(!python_layout(0x03100000, offsets_313, sizeof(offsets_313), &p));
}

/* The same; up to 3.10 frames are objects. */
Test(python_layout, known_old_versions)
{
	for (uint32_t minor = 8; minor <= 10; minor++) {
		uint32_t version = 3 << 24 | minor << 16;
		struct pmb_python p;

		cr_assert(python_layout(version, "", 0, &p));
		cr_expect_eq(p.version, version);
		cr_expect_eq(p.interpreters, 32);
		cr_expect_eq(p.interpreter_next, 0);
		cr_expect_eq(p.threads, 8);
		cr_expect_eq(p.thread_next, 8);
		cr_expect_eq(p.thread_frame, 24);
		cr_expect_eq(p.thread_id, 176);
		cr_expect_eq(p.cframe_frame, PMB_PY_NONE);
		cr_expect_eq(p.frame_entry, PMB_PY_EACH);
		cr_expect_gt(p.owner_shim, 255);
		cr_expect_eq(p.frame_previous, 24);
		cr_expect_eq(p.frame_code, 32);
		cr_expect_eq(p.code_line, 40);
		cr_expect_eq(p.code_file, 104);
		cr_expect_eq(p.code_name, 112);
		cr_expect_eq(p.code_lines, 120);
		cr_expect_eq(p.code_size, 128);
		cr_expect_eq(p.text_ascii, 48);
		cr_expect_eq(p.text_other, 72);
		cr_expect_eq(p.frame_instr, minor < 10 ? 104 : 96);
		cr_expect_eq(p.code_instrs, PMB_PY_NONE);
		cr_expect_eq(p.instr_shift, minor < 10);
		cr_expect_eq(p.lines, minor < 10 ? PMB_PY_LINES_LNOTAB : PMB_PY_LINES_LINETABLE);
		cr_expect_eq(p.bytes_at, 32);
	}
}

Test(python_layout, the_oldest)
{
	struct pmb_python p;

	cr_assert(python_layout(0x03070000, "", 0, &p));
	cr_expect_eq(p.interpreters, 24);
	cr_expect_eq(p.thread_id, 176);
	cr_expect_eq(p.thread_frame, 24);
	cr_expect_eq(p.frame_entry, PMB_PY_EACH);
	cr_expect_eq(p.code_line, 36);
	cr_expect_eq(p.code_file, 96);
	cr_expect_eq(p.code_name, 104);
	cr_expect_eq(p.code_lines, 112);
	cr_expect_eq(p.frame_instr, 104);
}

Test(python_layout, describes_itself)
{
	struct pmb_python p;

	cr_assert(python_layout(V313, offsets_313, sizeof(offsets_313), &p));
	cr_expect_eq(p.interpreters, 632);
	cr_expect_eq(p.interpreter_next, 7264);
	cr_expect_eq(p.threads, 7344);
	cr_expect_eq(p.thread_next, 8);
	cr_expect_eq(p.thread_frame, 72);
	cr_expect_eq(p.thread_id, 152);
	cr_expect_eq(p.thread_native_id, 160);
	cr_expect_eq(p.cframe_frame, PMB_PY_NONE);
	cr_expect_eq(p.frame_size, 72); /* up to localsplus */
	cr_expect_eq(p.frame_code, 0);
	cr_expect_eq(p.frame_previous, 8);
	cr_expect_eq(p.frame_owner, 70);
	cr_expect_eq(p.code_file, 112);
	cr_expect_eq(p.code_name, 128);
	cr_expect_eq(p.code_lines, 136);
	cr_expect_eq(p.code_line, 68);
	cr_expect_eq(p.code_size, 144);
	cr_expect_eq(p.text_length, 16);
	cr_expect_eq(p.text_hash, 24);
	cr_expect_eq(p.text_state, 32);
	cr_expect_eq(p.text_ascii, 40);
	cr_expect_eq(p.text_other, 56);
	cr_expect_eq(p.frame_instr, 56);
	cr_expect_eq(p.code_instrs, 200);
	cr_expect_eq(p.instr_shift, 1);
	cr_expect_eq(p.lines, PMB_PY_LINES_LOCATIONS);
	cr_expect_eq(p.bytes_length, 16);
	cr_expect_eq(p.bytes_at, 32);
}

Test(python_layout, versions_in_texts)
{
	cr_expect_eq(python_version_of_text("3.9.18"), 0x03090000);
	cr_expect_eq(python_version_of_text("3.10.13"), 0x030a0000);
	cr_expect_eq(python_version_of_text("3.14.0rc1"), 0x030e0000);
	cr_expect_eq(python_version_of_text("2.7.18+"), 0x02070000);
	cr_expect_eq(python_version_of_text("12.2.0]"), 0);
	cr_expect_eq(python_version_of_text("3.100.1"), 0);
	cr_expect_eq(python_version_of_text("3.9"), 0);
	cr_expect_eq(python_version_of_text("%.80s"), 0);
	cr_expect_eq(python_version_of_text(""), 0);
}

Test(python_layout, says_whether_threads_share_a_lock)
{
	uint64_t free_threaded[3] = {offsets_313[0], offsets_313[1], 1};

	cr_expect(!python_is_free_threaded(offsets_313, sizeof(offsets_313)));
	cr_expect(python_is_free_threaded(free_threaded, sizeof(free_threaded)));
	cr_expect(!python_is_free_threaded(free_threaded, 16));
	free_threaded[0] = 0;
	cr_expect(!python_is_free_threaded(free_threaded, sizeof(free_threaded)));
}

static void expect_described(uint32_t version, const uint64_t *words, size_t n, uint16_t thread_id)
{
	struct pmb_python p;

	cr_assert(python_layout(version, words, n * sizeof(*words), &p));
	cr_expect_eq(p.interpreters, words[5]);
	cr_expect_eq(p.interpreter_next, words[8]);
	cr_expect_eq(p.thread_next, 8);
	cr_expect_eq(p.thread_frame, 72);
	cr_expect_eq(p.thread_id, thread_id);
	cr_expect_eq(p.thread_native_id, thread_id + 8);
	cr_expect_eq(p.frame_size, 80);
	cr_expect_eq(p.frame_code, 0);
	cr_expect_eq(p.frame_previous, 8);
	cr_expect_eq(p.frame_owner, 74);
	cr_expect_eq(p.code_file, 112);
	cr_expect_eq(p.code_name, 128);
	cr_expect_eq(p.code_lines, 136);
	cr_expect_eq(p.code_line, 68);
	cr_expect_eq(p.text_length, 16);
	cr_expect_eq(p.text_state, 32);
	cr_expect_eq(p.text_ascii, 40);
	cr_expect_eq(p.frame_instr, 56);
	cr_expect_eq(p.code_instrs, 208);
	cr_expect_eq(p.bytes_length, 16);
	cr_expect_eq(p.bytes_at, 32);
	cr_expect(!python_layout(version, words, (n - 1) * sizeof(*words), &p));
}

Test(python_layout, later_ones_describe_themselves_with_other_words)
{
	expect_described(0x030e0af0, offsets_314, ARRAY_SIZE(offsets_314), 152);
	expect_described(0x030f02f0, offsets_315, ARRAY_SIZE(offsets_315), 176);
}

Test(python_layout, refuses_what_can_not_be)
{
	uint64_t changed[sizeof(offsets_313) / sizeof(offsets_313[0])];
	struct pmb_python p;

	for (size_t n = 0; n < 70 * sizeof(uint64_t); n++)
		cr_expect(!python_layout(V313, offsets_313, n, &p), "%zu bytes", n);
	memcpy(changed, offsets_313, sizeof(changed));
	changed[2] = 1; /* without its lock, objects look different */
	cr_expect(!python_layout(V313, changed, sizeof(changed), &p));
	memcpy(changed, offsets_313, sizeof(changed));
	changed[33] = 4096; /* frame_owner */
	cr_expect(!python_layout(V313, changed, sizeof(changed), &p));
	memcpy(changed, offsets_313, sizeof(changed));
	changed[1] = V312;
	cr_expect(!python_layout(V313, changed, sizeof(changed), &p));
}
