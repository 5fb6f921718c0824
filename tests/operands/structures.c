// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * structures [ROUNDS]: what C programs have on the heap: trees, lists that stand in what they list,
 * tables, arrays that grow, records of which a tag says what they are, what an arena gives. Each
 * block tells of its type, for tests/operands/types.c. Prints a sum.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

static unsigned long seed = 1;

static unsigned next_random(void)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(seed >> 33);
}

/* ---------------------------------------------------------------- a tree */

struct leaf {
	struct leaf *left, *right;
	long key;
	int height;
	double weight;
};
WITNESS(struct leaf, leaf);

static int height(const struct leaf *l)
{
	return l ? l->height : 0;
}

static void measure(struct leaf *l)
{
	int a = height(l->left), b = height(l->right);

	l->height = (a > b ? a : b) + 1;
}

static struct leaf *rotate_right(struct leaf *l)
{
	struct leaf *top = l->left;

	l->left = top->right;
	top->right = l;
	measure(l);
	measure(top);
	return top;
}

static struct leaf *rotate_left(struct leaf *l)
{
	struct leaf *top = l->right;

	l->right = top->left;
	top->left = l;
	measure(l);
	measure(top);
	return top;
}

static struct leaf *balance(struct leaf *l)
{
	measure(l);
	if (height(l->left) > height(l->right) + 1) {
		if (height(l->left->left) < height(l->left->right))
			l->left = rotate_left(l->left);
		return rotate_right(l);
	}
	if (height(l->right) > height(l->left) + 1) {
		if (height(l->right->right) < height(l->right->left))
			l->right = rotate_right(l->right);
		return rotate_left(l);
	}
	return l;
}

static struct leaf *put(struct leaf *l, long key)
{
	if (!l) {
		l = MAKE(1, leaf);
		l->key = key;
		l->height = 1;
		l->weight = 0.5;
		return l;
	}
	if (key < l->key)
		l->left = put(l->left, key);
	else if (key > l->key)
		l->right = put(l->right, key);
	else
		l->weight += 1;
	return balance(l);
}

static const struct leaf *find(const struct leaf *l, long key)
{
	while (l && l->key != key)
		l = key < l->key ? l->left : l->right;
	return l;
}

static double fell(struct leaf *l)
{
	double sum;

	if (!l)
		return 0;
	sum = fell(l->left) + l->weight + fell(l->right);
	unmake(l);
	return sum;
}

/* ---------------------------------------------------------------- lists within */

struct link {
	struct link *next, *prev;
};

struct job {
	int id;
	struct link by_age;
	long cost;
	struct link by_cost;
	struct {
		unsigned done : 1, tries : 7;
		short exit;
	} state;
};
WITNESS(struct job, job);

#define JOB_OF(at, member) ((struct job *)((char *)(at)-offsetof(struct job, member)))

static void list_init(struct link *head)
{
	head->next = head->prev = head;
}

static void list_add(struct link *before, struct link *new)
{
	new->next = before;
	new->prev = before->prev;
	before->prev->next = new;
	before->prev = new;
}

static void list_drop(struct link *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
}

struct queue {
	struct link by_age, by_cost;
	unsigned n;
};
WITNESS(struct queue, queue);

static void enqueue(struct queue *q, int id)
{
	struct job *new = MAKE(1, job);
	struct link *at;

	new->id = id;
	new->cost = next_random() % 100;
	for (at = q->by_cost.next; at != &q->by_cost; at = at->next) {
		if (JOB_OF(at, by_cost)->cost >= new->cost)
			break;
	}
	list_add(at, &new->by_cost);
	list_add(&q->by_age, &new->by_age);
	q->n++;
}

static long serve(struct queue *q)
{
	struct job *job = JOB_OF(q->by_cost.next, by_cost);
	long cost = job->cost + job->id;

	job->state.done = 1;
	job->state.tries++;
	list_drop(&job->by_cost);
	list_drop(&job->by_age);
	q->n--;
	unmake(job);
	return cost;
}

/* ---------------------------------------------------------------- a table */

struct entry {
	struct entry *next;
	unsigned hash;
	unsigned hits;
	const char *key;
	struct {
		int first, last;
	} range;
};
WITNESS(struct entry, entry);
WITNESS(struct entry *, slot);

struct table {
	struct entry **slots;
	size_t n, cap;
	unsigned (*hash)(const char *key);
};
WITNESS(struct table, table);

static unsigned hash_text(const char *key)
{
	unsigned h = 2166136261U;

	while (*key)
		h = (h ^ (unsigned char)*key++) * 16777619U;
	return h;
}

