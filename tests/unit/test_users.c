// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/cleanup.h"
#include "sys/users.h"
#include "sysfs_tree.h"

static void expect(const char *passwd, uid_t uid, const char *want)
{
	_cleanup_free_ char *got = users_name_in(passwd, uid);

	cr_expect_str_eq(got, want, "%u: %s", uid, got);
}

/* The first line of a number counts; what is no line of passwd is passed over. */
Test(users, names)
{
	static const struct tree_file files[] = {
		{"passwd", "# comment\n"
			   "root:x:0:0:root:/root:/bin/bash\n"
			   "toor:x:0:0::/root:/bin/sh\n"
			   "\n"
			   "broken:x:7\n"
			   "nonumber:x:a:b:::\n"
			   "postgres:x:110:117:PostgreSQL:/var/lib/postgresql:/bin/bash\n"
			   "last:x:4294967294:1::/:/bin/false"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	_cleanup_free_ char *passwd = xasprintf("%s/passwd", root);

	expect(passwd, 0, "root");
	expect(passwd, 110, "postgres");
	expect(passwd, 4294967294, "last");
	expect(passwd, 7, "7");
	expect(passwd, 100000, "100000");
	expect("/no/such/file", 0, "0");
	tree_remove(root);
}

/* Their own first, each once, as the file has it. */
Test(users, groups)
{
	static const struct tree_file files[] = {
		{"group", "root:x:0:\n"
			  "adm:x:4:syslog,ann\n"
			  "broken:x\n"
			  "ann:x:1000:ann\n"
			  "anna:x:1001:anna,joanna\n"
			  "last:x:4294967294:ann"},
	};
	char *root = tree_make(files, ARRAY_SIZE(files));
	_cleanup_free_ char *group = xasprintf("%s/group", root);
	size_t n;
	_cleanup_free_ gid_t *groups = users_groups_in(group, "ann", 1000, &n);
	_cleanup_free_ gid_t *none = NULL;

	cr_assert_eq(n, 3);
	cr_expect(groups[0] == 1000 && groups[1] == 4 && groups[2] == 4294967294);
	none = users_groups_in("/no/such/file", "ann", 7, &n);
	cr_expect(n == 1 && none[0] == 7);
	tree_remove(root);
}
