// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * classes: touches pages of objects of C++, each for the first time, by one member each.
 *
 * Known answer, of the page faults below a function `touch_…`: TOUCHED (50) for each line of
 *
 * 	FUNCTION TYPE MEMBER
 *
 * stdout: these lines.
 */
#include <sys/mman.h>

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spin.h"

enum { TOUCHED = 50, PAGE_MAX = 65536 };

namespace shapes
{

struct Base {
	long id;
	long serial;
	WORK void touch_base()
	{
		serial = 1;
	}
};

template <typename T> struct Box {
	char room[PAGE_MAX - sizeof(T)];
	T value;
	WORK void touch_box(const T &v)
	{
		value = v;
	}
};

class Derived : public Base
{
      public:
	WORK void touch_member()
	{
		inner.weight = 1;
	}
	WORK void touch_inherited()
	{
		id = 2;
	}

      private:
	struct {
		int n;
		double weight;
	} inner;
	char room[PAGE_MAX - 32];
};

struct Tail {
	long first;
	int second;
	Tail();
};

/* Its first member lies where its base has none any more. */
struct Tailed : public Tail {
	int third;
	char room[PAGE_MAX - 16];
};

template <typename T> struct Owner {
	using element_type = T;
	element_type *owned;
};

/* Declared in another class, and defined behind it. */
struct Outer {
	struct Inner;
	Inner *in;
};

struct Outer::Inner {
	char room[PAGE_MAX - sizeof(long)];
	long nested;
	WORK void touch_nested()
	{
		nested = 10;
	}
};

} // namespace shapes

namespace
{

struct Hidden {
	char room[PAGE_MAX - sizeof(long)];
	long seen;
	WORK void touch_hidden()
	{
		seen = 11;
	}
};

} // namespace

WORK static void touch_reference(shapes::Box<double> &box)
{
	box.value = 3;
}

using Page = shapes::Box<int>;
using Pages = std::vector<Page>;
using Book = std::map<long, Page>;
using Queue = std::deque<Page>;
using Index = std::unordered_map<long, Page>;
using Indexed = std::__detail::_Hash_node<Index::value_type, false>;
using Maybe = std::optional<Page>;

WORK static void touch_padding(shapes::Tailed *tailed)
{
	tailed->third = 5;
}

/* What a container calls it is another name of it. */
WORK static void touch_owned(const shapes::Owner<Page> &owner)
{
	owner.owned->value = 6;
}

/* An iterator is a pointer, to one of several. */
WORK static void touch_before(Pages::iterator behind)
{
	behind[-1].value = 7;
}

/* Bytes of a node, which its iterator doesn't point to. */
WORK static void touch_stored(Book::iterator at)
{
	at->second.value = 8;
}

WORK static void touch_indexed(Index::iterator at)
{
	at->second.value = 12;
}

/* Of an iterator that is too large for registers. */
WORK static void touch_queued(const Queue::iterator &at)
{
	at->value = 13;
}

WORK static void touch_maybe(Maybe &at)
{
	at->value = 14;
}

static char *fresh;

WORK static void *next_pages(size_t n)
{
	void *got = fresh;

	fresh += n;
	return got;
}

/* What a call gives is what it is used for, also in no variable. */
WORK static void touch_fresh(shapes::Owner<Page> &owner)
{
	(owner.owned = static_cast<Page *>(next_pages(sizeof(Page))))->value = 9;
}

template <typename T> static T *pages()
{
	size_t len = (size_t)(2 * TOUCHED + 2) * PAGE_MAX;
	void *all = mmap(nullptr, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		exit(1);
	madvise(all, len, MADV_NOHUGEPAGE);
	return static_cast<T *>(all);
}

int main()
{
	auto *bases = pages<char>();
	auto *boxes = pages<shapes::Box<long>>();
	auto *members = pages<shapes::Derived>();
	auto *inherited = pages<shapes::Derived>();
	auto *references = pages<shapes::Box<double>>();

	auto *tailed = pages<shapes::Tailed>();
	auto *owned = pages<Page>();
	auto *row = pages<Page>();
	auto *nodes = pages<char>();
	auto *nested = pages<shapes::Outer::Inner>();
	auto *hidden = pages<Hidden>();
	auto *indexed = pages<char>();
	auto *queued = pages<Page>();
	auto *maybes = pages<Maybe>();
	shapes::Owner<Page> owner;
	Page *block;

	fresh = pages<char>();
	puts("classes");
	fflush(stdout); /* its buffer is there */
	for (int i = 0; i < TOUCHED; i++) {
		reinterpret_cast<shapes::Base *>(bases + (size_t)i * PAGE_MAX)->touch_base();
		boxes[i].touch_box(4);
		members[i].touch_member();
		inherited[i].touch_inherited();
		touch_reference(references[i]);
		touch_padding(tailed + i);
		owner.owned = owned + i;
		touch_owned(owner);
		touch_before(Pages::iterator(row + i + 1));
		touch_stored(Book::iterator(reinterpret_cast<std::_Rb_tree_node_base *>(
			nodes + (size_t)i * 2 * PAGE_MAX)));
		touch_fresh(owner);
		nested[i].touch_nested();
		hidden[i].touch_hidden();
		touch_indexed(Index::iterator(
			reinterpret_cast<Indexed *>(indexed + (size_t)i * 2 * PAGE_MAX)));
		block = queued + i;
		touch_queued(Queue::iterator(block, &block));
		touch_maybe(maybes[i]);
	}
	puts("touch_base shapes::Base serial\n"
	     "touch_box shapes::Box<long> value\n"
	     "touch_member shapes::Derived inner.weight\n"
	     "touch_inherited shapes::Derived id\n"
	     "touch_reference shapes::Box<double> value\n"
	     "touch_padding shapes::Tailed third\n"
	     "touch_owned shapes::Box<int> value\n"
	     "touch_before shapes::Box<int> value\n"
	     "touch_stored std::_Rb_tree_node<std::pair<long const, shapes::Box<int> > > "
	     "_M_storage.second.value\n"
	     "touch_fresh shapes::Box<int> value\n"
	     "touch_nested shapes::Outer::Inner nested\n"
	     "touch_hidden (anonymous namespace)::Hidden seen\n"
	     "touch_indexed std::__detail::_Hash_node<std::pair<long const, shapes::Box<int> >, "
	     "false> _M_storage.second.value\n"
	     "touch_queued shapes::Box<int> value\n"
	     "touch_maybe std::optional<shapes::Box<int> > _M_payload._M_payload._M_value.value");
	return 0;
}
