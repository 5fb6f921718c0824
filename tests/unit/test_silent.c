/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* user/sym/silent.c: who kept helpers waiting is left alone, and nobody else. */
#include <criterion/criterion.h>

#include "sym/silent.h"

#define SECOND 1000000000ULL

static const struct silent_fs attacker = {.dev = 7, .mnt_ns = 9};

Test(silent, one_may_be_chance)
{
	struct silent s = {0};

	silent__add(&s, attacker, SECOND);
	cr_expect_not(silent__refuses(&s, attacker, SECOND));
	silent__add(&s, attacker, SECOND);
	cr_expect(silent__refuses(&s, attacker, SECOND));
	cr_expect(silent__refuses(&s, (struct silent_fs){.dev = 7}, SECOND), "the device");
	cr_expect(silent__refuses(&s, (struct silent_fs){.dev = 8, .mnt_ns = 9}, SECOND),
		  "the mount namespace");
	cr_expect_not(silent__refuses(&s, (struct silent_fs){.dev = 8, .mnt_ns = 1}, SECOND));
	cr_expect_not(silent__refuses(&s, (struct silent_fs){.dev = 9, .mnt_ns = 7}, SECOND));
}

Test(silent, nobody_is_suspected_of_what_is_not_known)
{
	struct silent s = {0};

	for (int i = 0; i < 9; i++)
		silent__add(&s, (struct silent_fs){.dev = 7}, SECOND);
	cr_expect_not(silent__refuses(&s, (struct silent_fs){.dev = 8}, SECOND));
	cr_expect_not(silent__refuses(&s, (struct silent_fs){0}, SECOND));
}

Test(silent, pauses_end_and_grow)
{
	struct silent s = {0};
	const uint64_t pause = SILENT_PAUSE_S * SECOND;

	silent__add(&s, attacker, 0);
	silent__add(&s, attacker, 0);
	cr_expect(silent__refuses(&s, attacker, pause - 1));
	cr_expect_not(silent__refuses(&s, attacker, pause));
	silent__add(&s, attacker, pause);
	cr_expect(silent__refuses(&s, attacker, 3 * pause - 1));
	cr_expect_not(silent__refuses(&s, attacker, 3 * pause));
}

Test(silent, the_one_that_is_over_first_is_forgotten)
{
	struct silent s = {0};

	for (uint64_t dev = 1; dev <= SILENT_MAX + 1; dev++) {
		silent__add(&s, (struct silent_fs){.dev = dev}, dev);
		silent__add(&s, (struct silent_fs){.dev = dev}, dev);
	}
	cr_expect_not(silent__refuses(&s, (struct silent_fs){.dev = 1}, SECOND));
	for (uint64_t dev = 2; dev <= SILENT_MAX + 1; dev++)
		cr_expect(silent__refuses(&s, (struct silent_fs){.dev = dev}, SECOND));
}
