// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "symd/demangle.h"

static void expect(const char *mangled, const char *name)
{
	struct buf b = {0};

	demangle(mangled, strlen(mangled), &b);
	cr_expect_str_eq(b.data, name, "%s: got %s, expected %s", mangled, b.data, name);
	buf__done(&b);
}

Test(demangle, cxx)
{
	expect("_ZN3foo3barEv", "foo::bar");
	expect("_ZN3foo3barEi", "foo::bar");
	expect("_ZN1AplERKS_", "A::operator+");
	expect("_ZN1AC1Ev", "A::A");
	expect("_ZN1AD0Ev", "A::~A");
	expect("_Z1fIiEvT_", "f<int>");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back");
	expect("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f");
	expect("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	expect("_ZN3foo3barEv.part.0", "foo::bar");
	expect("_ZN3foo3barEv.isra.0.cold", "foo::bar");
}

Test(demangle, rust)
{
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	       "17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
	expect("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	expect("_RNvXs_Cs1_1aNtB4_1bNtB4_1c1d", "<a::b as a::c>::d");
}

Test(demangle, plain_names_stay)
{
	expect("main", "main");
	expect("_start", "_start");
	expect("foo.constprop.0", "foo.constprop.0");
	expect("_GLOBAL__sub_I_foo", "_GLOBAL__sub_I_foo");
	expect("i", "i");
	expect("St", "St");
	expect("_Z", "_Z");
	expect("_R", "_R");
	expect("_ZN3fo", "_ZN3fo");
	expect("_Z99999999999999999999a", "_Z99999999999999999999a");
	/* Escaping is the writers' business. */
	expect("a;b\nc\033", "a;b\nc\033");
}

Test(demangle, appends_and_needs_no_nul)
{
	struct buf b = {0};

	buf__puts(&b, "x");
	demangle("_ZN3foo3barEvJUNK", 13, &b);
	demangle("mainJUNK", 4, &b);
	cr_assert_str_eq(b.data, "xfoo::barmain");
	buf__done(&b);
}

Test(demangle, names_over_a_kilobyte)
{
	char name[4096];
	struct buf b = {0};

	snprintf(name, sizeof(name), "_Z2000");
	memset(name + 6, 'x', 2000);
	snprintf(name + 2006, sizeof(name) - 2006, "v");
	demangle(name, strlen(name), &b);
	cr_assert_eq(b.len, 2000);
	buf__done(&b);
}

/* Nested as deeply as the length allows; the limit for stack is in symd.c. */
Test(demangle, deep_nesting_is_bounded)
{
	static char name[DEMANGLE_IN_MAX + 64];
	struct buf b = {0};

	memcpy(name, "_Z1fI", 5);
	memset(name + 5, 'P', DEMANGLE_IN_MAX - 9);
	memcpy(name + DEMANGLE_IN_MAX - 4, "iEvv", 5);
	demangle(name, strlen(name), &b);
	cr_assert_str_eq(b.data, name, "libiberty gives up: mangled");

	buf__clear(&b);
	memset(name, 'a', DEMANGLE_IN_MAX + 32);
	memcpy(name, "_Z", 2);
	demangle(name, strlen(name), &b);
	cr_assert_eq(b.len, DEMANGLE_OUT_MAX, "too long to demangle: cut");
	buf__done(&b);
}

/* A Rust name that contains itself, and is long enough for the C++ limit to be lifted. */
Test(demangle, names_that_refer_to_themselves)
{
	char name[1400] = "_RNvXs_C1tB4_B_ZNSt6vec";
	struct buf b = {0};

	memset(name + strlen(name), 'a', sizeof(name) - strlen(name) - 1);
	demangle(name, strlen(name), &b);
	cr_assert_leq(b.len, DEMANGLE_OUT_MAX);
	buf__clear(&b);
	memcpy(name, "_RNvB_3foo", 10);
	demangle(name, strlen(name), &b);
	cr_assert_leq(b.len, DEMANGLE_OUT_MAX);
	buf__done(&b);
}

/* Each substitution doubles the name: 60 bytes that mean gigabytes. */
Test(demangle, growth_is_bounded, .timeout = 30)
{
	struct buf b = {0};
	char name[256] = "_Z1fI1AIiiE";

	for (int i = 0; i < 12; i++)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "1AIS%c_S%c_E",
			 "0123456789AB"[i], "0123456789AB"[i]);
	snprintf(name + strlen(name), sizeof(name) - strlen(name), "Evv");
	demangle(name, strlen(name), &b);
	cr_assert_leq(b.len, DEMANGLE_OUT_MAX);
	cr_assert_gt(b.len, 0);
	buf__clear(&b);
	demangle("_RXC0OODGLOBALB_", 16, &b);
	cr_assert_str_eq(b.data, "_RXC0OODGLOBALB_");
	buf__done(&b);
}
