/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* user/opener/culprits.c: who keeps openers waiting is left alone, and nobody else. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"
#include "opener/culprits.h"

#define SECOND 1000000000ULL

static struct culprits *all;

static void begin(void)
{
	all = xcalloc(1, sizeof(*all));
}

static void end(void)
{
	free(all);
}

TestSuite(culprits, .init = begin, .fini = end);

Test(culprits, a_process_at_once_its_user_after_four)
{
	const struct opener_subject other = {.tgid = 99, .uid = 1000};

	for (int i = 0; i < CULPRIT_STRIKES; i++) {
		const struct opener_subject who = {.tgid = 10 + i, .uid = 1000};

		cr_expect_not(culprits__refuse(all, &other, 0));
		culprits__strike(all, &who, 0);
		cr_expect(culprits__refuse(all, &who, 0));
	}
	cr_expect(culprits__refuse(all, &other, 0));
	cr_expect_not(culprits__refuse(all, &other, SECOND));
}

static void stick(struct opener_subject who)
{
	all->stuck[all->n_stuck++] = who;
}

Test(culprits, four_that_are_stuck_are_enough)
{
	const struct opener_subject user = {.tgid = 99, .uid = 1000}, mounts = {.mnt_ns = 7},
				    device = {.dev = 8}, innocent = {.tgid = 98, .uid = 1001};

	for (int i = 0; i < CULPRIT_STUCK; i++) {
		cr_expect_not(culprits__refuse(all, &user, 0));
		cr_expect_not(culprits__refuse(all, &mounts, 0));
		cr_expect_not(culprits__refuse(all, &device, 0));
		stick((struct opener_subject){.tgid = 10 + i, .uid = 1000, .mnt_ns = 7, .dev = 8});
		cr_expect(culprits__refuse(all, &all->stuck[i], 0), "the process itself");
	}
	cr_expect(culprits__refuse(all, &user, 1000 * SECOND), "for as long as they are");
	cr_expect(culprits__refuse(all, &mounts, 0));
	cr_expect(culprits__refuse(all, &device, 0));
	cr_expect_not(culprits__refuse(all, &innocent, 0));
	all->n_stuck--;
	cr_expect_not(culprits__refuse(all, &user, 0), "one has gone");
}

Test(culprits, when_half_of_the_places_are_taken_one_is_enough)
{
	const struct opener_subject user = {.tgid = 999, .uid = 1005};

	for (int i = 0; i < MAX_STUCK / 2 - 1; i++)
		stick((struct opener_subject){.tgid = 10 + i, .uid = 1000 + (uint32_t)i});
	cr_expect_not(culprits__refuse(all, &user, 0));
	stick((struct opener_subject){.tgid = 9});
	cr_expect(culprits__refuse(all, &user, 0));
	cr_expect_not(culprits__refuse(all, &(struct opener_subject){.tgid = 1, .uid = 1}, 0));
}

Test(culprits, what_is_not_known_is_nobodys)
{
	const struct opener_subject nobody = {0};

	for (int i = 0; i < 9; i++) {
		stick(nobody);
		culprits__strike(all, &nobody, 0);
	}
	cr_expect_not(culprits__refuse(all, &nobody, 0));
	cr_expect_not(culprits__refuse(all, &(struct opener_subject){.tgid = 1}, 0));
}
