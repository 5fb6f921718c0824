// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * texts: touches pages of strings and vectors of C++'s library, each for the first time, by one
 * member each.
 *
 * Known answer, of the page faults below a function `touch_…`: TOUCHED (50) for each line of
 *
 * 	FUNCTION TYPE MEMBER
 *
 * with types as who uses them writes them. stdout: these lines.
 */
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "typed_pages.h"

namespace app
{

struct Item {
	long number;
	std::string name;
	std::vector<std::string> words;
	char rest[PAGE_MAX - sizeof(long) - sizeof(std::string) - sizeof(std::vector<int>)];
};

} // namespace app

using Book = std::map<int, std::string>;
using Node = std::_Rb_tree_node<Book::value_type>;

static volatile size_t sum;
static const void *volatile last;

WORK static void touch_text(const std::string &text)
{
	sum += text.size();
}

WORK static void touch_wide(const std::wstring *text)
{
	sum += text->size();
}

WORK static void touch_numbers(const std::vector<int> &numbers)
{
	last = numbers.data();
}

WORK static void touch_words(const std::vector<std::string> &words)
{
	last = words.data();
}

WORK static void touch_name(const app::Item *item)
{
	sum += item->name.size();
}

WORK static void touch_element(const std::vector<std::string> &words, size_t at)
{
	sum += words[at].size();
}

WORK static void touch_owned(const std::unique_ptr<app::Item> &owner)
{
	last = owner->words.data();
}

WORK static void touch_stored(Book::const_iterator at)
{
	sum += at->second.size();
}

static char *fresh()
{
	return static_cast<char *>(pages());
}

/* Memory that nobody has touched is as one that was moved from, as far as it is looked at here. */
template <typename T> static T *at(char *all, int i)
{
	return reinterpret_cast<T *>(all + (size_t)i * PAGE_MAX);
}

int main()
{
	char *texts = fresh(), *wides = fresh(), *numbers = fresh(), *words = fresh();
	char *items = fresh(), *elements = fresh(), *owned = fresh(), *nodes = fresh();
	char *const bounds[] = {elements, elements + (size_t)TOUCHED * PAGE_MAX,
				elements + (size_t)TOUCHED * PAGE_MAX};
	alignas(std::vector<std::string>) char row[sizeof(bounds)];

	memcpy(row, bounds, sizeof(bounds));
	puts("texts");
	fflush(stdout); /* its buffer is there */
	for (int i = 0; i < TOUCHED; i++) {
		auto *item = at<app::Item>(owned, i);

		touch_text(*at<std::string>(texts, i));
		touch_wide(at<std::wstring>(wides, i));
		touch_numbers(*at<std::vector<int>>(numbers, i));
		touch_words(*at<std::vector<std::string>>(words, i));
		touch_name(at<app::Item>(items, i));
		touch_element(*reinterpret_cast<std::vector<std::string> *>(row),
			      (size_t)i * PAGE_MAX / sizeof(std::string));
		touch_owned(*reinterpret_cast<std::unique_ptr<app::Item> *>(&item));
		touch_stored(Book::const_iterator(at<Node>(nodes, i)));
	}
	puts("touch_text std::string _M_string_length\n"
	     "touch_wide std::wstring _M_string_length\n"
	     "touch_numbers std::vector<int> _M_impl._M_start\n"
	     "touch_words std::vector<std::string> _M_impl._M_start\n"
	     "touch_name app::Item name._M_string_length\n"
	     "touch_element std::string _M_string_length\n"
	     "touch_owned app::Item words._M_impl._M_start\n"
	     "touch_stored std::_Rb_tree_node<std::pair<int const, std::string> > "
	     "_M_storage.second._M_string_length");
	return 0;
}
