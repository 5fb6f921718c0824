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

} // namespace shapes

WORK static void touch_reference(shapes::Box<double> &box)
{
	box.value = 3;
}

template <typename T> static T *pages()
{
	size_t len = (size_t)(TOUCHED + 1) * PAGE_MAX;
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

	puts("classes");
	fflush(stdout); /* its buffer is there */
	for (int i = 0; i < TOUCHED; i++) {
		reinterpret_cast<shapes::Base *>(bases + (size_t)i * PAGE_MAX)->touch_base();
		boxes[i].touch_box(4);
		members[i].touch_member();
		inherited[i].touch_inherited();
		touch_reference(references[i]);
	}
	puts("touch_base Base serial\n"
	     "touch_box Box<long> value\n"
	     "touch_member Derived inner.weight\n"
	     "touch_inherited Derived id\n"
	     "touch_reference Box<double> value");
	return 0;
}
