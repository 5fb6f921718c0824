// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "proc/mountinfo.h"

static struct mountinfo parse(const char *text)
{
	struct mountinfo info;

	mountinfo__parse(&info, text ? xstrdup(text) : NULL);
	return info;
}

Test(mountinfo, lines)
{
	_cleanup_(mountinfo__done) struct mountinfo info =
		parse("22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
		      "36 22 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw\n");

	cr_assert_eq(info.n, 2);
	cr_expect_str_eq(info.lines[1].device, "98:0");
	cr_expect_str_eq(info.lines[1].root, "/mnt1");
	cr_expect_str_eq(info.lines[1].point, "/mnt2");
}

/* No text, no lines, half lines: what is whole counts. */
Test(mountinfo, incomplete)
{
	static const char *const texts[] = {NULL,        "", "\n\n", "36", "36 22 98:0 /mnt1",
					    "36 22 98:0"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_(mountinfo__done) struct mountinfo info = parse(texts[i]);

		cr_expect_eq(info.n, 0, "%s", texts[i]);
		cr_expect_null(mountinfo__at(&info, "/"));
		cr_expect_null(mountinfo__reach(&info, "98:0", "/"));
	}
}

Test(mountinfo, escapes)
{
	_cleanup_(mountinfo__done) struct mountinfo info =
		parse("36 22 98:0 /a\\040b\\134 /tab\\011nl\\012 rw - ext4 - rw\n"
		      "37 22 98:1 /\\ /x\\04 rw\n"
		      "38 22 98:2 /\\999 /\\777\\0 rw\n");

	cr_assert_eq(info.n, 3);
	cr_expect_str_eq(info.lines[0].root, "/a b\\");
	cr_expect_str_eq(info.lines[0].point, "/tab\tnl\n");
	cr_expect_str_eq(info.lines[1].root, "/\\");
	cr_expect_str_eq(info.lines[1].point, "/x\\04");
	cr_expect_str_eq(info.lines[2].root, "/\\999");
	cr_expect_str_eq(info.lines[2].point, "/\\777\\0");
}

/* The last one on a mount point covers those before. */
Test(mountinfo, covered)
{
	_cleanup_(mountinfo__done) struct mountinfo info = parse("22 1 1:0 / / rw\n"
								 "23 22 2:0 / /mnt rw\n"
								 "24 23 3:0 / /mnt rw\n");

	cr_expect_str_eq(mountinfo__at(&info, "/mnt")->device, "3:0");
	cr_expect_str_eq(mountinfo__at(&info, "/")->device, "1:0");
	cr_expect_null(mountinfo__at(&info, "/mn"));
	cr_expect_null(mountinfo__at(&info, "/mnt/"));
}

Test(mountinfo, reach)
{
	_cleanup_(mountinfo__done) struct mountinfo info = parse("22 1 1:0 / / rw\n"
								 "23 22 2:0 / /data rw\n"
								 "24 22 2:0 /deep/er /short rw\n"
								 "25 22 3:0 /only/this /one rw\n");
	static const struct {
		const char *device, *path, *want;
	} cases[] = {
		{"1:0", "/srv/x", "/srv/x"},
		{"2:0", "/deep/x", "/data/deep/x"},
		{"2:0", "/deep/er", "/short"},
		{"2:0", "/deep/er/x", "/short/x"},
		{"2:0", "/deep/erx", "/data/deep/erx"}, /* not below /deep/er */
		{"3:0", "/only/this/x", "/one/x"},
		{"3:0", "/only", NULL},
		{"3:0", "/only/thisx", NULL},
		{"4:0", "/srv/x", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *got = mountinfo__reach(&info, cases[i].device, cases[i].path);

		if (cases[i].want)
			cr_expect_str_eq(got, cases[i].want);
		else
			cr_expect_null(got, "%s: %s", cases[i].path, got);
	}
}
