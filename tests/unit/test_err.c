// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static char *many(const char *text, size_t n)
{
	size_t len = strlen(text);
	char *all = xcalloc(n * len + 1, 1);

	for (size_t i = 0; i < n; i++)
		memcpy(all + i * len, text, len);
	return all;
}

/* However long the name is: why, and what to do, stands behind it. */
Test(err, a_long_name_hides_no_reason)
{
	char *name = many("a", 100000);
	struct err err = {0};

	cr_expect_eq(err__usage(&err, "-d '%s' is not a time", name), -EINVAL);
	cr_expect_eq(err.exit_code, EXIT_USAGE);
	cr_expect(strncmp(err.text, "-d 'aaaa", 8) == 0, "%s", err.text);
	cr_expect(strstr(err.text, "aaaa … aaaa"), "%s", err.text);
	cr_expect_str_eq(err.text + strlen(err.text) - 16, "a' is not a time");
	free(name);
}

/* As long as there is room nothing is left out. */
Test(err, what_fits_stays)
{
	struct err err = {0};

	for (size_t len = sizeof(err.text) - 3; len < sizeof(err.text) + 3; len++) {
		char *text = many("b", len);

		err__set(&err, -EIO, "%s", text);
		if (len < sizeof(err.text))
			cr_expect_str_eq(err.text, text);
		else
			cr_expect(strstr(err.text, "b … b"), "%zu: %s", len, err.text);
		free(text);
	}
}

/* No character is cut in two. */
Test(err, characters_stay_whole)
{
	for (size_t before = 0; before < 4; before++) {
		char *lead = many("c", before), *name = many("日", 1000);
		struct err err = {0};
		size_t len, in_them;

		err__set(&err, -EIO, "%s%s", lead, name);
		len = strlen(err.text);
		in_them = len - before - strlen(" … ");
		cr_expect_eq(in_them % 3, 0, "%zu of %zu", in_them, len);
		cr_expect(strstr(err.text, "日 … 日"), "%s", err.text);
		free(lead);
		free(name);
	}
}
