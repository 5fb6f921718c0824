// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * overloads [N=100]: functions of C++ that have to be named.
 *
 * Known answer: calls of each, for N.
 *
 *	plain(int)                                N
 *	ns::f(int)                                N, ns::f(char const*) 2 N
 *	ns::once<int>(int)                        3 N
 *	ns::twice<int>(int)                       N, ns::twice<long>(long) 2 N
 *	ns::(anonymous namespace)::hidden(int)    N
 *	ns::C::C(int)                             N: C1 and C2 are one function
 *	ns::C::~C()                               N of D0, which is another function than D1 and D2
 *	ns::C::get(int) const                     2 N
 *	ns::C::operator()(int)                    N
 *	ns::C::operator+(int)                     3 N
 *	ns::V::V(int)                             N of C1, 2 N of C2, which are two functions
 */
#include <cstdio>
#include <cstdlib>

#define FN __attribute__((noipa))

FN int plain(int x)
{
	return x + 1;
}

namespace ns
{

FN int f(int x)
{
	return x + 2;
}

FN int f(const char *x)
{
	return x[0];
}

template <typename T> FN int once(T x)
{
	return (int)x + 3;
}

template <typename T> FN int twice(T x)
{
	return (int)x + (int)sizeof(x);
}

namespace
{

FN int hidden(int x)
{
	return x + 4;
}

} // namespace

struct C {
	int n;
	FN C(int x) : n(x)
	{
	}
	FN virtual ~C()
	{
		n = 0;
	}
	FN int get(int x) const
	{
		return n + x;
	}
	FN int operator()(int x)
	{
		return n - x;
	}
	FN int operator+(int x)
	{
		return n * x;
	}
};

struct Base {
	int b = 1;
};

struct V : virtual Base {
	int v;
	FN V(int x) : v(x)
	{
	}
};

struct W : V {
	FN W(int x) : V(x)
	{
	}
};

} // namespace ns

int main(int argc, char **argv)
{
	const int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
	long sum = 0;

	for (int i = 0; i < n; i++) {
		ns::C *c = new ns::C(i);
		ns::V v(i);
		ns::W w(i), w2(i);

		sum += plain(i) + ns::f(i) + ns::f("a") + ns::f("b") + ns::hidden(i);
		sum += ns::once(i) + ns::once(1) + ns::once(2);
		sum += ns::twice(i) + ns::twice(1L) + ns::twice(2L);
		sum += c->get(1) + c->get(2) + (*c)(1) + (*c + 1) + (*c + 2) + (*c + 3);
		sum += v.v + w.v + w2.b;
		delete c;
	}
	printf("sum %ld\n", sum);
	return 0;
}