static void grow(struct table *t)
{
	const size_t cap = t->cap ? 2 * t->cap : 4;
	struct entry **slots = MAKE(cap, slot);

	for (size_t i = 0; i < t->cap; i++) {
		struct entry *next;

		for (struct entry *e = t->slots[i]; e; e = next) {
			next = e->next;
			e->next = slots[e->hash % cap];
			slots[e->hash % cap] = e;
		}
	}
	if (t->slots)
		unmake(t->slots);
	t->slots = slots;
	t->cap = cap;
}

static struct entry *look_up(struct table *t, const char *key, int at)
{
	const unsigned hash = t->hash(key);
	struct entry *e;

	if (t->n >= t->cap)
		grow(t);
	for (e = t->slots[hash % t->cap]; e; e = e->next) {
		if (e->hash == hash && !strcmp(e->key, key)) {
			e->hits++;
			e->range.last = at;
			return e;
		}
	}
	e = MAKE(1, entry);
	e->hash = hash;
	e->key = key;
	e->range.first = e->range.last = at;
	e->next = t->slots[hash % t->cap];
	t->slots[hash % t->cap] = e;
	t->n++;
	return e;
}

/* ---------------------------------------------------------------- arrays */

struct point {
	double x, y;
	int tag;
};
WITNESS(struct point, point);

struct cloud {
	struct point *all;
	size_t n, cap;
	struct point low, high;
};
WITNESS(struct cloud, cloud);

static void add_point(struct cloud *c, struct point p)
{
	if (c->n == c->cap) {
		struct point *more = MAKE(c->cap ? 2 * c->cap : 4, point);

		for (size_t i = 0; i < c->n; i++)
			more[i] = c->all[i];
		if (c->all)
			unmake(c->all);
		c->all = more;
		c->cap = c->cap ? 2 * c->cap : 4;
	}
	if (!c->n || p.x < c->low.x)
		c->low = p;
	if (!c->n || p.x > c->high.x)
		c->high = p;
	c->all[c->n++] = p;
}

/* As qsort's, which is a library's. */
static void sort(struct cloud *c, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < c->n; i++) {
		struct point p = c->all[i];
		size_t j = i;

		for (; j && compare(&c->all[j - 1], &p) > 0; j--)
			c->all[j] = c->all[j - 1];
		c->all[j] = p;
	}
}

static int by_y(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return p->y < q->y ? -1 : p->y > q->y;
}

struct grid {
	int rows, cols;
	long sums[8];
	double *cells[]; /* of each row */
};
WITNESS(struct grid, grid);
WITNESS(double, cell);

static double relax(struct grid *g)
{
	double change = 0;

	for (int r = 1; r + 1 < g->rows; r++) {
		for (int c = 1; c + 1 < g->cols; c++) {
			double *cell = &g->cells[r][c];
			double new =
				(g->cells[r - 1][c] + g->cells[r + 1][c] + cell[-1] + cell[1]) / 4;

			change += new > *cell ? new - *cell : *cell - new;
			*cell = new;
			g->sums[(r + c) % 8] += new > 0.5;
		}
	}
	return change;
}

/* ---------------------------------------------------------------- tags, an arena, callbacks */

enum kind { NUMBER, SUM, PRODUCT, CALL };

struct term {
	enum kind kind;
	union {
		double number;
		struct {
			struct term *left, *right;
		} pair;
		struct {
			double (*apply)(void *ctx, double of);
			void *ctx;
			struct term *of;
		} call;
	};
};
WITNESS(struct term, term);

struct arena {
	char *at, *end;
	size_t given;
};
WITNESS(struct arena, arena);

static void *give(struct arena *a, size_t bytes)
{
	void *at = a->at;

	if ((size_t)(a->end - a->at) < bytes)
		abort();
	a->at += bytes;
	a->given++;
	return at;
}

static struct term *term_of(struct arena *a, enum kind kind)
{
	struct term *new = give(a, sizeof(*new));

	TELL(new, 1, term);
	new->kind = kind;
	return new;
}

struct scale {
	double by;
	long calls;
};
WITNESS(struct scale, scale);

static double apply_scale(void *ctx, double of)
{
	struct scale *s = ctx;

	s->calls++;
	return s->by * of;
}

static struct term *grow_term(struct arena *a, struct scale *s, int depth)
{
	struct term *t = term_of(a, depth ? (enum kind)(1 + next_random() % 3) : NUMBER);

	if (t->kind == NUMBER) {
		t->number = next_random() % 10;
	} else if (t->kind == CALL) {
		t->call.apply = apply_scale;
		t->call.ctx = s;
		t->call.of = grow_term(a, s, depth - 1);
	} else {
		t->pair.left = grow_term(a, s, depth - 1);
		t->pair.right = grow_term(a, s, depth - 1);
	}
	return t;
}

