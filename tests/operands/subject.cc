// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * subject [N [ROUNDS]]: what C++ programs have on the heap: containers, classes with bases and
 * virtual functions, smart pointers, templates. Each block tells of its type, for
 * tests/operands/types.c.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "told.h"

/* A pointer by whose type the block is known. */
template <typename T> struct Witness {
	static T *pointer;
};
template <typename T> T *Witness<T>::pointer;

template <typename T> struct Told {
	using value_type = T;
	Told() = default;
	template <typename U> Told(const Told<U> &)
	{
	}
	T *allocate(std::size_t n)
	{
		T *p = static_cast<T *>(::operator new(n * sizeof(T)));

		told(p, n * sizeof(T), &Witness<T>::pointer);
		return p;
	}
	void deallocate(T *p, std::size_t)
	{
		told(p, 0, nullptr);
		::operator delete(p);
	}
	bool operator==(const Told &) const
	{
		return true;
	}
	bool operator!=(const Told &) const
	{
		return false;
	}
};

/* Of an object that was made by new, of the class that it is. */
template <typename T> T *said(T *p, std::size_t n = 1)
{
	told(p, n * sizeof(T), &Witness<T>::pointer);
	return p;
}

struct Vec {
	double x, y, z;
	Vec &operator+=(const Vec &o)
	{
		x += o.x;
		y += o.y;
		z += o.z;
		return *this;
	}
};

struct Body {
	Vec pos, vel;
	double mass;
	int charge;
};

using Bodies = std::vector<Body, Told<Body>>;
typedef std::map<int, Body, std::less<int>, Told<std::pair<const int, Body>>> Atlas;
using Index = std::unordered_map<long, Body *, std::hash<long>, std::equal_to<long>,
				 Told<std::pair<const long, Body *>>>;

/* Words by name, and what may be there. */
struct Finding {
	std::optional<Vec> where;
	long hits = 0;
};
using Findings = std::map<std::string, Finding, std::less<std::string>,
			  Told<std::pair<const std::string, Finding>>>;
using Maybes = std::vector<std::optional<Body>, Told<std::optional<Body>>>;

struct Shape {
	long id = 1;
	explicit Shape(long i) : id(i)
	{
	}
	virtual ~Shape() = default;
	virtual double area() const = 0;
	virtual void grow(double by) = 0;
	long number() const
	{
		return id;
	}
};

struct Named {
	std::string name;
	long hits = 0;
	virtual ~Named() = default;
	virtual void hit()
	{
		hits++;
	}
};

class Circle : public Shape
{
      public:
	explicit Circle(double r) : Shape(2), radius(r)
	{
	}
	double area() const override
	{
		return 3.14 * radius * radius;
	}
	void grow(double by) override
	{
		radius += by;
		id++;
	}

      private:
	double radius;
};

class Box : public Shape, public Named
{
      public:
	Box(double a, double b) : Shape(3), w(a), h(b)
	{
		name = "box";
	}
	double area() const override
	{
		return w * h;
	}
	void grow(double by) override
	{
		w += by;
		h += by;
		id += 2;
	}
	void hit() override
	{
		hits += 2;
		w += 1;
	}

      private:
	double w, h;
};

template <typename K, typename V> struct Entry {
	K key;
	V value;
	Entry *next;
};

template <typename K, typename V> class Table
{
      public:
	Table() : n_(0), heads_(said(new Entry<K, V> *[64](), 64))
	{
	}
	~Table()
	{
		for (int i = 0; i < 64; i++) {
			while (Entry<K, V> *e = heads_[i]) {
				heads_[i] = e->next;
				told(e, 0, nullptr);
				delete e;
			}
		}
		told(heads_, 0, nullptr);
		delete[] heads_;
	}
	V &operator[](const K &key)
	{
		Entry<K, V> *&head = heads_[static_cast<std::size_t>(key) % 64];

		for (Entry<K, V> *e = head; e; e = e->next) {
			if (e->key == key)
				return e->value;
		}
		head = said(new Entry<K, V>{key, V(), head});
		n_++;
		return head->value;
	}
	std::size_t size() const
	{
		return n_;
	}

      private:
	std::size_t n_;
	Entry<K, V> **heads_;
};

#define WORK __attribute__((noinline))

static long many = 50;

WORK static void move_all(Bodies &all, double dt)
{
	for (Body &b : all) {
		b.pos += Vec{b.vel.x * dt, b.vel.y * dt, b.vel.z * dt};
		b.charge++;
	}
}

WORK static double energy(const Bodies &all)
{
	double sum = 0;

	for (std::size_t i = 0; i < all.size(); i++)
		sum += all[i].mass * all[i].vel.x * all[i].vel.x;
	return sum;
}

WORK static double of_atlas(Atlas &atlas)
{
	double sum = 0;

	for (int i = 0; i < many; i++)
		atlas[i * 7 % 61].mass = i;
	for (auto &[key, body] : atlas) {
		body.charge += key;
		sum += body.mass;
	}
	if (auto it = atlas.find(7); it != atlas.end())
		sum += it->second.pos.x;
	return sum;
}

WORK static double of_index(Index &index, Bodies &bodies)
{
	double sum = 0;

	for (std::size_t i = 0; i < bodies.size(); i++)
		index[static_cast<long>(i) * 977] = &bodies[i];
	for (auto &e : index)
		sum += e.second->mass + static_cast<double>(e.first);
	for (long i = 0; i < many; i++) {
		auto it = index.find(i * 977);

		if (it != index.end())
			it->second->vel.y += 1;
	}
	return sum;
}

