// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "session/branch_site.h"

static const struct branch_whom whom = {.pid = 7, .option = "op:lock"};

Test(branch_site, a_process_of_somebody_else_says_what_to_do)
{
	struct err err = {0};

	cr_expect_eq(branch_site__refuse_maps(&whom, -EACCES, &err), -EACCES);
	cr_expect_eq(err.exit_code, 3);
	cr_expect_eq(
		strncmp(err.text,
			"op:lock: what process 7 has mapped can't be read: Permission denied; ",
			69),
		0, "%s", err.text);
}

Test(branch_site, a_process_that_holds_its_lock_is_no_lack_of_this_machine)
{
	struct err err = {0};

	cr_expect_eq(branch_site__refuse_maps(&whom, -ETIMEDOUT, &err), -ETIMEDOUT);
	cr_expect_neq(err.exit_code, 3);
	cr_expect_not_null(strstr(err.text, "lock of its memory"));
}
