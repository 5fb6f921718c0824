// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "assemble/python.h"

/* A letter a frame, leaf first: E is the native frame that runs Python, P what it has called for
 * that, o other functions of the interpreter, | a boundary. */
static void expect(bool whole, const char *native, const char *python, const char *want)
{
	uint32_t natives[PMB_MAX_FRAMES], pythons[2 * PMB_MAX_FRAMES], got[PYTHON_JOINED_MAX];
	uint8_t kinds[PMB_MAX_FRAMES];
	struct python_join j =
		{natives, kinds, (uint32_t)strlen(native), pythons, (uint32_t)strlen(python),
		 '|',     whole};
	char text[PYTHON_JOINED_MAX + 1] = {0};
	uint32_t n;

	for (size_t i = 0; native[i]; i++) {
		natives[i] = (uint32_t)native[i];
		kinds[i] = native[i] == 'E' ? PYTHON_EVAL :
			   native[i] == 'P' ? PYTHON_PART :
			   native[i] == 'o' ? PYTHON_OWN :
					      PYTHON_OTHER;
	}
	for (size_t i = 0; python[i]; i++)
		pythons[i] = (uint32_t)python[i];
	n = python_join(&j, got);
	cr_assert_leq(n, j.n_native + j.n_python);
	for (uint32_t i = 0; i < n; i++)
		text[i] = (char)got[i];
	cr_expect_str_eq(text, want, "%s and %s: %s, expected %s", native, python, text, want);
}

Test(python_join, frames_take_the_places_of_the_interpreters)
{
	expect(true, "mEs", "ab|", "mabs");
	expect(true, "mEnEs", "ab|c|", "mabncs");
	expect(true, "EEs", "a|b|", "abs");
	expect(true, "ms", "", "ms");
}

Test(python_join, whole_stacks_are_matched_from_the_outside)
{
	/* the innermost native frame has just been called: nothing of Python runs in it yet */
	expect(true, "EnEs", "ab|", "Enabs");
	/* the leaf is code of the interpreter that nobody knows to be its: not lost */
	expect(true, "xnEs", "a|b|", "xnabs");
	expect(true, "ms", "a|", "ms");
}

Test(python_join, parts_of_the_function_go_where_it_goes)
{
	expect(true, "mPEs", "ab|", "mabs");
	expect(true, "PEnPEs", "a|b|", "anbs");
	expect(true, "PEnPEs", "ab|", "PEnabs");
	expect(true, "mPEs", "", "mPEs");
	expect(false, "PEn", "ab|c|", "abnc");
}

Test(python_join, the_interpreters_own_are_left_out_between_frames_of_python)
{
	expect(true, "oEoEos", "a|b|", "oabos");
	expect(true, "ooEoxoEs", "a|b|", "ooaxbs"); /* x: of another file */
	expect(true, "oEoEs", "ab|", "oEoabs");
	expect(true, "oEs", "", "oEs");
	expect(false, "oEon", "ab|c|", "oabnc");
}

Test(python_join, others_from_the_leaf)
{
	expect(false, "mEn", "ab|c|", "mabnc");
	expect(false, "m", "ab|c|", "mabc");
	expect(false, "mEnE", "ab|", "mabnE");
	/* cut: what is outside isn't known */
	expect(true, "mEnEs", "ab|c", "mabncs");
	expect(true, "mEnEs", "ab", "mabnEs");
}

Test(python_join, as_many_as_there_may_be)
{
	char native[PMB_MAX_FRAMES + 1] = {0}, python[2 * PMB_MAX_FRAMES + 1] = {0};
	char want[PMB_MAX_FRAMES + 1] = {0};

	memset(native, 'E', PMB_MAX_FRAMES);
	memset(want, 'a', PMB_MAX_FRAMES);
	for (size_t i = 0; i < PMB_MAX_FRAMES; i++)
		memcpy(python + 2 * i, "a|", 2);
	expect(true, native, python, want);
}
