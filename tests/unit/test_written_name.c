// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a person may write for a function, and what is another one. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/demangle.h"
#include "symd/written_name.h"

struct one {
	const char *linker, *written;
	enum written_fit fit;
};

static void expect(const struct one *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_(buf__done) struct buf whole = {0};
		const struct one *c = &cases[i];
		struct written_name w;

		written_name__init(&w, c->written, strlen(c->written));
		demangle_whole(c->linker, strlen(c->linker), &whole);
		cr_expect_eq(written_name__fit(&w, whole.data), c->fit, "%s and %s: %d", c->written,
			     whole.data, (int)written_name__fit(&w, whole.data));
		if (c->fit != WRITTEN_ANOTHER)
			cr_expect(written_name__may_be(&w, c->linker, strlen(c->linker)),
				  "%s may be %s by '%s'", c->linker, c->written, w.rare);
		written_name__done(&w);
	}
}

#define NO WRITTEN_ANOTHER
#define SHORT WRITTEN_SHORT
#define FULL WRITTEN_FULL

Test(written_name, cxx)
{
	static const struct one cases[] = {
		{"_Z1fi", "f", SHORT},
		{"_Z1fi", "f(int)", FULL},
		{"_Z1fi", "f( int )", FULL},
		{"_Z1fv", "f(void)", FULL},
		{"_Z1fi", "f(long)", NO},
		{"_Z1fi", "ns::f", NO},
		{"_Z1fi", "g", NO},
		{"_Z2foi", "f", NO},
		{"_ZN2ns1fEi", "ns::f", SHORT},
		{"_ZN2ns1fEi", "f", NO},
		{"_ZN2ns1CC1Ei", "ns::C::C", SHORT},
		{"_ZN2ns1CC2Ei", "ns::C::C(int)", FULL},
		{"_ZN2ns1CD0Ev", "ns::C::~C", SHORT},
		{"_ZNK2ns1C3getEv", "ns::C::get", SHORT},
		{"_ZNK2ns1C3getEv", "ns::C::get()", SHORT},
		{"_ZNK2ns1C3getEv", "ns::C::get() const", FULL},
		{"_ZN2ns1C3getEv", "ns::C::get() const", NO},
		{"_Z1fPKc", "f(const char *)", FULL},
		{"_Z1fPKc", "f(char const*)", FULL},
		{"_Z1fPKPKc", "f(const char *const *)", FULL},
		{"_Z1fRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
		 "f(const std::string &)", FULL},
		{"_Z1fSt6vectorIiSaIiEE", "f(std::vector<int>)", FULL},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int>::push_back", SHORT},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back", SHORT},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<long>::push_back", NO},
		{"_Z1fIiEvT_", "f", SHORT},
		{"_Z1fIiEvT_", "f<int>", SHORT},
		{"_Z1fIiEvT_", "f<int>(int)", FULL},
		{"_Z1fIiEvT_", "f(int)", SHORT},
		{"_ZN12_GLOBAL__N_11fEv", "f", SHORT},
		{"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f", SHORT},
		{"_ZN12_GLOBAL__N_11fEv", "{anonymous}::f()", FULL},
		{"_ZN2ns12_GLOBAL__N_11fEi", "ns::f(int)", SHORT},
		{"_Z1fB5cxx11v", "f", SHORT},
		{"_Z1fB5cxx11v", "f()", SHORT},
		{"_Z1fB5cxx11v", "f[abi:cxx11]()", FULL},
		{"_ZZN2ns1gEiEN1L1hEv", "ns::g::L::h", SHORT},
		{"_ZZN2ns1gEiEN1L1hEv", "ns::g", NO},
		{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()", SHORT},
		{"_Z1fi.constprop.0", "f", SHORT},
		{"_Z1fi.constprop.0", "f(int)", SHORT},
		{"foo.constprop.0.isra.1", "foo", SHORT},
		{"main.foo.func1", "main.foo", NO},
		{"_Z1fi", "", NO},
		{"_Z1fi", "(", NO},
		{"_Z1fi", "f(", NO},
		{"_Z1fi", "<", NO},
	};

	expect(cases, ARRAY_SIZE(cases));
}

Test(written_name, operators)
{
	static const struct one cases[] = {
		{"_ZN1AplERKS_", "A::operator+", SHORT},
		{"_ZN1AplERKS_", "A::operator+(const A &)", FULL},
		{"_ZN1AltERKS_", "A::operator<", SHORT},
		{"_ZN1AlsERKS_", "A::operator<<", SHORT},
		{"_ZN1AlsERKS_", "A::operator<", NO},
		{"_ZN1AptEv", "A::operator->", SHORT},
		{"_ZN1AclEi", "A::operator()", SHORT},
		{"_ZN1AclEi", "A::operator()(int)", FULL},
		{"_ZN1AclEi", "A::operator", NO},
		{"_ZN1AixEi", "A::operator[]", SHORT},
		{"_ZN1AcviEv", "A::operator int", SHORT},
		{"_ZN1AcmERKS_", "A::operator,", SHORT},
		{"_ZN1AdvERKS_", "A::operator/", SHORT},
		{"_ZltIiEbRK1AIT_ES4_", "operator< <int>", SHORT},
		{"_Znwm", "operator new", SHORT},
		{"_Znwm", "operator new(unsigned long)", FULL},
		{"_Znam", "operator new", NO},
	};

	expect(cases, ARRAY_SIZE(cases));
}

#define IMPL                                                                               \
	"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar" \
	"17h930b740aa94f1d3aE"

Test(written_name, rust)
{
	static const struct one cases[] = {
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt",
		 FULL},
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "write_fmt", NO},
		{IMPL, "<Test + 'static as foo::Bar<Test>>::bar", FULL},
		{IMPL, "foo::Bar::bar", SHORT},
		{IMPL, "Test + 'static::bar", SHORT},
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo", FULL},
		{"_RNvXs_Cs1_1aNtB4_1bNtB4_1c1d", "a::b::d", SHORT},
		{"_RNvXs_Cs1_1aNtB4_1bNtB4_1c1d", "a::c::d", SHORT},
		{"_RNvXs_Cs1_1aNtB4_1bNtB4_1c1d", "a::d", NO},
		{"_RINvCs1_1a1flE", "a::f", SHORT},
		{"_RINvCs1_1a1flE", "a::f::<i32>", FULL},
		{"_RNCNvCs1_1a1f0", "a::f::{closure#0}", FULL},
	};

	expect(cases, ARRAY_SIZE(cases));
}

static void expect_short(const char *whole, const char *expected)
{
	_cleanup_(buf__done) struct buf out = {0};

	written_name__put_short(&out, whole);
	cr_expect_str_eq(out.data, expected, "%s: %s", whole, out.data);
}

Test(written_name, what_needs_not_be_written)
{
	expect_short("ns::(anonymous namespace)::f", "ns::f");
	expect_short("std::vector<int, std::allocator<int> >::push_back", "std::vector::push_back");
	expect_short("A::operator<", "A::operator<");
	expect_short("<a::b as a::c>::d", "a::b::d");
	expect_short("a::f::<i32>", "a::f");
	expect_short("a::f::<i32>::{closure#0}", "a::f::{closure#0}");
	expect_short("", "");
}