WORK static double of_shapes(std::vector<Shape *, Told<Shape *>> &shapes)
{
	double sum = 0;

	for (Shape *s : shapes) {
		s->grow(2);
		sum += s->area() + static_cast<double>(s->number());
	}
	return sum;
}

WORK static long of_named(Named &n)
{
	n.hit();
	return n.hits;
}

WORK static void shift(std::unique_ptr<Body> &body, const Vec &by)
{
	body->pos += by;
	body->mass *= 2;
}

WORK static double of_shared(const std::shared_ptr<Body> &body)
{
	std::shared_ptr<Body> mine = body;

	mine->vel.z += 1;
	return mine->mass;
}

WORK static double of_array(Body *all, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		all[i].mass = i;
		all[i].vel = Vec{1, 2, 3};
		sum += all[i].pos.y;
	}
	return sum;
}

WORK static long of_strings(std::vector<std::string, Told<std::string>> &words)
{
	long n = 0;

	std::sort(words.begin(), words.end());
	for (const std::string &w : words)
		n += static_cast<long>(w.size());
	return n;
}

WORK static double of_list(std::list<Body, Told<Body>> &list)
{
	double sum = 0;

	for (Body &b : list) {
		b.charge++;
		sum += b.mass;
	}
	return sum;
}

WORK static double of_deque(std::deque<Vec, Told<Vec>> &queue)
{
	double sum = 0;

	while (queue.size() < static_cast<std::size_t>(2 * many))
		queue.push_back(Vec{1, 2, 3});
	for (Vec &v : queue)
		sum += v.y;
	queue.pop_front();
	return sum;
}

WORK static long of_table(Table<long, Vec> &table)
{
	for (long i = 0; i < 2 * many; i++)
		table[i * 3].x += 1;
	return static_cast<long>(table.size());
}

WORK static double of_maybes(Maybes &all)
{
	double sum = 0;

	for (auto &one : all) {
		if (!one)
			continue;
		one->mass += 1;
		sum += one->pos.x;
	}
	return sum;
}

WORK static double of_findings(Findings &all, const Bodies &bodies)
{
	double sum = 0;

	for (std::size_t i = 0; i < bodies.size(); i++) {
		Finding &f = all["word " + std::to_string(i * 37 % 50)];

		f.hits++;
		f.where = bodies[i].pos;
	}
	for (auto &[word, f] : all)
		sum += f.where->y + static_cast<double>(word.size());
	return sum;
}

WORK static void by_mass(Bodies &all)
{
	std::sort(all.begin(), all.end(),
		  [](const Body &a, const Body &b) { return a.charge % 7 < b.charge % 7; });
}

WORK static void with_function(Bodies &all, const std::function<void(Body &)> &f)
{
	for (Body &b : all)
		f(b);
}

WORK static void numbers(std::vector<double, Told<double>> &v, std::vector<int, Told<int>> &w)
{
	for (std::size_t i = 0; i < v.size(); i++)
		v[i] += w[i];
	v.push_back(1);
	w.push_back(2);
}

int main(int argc, char **argv)
{
	long rounds = 4;

	if (argc > 1)
		many = strtol(argv[1], nullptr, 10);
	if (argc > 2)
		rounds = strtol(argv[2], nullptr, 10);

	Bodies bodies;
	Atlas atlas;
	Index index;
	Table<long, Vec> table;
	std::vector<Shape *, Told<Shape *>> shapes;
	std::vector<std::string, Told<std::string>> words;
	std::list<Body, Told<Body>> list;
	std::deque<Vec, Told<Vec>> queue;
	std::vector<double, Told<double>> v(50);
	std::vector<int, Told<int>> w(50);
	std::set<long, std::less<long>, Told<long>> set;
	Findings findings;
	Maybes maybes;
	double sum = 0;

	for (int i = 0; i < many; i++) {
		bodies.push_back(Body{{1, 2, 3}, {4, 5, 6}, 1.0 * i, i * 31});
		list.push_back(bodies.back());
		maybes.push_back(i % 3 ? std::optional<Body>(bodies.back()) : std::nullopt);
		words.push_back("a word of more than sixteen bytes " + std::to_string(i * 37 % 50));
		set.insert(i * 17 % 50);
		if (i % 2)
			shapes.push_back(said(new Circle(i)));
		else
			shapes.push_back(said(new Box(i, 2)));
	}
	Box *box = said(new Box(1, 2));
	Body *array = said(new Body[20](), 20);
	std::unique_ptr<Body> unique(said(new Body()));
	std::shared_ptr<Body> shared = std::allocate_shared<Body>(Told<Body>());
	for (long round = 0; round < rounds; round++) {
		move_all(bodies, .5);
		sum += energy(bodies) + of_atlas(atlas) + of_index(index, bodies);
		sum += of_shapes(shapes) + static_cast<double>(of_named(*box));
		shift(unique, bodies[3].vel);
		sum += of_shared(shared) + of_array(array, 20);
		sum += static_cast<double>(of_strings(words) + of_table(table));
		sum += of_list(list) + of_deque(queue);
		sum += of_maybes(maybes) + of_findings(findings, bodies);
		for (long k : set)
			sum += static_cast<double>(k);
		by_mass(bodies);
		index.clear();
		with_function(bodies, [&](Body &b) { sum += b.pos.z; });
		numbers(v, w);
	}
	printf("%g\n", sum);
	return 0;
}
