// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Types of standard libraries as who uses them calls them, and nothing left out that isn't the
 * default. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "symd/short_names.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define VECTOR(of) "std::vector<" of ", std::allocator<" of "> >"

static const struct {
	const char *name, *want;
} cases[] = {
	{"app::node", "app::node"},
	{STRING, "std::string"},
	{"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>",
	 "std::string"},
	{"std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
	 "std::wstring"},
	{"std::basic_string<char16_t, std::char_traits<char16_t>, std::allocator<char16_t> >",
	 "std::u16string"},
	{"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
	{"std::basic_ostream<char, std::char_traits<char> >", "std::ostream"},
	/* of another order, with another allocator */
	{"std::basic_string<char, app::traits, std::allocator<char> >",
	 "std::basic_string<char, app::traits>"},
	{"std::basic_string<char, std::char_traits<char>, app::arena<char> >",
	 "std::basic_string<char, std::char_traits<char>, app::arena<char> >"},
	{"std::vector<int, std::allocator<int> >", "std::vector<int>"},
	{"std::vector<" STRING ", std::allocator<" STRING " > >", "std::vector<std::string>"},
	{"std::vector<" VECTOR("int") ", std::allocator<" VECTOR("int") " > >",
	 "std::vector<std::vector<int> >"},
	{"std::map<" STRING ", int, std::less<" STRING " >, std::allocator<std::pair<const " STRING
	 ", int> > >",
	 "std::map<std::string, int>"},
	{"std::map<int, int, std::less<void>, std::allocator<std::pair<int const, int> > >",
	 "std::map<int, int, std::less<void> >"},
	{"std::unordered_map<int, long, std::hash<int>, std::equal_to<int>, "
	 "std::allocator<std::pair<int const, long> > >",
	 "std::unordered_map<int, long>"},
	{"std::unordered_map<int, long, app::mix, std::equal_to<int>, "
	 "std::allocator<std::pair<int const, long> > >",
	 "std::unordered_map<int, long, app::mix>"},
	{"std::unique_ptr<" VECTOR("int") ", std::default_delete<" VECTOR("int") " > >",
	 "std::unique_ptr<std::vector<int> >"},
	{"std::_Rb_tree_node<std::pair<const int, " STRING " > >",
	 "std::_Rb_tree_node<std::pair<const int, std::string> >"},
	{"std::vector<int, std::allocator<int> >::value_type", "std::vector<int>::value_type"},
	{"std::function<void(int, char)>", "std::function<void(int, char)>"},
	{"main()::{lambda(int, char)#1}", "main()::{lambda(int, char)#1}"},
	/* no defaults */
	{"std::pair<int, std::allocator<int> >", "std::pair<int, std::allocator<int> >"},
	{"std::tuple<int, std::hash<int> >", "std::tuple<int, std::hash<int> >"},
	{"std::map<int, std::less<int>, std::less<int>, std::allocator<std::pair<const int, "
	 "std::less<int> > > >",
	 "std::map<int, std::less<int> >"},
	{"std::vector<int, std::allocator<int>::other<int> >",
	 "std::vector<int, std::allocator<int>::other<int> >"},
	/* not the standard library's */
	{"mystd::vector<int, std::allocator<int> >", "mystd::vector<int, std::allocator<int> >"},
	{"app::std::vector<int, std::allocator<int> >",
	 "app::std::vector<int, std::allocator<int> >"},
	{"my_std::__1::pair", "my_std::__1::pair"},
	{"std::allocator<int>", "std::allocator<int>"},
	{"std::box<std::allocator<int> >", "std::box<std::allocator<int> >"},
	{"alloc::vec::Vec<alloc::string::String, alloc::alloc::Global>",
	 "alloc::vec::Vec<alloc::string::String>"},
	{"std::collections::hash::map::HashMap<u32, (u8, u16), std::hash::random::RandomState>",
	 "std::collections::hash::map::HashMap<u32, (u8, u16)>"},
	{"alloc::boxed::Box<dyn core::ops::function::Fn<(u32,), Output=u32>, alloc::alloc::Global>",
	 "alloc::boxed::Box<dyn core::ops::function::Fn<(u32,), Output=u32> >"},
	/* what makes no sense stays */
	{"std::vector<int, std::allocator<int> > >", "std::vector<int, std::allocator<int> > >"},
	{"std::__1::a<b(>)", "std::__1::a<b(>)"},
	{"std::vector<int, ", "std::vector<int, "},
	{"std::basic_string<>", "std::basic_string<>"},
	{"std::a<b, >", "std::a<b,>"},
	{"std::a<, std::allocator<c> >", "std::a<, std::allocator<c> >"},
	{"<a>", "<a>"},
	{"operator<<", "operator<<"},
	{"f<1, 2, 3, 4, 5, 6, 7, 8, 9, std::allocator<int> >",
	 "f<1, 2, 3, 4, 5, 6, 7, 8, 9, std::allocator<int> >"},
	{"std::f<1, 2, 3, 4, 5, 6, 7, 8, 9, std::allocator<int> >",
	 "std::f<1, 2, 3, 4, 5, 6, 7, 8, 9, std::allocator<int> >"},
};

Test(short_names, each)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf got = {0};

		buf__puts(&got, "=");
		short_name__put(&got, cases[i].name);
		cr_expect_str_eq(got.data + 1, cases[i].want, "%s: %s", cases[i].name, got.data);
		buf__done(&got);
	}
}

Test(short_names, deep)
{
	struct buf name = {0}, got = {0};

	for (int i = 0; i < 1000; i++)
		buf__puts(&name, "std::a<");
	for (int i = 0; i < 1000; i++)
		buf__puts(&name, ">");
	short_name__put(&got, name.data);
	cr_expect_str_eq(got.data, name.data);
	buf__done(&name);
	buf__done(&got);
}