static double value_of(const struct term *t)
{
	switch (t->kind) {
	case NUMBER:
		return t->number;
	case SUM:
		return value_of(t->pair.left) + value_of(t->pair.right);
	case PRODUCT:
		return value_of(t->pair.left) * value_of(t->pair.right);
	case CALL:
		return t->call.apply(t->call.ctx, value_of(t->call.of));
	}
	return 0;
}

/* ---------------------------------------------------------------- numbers that are addresses */

enum { MARKS = 8 };

struct book {
	struct point *points[MARKS];
	uintptr_t marks[MARKS];
};
WITNESS(struct book, book);

static double read_book(const struct book *b, size_t i)
{
	return (double)((const struct scale *)b->marks[i % MARKS])->calls +
	       b->points[(i + 1) % MARKS]->y;
}

/* ---------------------------------------------------------------- all of it */

static double trees(void)
{
	struct leaf *root = NULL;
	double sum = 0;

	for (int i = 0; i < 40; i++)
		root = put(root, next_random() % 64);
	for (int i = 0; i < 64; i++) {
		const struct leaf *l = find(root, i);

		sum += l ? l->weight : 0;
	}
	return sum + fell(root);
}

static double lists(void)
{
	struct queue *q = MAKE(1, queue);
	double sum = 0;

	list_init(&q->by_age);
	list_init(&q->by_cost);
	for (int i = 0; i < 16; i++)
		enqueue(q, i);
	for (struct link *l = q->by_age.next; l != &q->by_age; l = l->next)
		sum += (double)JOB_OF(l, by_age)->cost;
	while (q->n)
		sum += (double)serve(q);
	unmake(q);
	return sum;
}

static double tables(void)
{
	static const char *const words[] = {"a", "be", "sea", "deep", "e", "effect", "gee", "ha"};
	struct table *t = MAKE(1, table);
	double sum = 0;

	t->hash = hash_text;
	for (int i = 0; i < 60; i++)
		sum += look_up(t, words[next_random() % 8], i)->range.first;
	for (size_t i = 0; i < t->cap; i++) {
		while (t->slots[i]) {
			struct entry *e = t->slots[i];

			sum += e->hits;
			t->slots[i] = e->next;
			unmake(e);
		}
	}
	unmake(t->slots);
	unmake(t);
	return sum;
}

static double clouds(void)
{
	struct cloud *c = MAKE(1, cloud);
	double sum;

	for (int i = 0; i < 20; i++)
		add_point(c, (struct point){next_random() % 50, next_random() % 50, i});
	sort(c, by_y);
	sum = c->all[0].y + c->all[c->n - 1].y + c->low.x + c->high.tag;
	for (const struct point *p = c->all; p < c->all + c->n; p++)
		sum += p->x * p->tag;
	unmake(c->all);
	unmake(c);
	return sum;
}

static double grids(void)
{
	enum { ROWS = 7, COLS = 9 };
	struct grid *g = calloc(1, sizeof(*g) + ROWS * sizeof(g->cells[0]));
	double sum = 0;

	if (!g)
		abort();
	told(g, sizeof(*g) + ROWS * sizeof(g->cells[0]), &grid_witness);
	g->rows = ROWS;
	g->cols = COLS;
	for (int r = 0; r < ROWS; r++) {
		g->cells[r] = MAKE(COLS, cell);
		g->cells[r][r] = 1;
	}
	for (int i = 0; i < 3; i++)
		sum += relax(g);
	for (int r = 0; r < ROWS; r++)
		unmake(g->cells[r]);
	unmake(g);
	return sum;
}

static double terms(void)
{
	static char room[64 * 1024];
	struct arena *a = MAKE(1, arena);
	struct scale *s = MAKE(1, scale);
	double sum;

	a->at = room;
	a->end = room + sizeof(room);
	s->by = 0.5;
	sum = value_of(grow_term(a, s, 5)) + (double)s->calls + (double)a->given;
	told(room, 0, NULL);
	unmake(s);
	unmake(a);
	return sum;
}

static double books(void)
{
	struct book *b = MAKE(1, book);
	double sum = 0;

	for (int i = 0; i < MARKS; i++) {
		struct scale *s = MAKE(1, scale);

		b->points[i] = MAKE(1, point);
		s->calls = 5;
		b->marks[i] = (uintptr_t)s;
	}
	for (int i = 0; i < 2 * MARKS; i++)
		sum += read_book(b, next_random());
	for (int i = 0; i < MARKS; i++) {
		unmake((void *)b->marks[i]);
		unmake(b->points[i]);
	}
	unmake(b);
	return sum;
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
	double sum = 0;

	for (long i = 0; i < rounds; i++)
		sum += trees() + lists() + tables() + clouds() + grids() + terms() + books();
	printf("%g\n", sum);
	return 0;
}
