// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether a profile is of the kernel that runs. */
#include <criterion/criterion.h>

#include "cmd/annotate_kernel.h"

#define ID "kernel build-id: "
#define RELEASE "kernel: Linux 6.1.0 x86_64"

static struct annotate_kernel compare(const char *one, const char *two, const char *build_id)
{
	struct annotate_kernel k = {0};
	struct prof *p = prof__new();

	prof__comment(p, "kernel stacks: 3 complete");
	if (one)
		prof__comment(p, one);
	if (two)
		prof__comment(p, two);
	annotate_kernel__compare(&k, p, build_id, "Linux 6.1.0 x86_64");
	prof__free(p);
	return k;
}

static void expect(struct annotate_kernel k, bool other, bool uncertain, int line)
{
	cr_expect(k.other == other && k.uncertain == uncertain, "line %d: %d, %d", line, k.other,
		  k.uncertain);
}
#define EXPECT(one, two, id, other, uncertain) \
	expect(compare(one, two, id), other, uncertain, __LINE__)

Test(annotate_kernel, build_ids_decide)
{
	EXPECT(RELEASE, ID "ab12", "ab12", false, false);
	EXPECT("kernel: Linux 6.2.0 x86_64", ID "ab12", "ab12", false, false);
	EXPECT(RELEASE, ID "ab13", "ab12", true, false);
	EXPECT(ID "ab12", ID "ab13", "ab12", true, false); /* a sum of two */
	EXPECT(ID "ab12", ID "ab12", "ab12", false, false);
	EXPECT(ID "", NULL, "ab12", true, false);
}

Test(annotate_kernel, else_releases)
{
	EXPECT(RELEASE, NULL, "ab12", false, true);
	EXPECT(RELEASE, NULL, "", false, true);
	EXPECT(RELEASE "_old", NULL, "ab12", true, false);
	EXPECT(RELEASE, "kernel: Linux 6.2.0 x86_64", "ab12", true, false);
	EXPECT(NULL, NULL, "ab12", true, false);     /* another tool's */
	EXPECT(RELEASE, ID "ab12", "", false, true); /* this one doesn't say */
}
