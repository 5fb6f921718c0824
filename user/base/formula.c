// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is who binds closer: a choice binds least, then |, &, comparisons, sums, products
 * and signs, as in Python, whose text Intel's is. A tree of nodes in one array; nodes come after
 * those that they are made of, so it has no circles.
 */
#include "base/formula.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

enum { NODES_MAX = 4096, DEPTH_MAX = 200 };

enum kind {
	NUMBER,
	NAME,
	NEGATIVE,
	ADD = '+',
	SUBTRACT = '-',
	MULTIPLY = '*',
	DIVIDE = '/',
	LESS = '<',
	MORE = '>',
	AND = '&',
	OR = '|',
	CHOICE = '?', /* a if b else c */
	LEAST = 'm',
	MOST = 'M',
};

struct node {
	enum kind kind;
	unsigned a, b, c;
	double number;
	char *name;
};

struct formula {
	struct node *nodes;
	size_t n, cap;
	unsigned root;
};

struct parser {
	struct formula *f;
	const char *at;
	int depth;
	bool wrong;
};

static unsigned add(struct parser *p, struct node node)
{
	struct formula *f = p->f;

	p->wrong |= f->n == NODES_MAX;
	if (p->wrong) {
		free(node.name);
		return 0;
	}
	GROW(f->nodes, f->n, f->cap);
	f->nodes[f->n] = node;
	return (unsigned)f->n++;
}

/* ---- words */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == ':';
}

static size_t word_len(const char *at)
{
	size_t len = 0;

	while (is_name_char(at[len]))
		len++;
	return len;
}

static void skip_space(struct parser *p)
{
	p->at += strspn(p->at, " \t\r\n");
}

static bool take_char(struct parser *p, char c)
{
	skip_space(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip_space(p);
	if (word_len(p->at) != len || strncmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

static void expect(struct parser *p, bool met)
{
	p->wrong |= !met;
}

/* ---- the grammar */

static unsigned parse_choice(struct parser *p);

static unsigned parse_call(struct parser *p, enum kind kind)
{
	struct node node = {.kind = kind};

	expect(p, take_char(p, '('));
	node.a = parse_choice(p);
	expect(p, take_char(p, ','));
	node.b = parse_choice(p);
	expect(p, take_char(p, ')'));
	return add(p, node);
}

static unsigned parse_word(struct parser *p)
{
	size_t len = word_len(p->at);
	_cleanup_free_ char *word = xstrndup(p->at, len);
	struct node node = {.kind = NUMBER};

	p->at += len;
	expect(p, len && strcmp(word, "if") != 0 && strcmp(word, "else") != 0);
	if ((*word < '0' || *word > '9') && *word != '.')
		return add(p, (struct node){.kind = NAME, .name = TAKE_PTR(word)});
	expect(p, num__parse_f64(word, &node.number) == 0);
	return add(p, node);
}

static unsigned parse_factor(struct parser *p)
{
	unsigned ret;

	skip_space(p);
	expect(p, ++p->depth < DEPTH_MAX);
	if (p->wrong) {
		ret = 0;
	} else if (take_char(p, '-')) {
		ret = parse_factor(p);
		ret = add(p, (struct node){.kind = NEGATIVE, .a = ret});
	} else if (take_char(p, '(')) {
		ret = parse_choice(p);
		expect(p, take_char(p, ')'));
	} else if (take_word(p, "min")) {
		ret = parse_call(p, LEAST);
	} else if (take_word(p, "max")) {
		ret = parse_call(p, MOST);
	} else {
		ret = parse_word(p);
	}
	p->depth--;
	return ret;
}

/* From those that bind least to those that bind most. */
static const char levels[][3] = {"|", "&", "<>", "+-", "*/"};

static unsigned parse_level(struct parser *p, size_t level)
{
	unsigned ret = level == ARRAY_SIZE(levels) ? parse_factor(p) : parse_level(p, level + 1);

	while (level < ARRAY_SIZE(levels) && !p->wrong) {
		struct node node = {.a = ret};

		skip_space(p);
		if (!*p->at || !strchr(levels[level], *p->at))
			break;
		node.kind = (enum kind) * p->at++;
		node.b = parse_level(p, level + 1);
		ret = add(p, node);
	}
	return ret;
}

static unsigned parse_choice(struct parser *p)
{
	struct node node = {.kind = CHOICE, .a = parse_level(p, 0)};

	if (p->wrong || !take_word(p, "if"))
		return node.a;
	node.b = parse_level(p, 0);
	expect(p, take_word(p, "else") && ++p->depth < DEPTH_MAX);
	node.c = p->wrong ? 0 : parse_choice(p);
	p->depth--;
	return add(p, node);
}

static void cleanup_formula(struct formula **f)
{
	formula__free(*f);
}

int formula__parse(struct formula **ret, const char *text)
{
	_cleanup_(cleanup_formula) struct formula *f = xcalloc(1, sizeof(*f));
	struct parser p = {.f = f, .at = text};

	f->root = parse_choice(&p);
	skip_space(&p);
	if (p.wrong || *p.at)
		return -EINVAL;
	*ret = TAKE_PTR(f);
	return 0;
}

void formula__free(struct formula *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->nodes[i].name);
	free(f->nodes);
	free(f);
}

/* ---- its value */

struct evaluation {
	const struct formula *f;
	formula_value_fn *value;
	void *ctx;
	bool unknown;
};

static double eval(struct evaluation *e, unsigned at);

static double eval_two(struct evaluation *e, const struct node *n)
{
	double a = eval(e, n->a), b = eval(e, n->b);

	switch (n->kind) {
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case DIVIDE:
		e->unknown |= b == 0;
		return a / b;
	case LESS:
		return a < b;
	case MORE:
		return a > b;
	case AND:
		return a && b;
	case OR:
		return a || b;
	case LEAST:
		return fmin(a, b);
	default:
		return fmax(a, b);
	}
}

static double eval(struct evaluation *e, unsigned at)
{
	const struct node *n = &e->f->nodes[at];
	double number = 0;

	switch (n->kind) {
	case NUMBER:
		return n->number;
	case NAME:
		e->unknown |= !e->value(e->ctx, n->name, &number);
		return number;
	case NEGATIVE:
		return -eval(e, n->a);
	case CHOICE:
		return eval(e, n->b) ? eval(e, n->a) : eval(e, n->c);
	default:
		return eval_two(e, n);
	}
}

bool formula__eval(const struct formula *f, formula_value_fn *value, void *ctx, double *ret)
{
	struct evaluation e = {f, value, ctx, false};
	double number = eval(&e, f->root);

	if (e.unknown || !isfinite(number))
		return false;
	*ret = number;
	return true;
}

/* ---- its text */

/* Of a choice whose condition is a number: what is chosen. */
static const struct node *settled(const struct formula *f, unsigned at)
{
	const struct node *n = &f->nodes[at];

	while (n->kind == CHOICE && f->nodes[n->b].kind == NUMBER)
		n = &f->nodes[f->nodes[n->b].number ? n->a : n->c];
	return n;
}

static void each_name(const struct formula *f, unsigned at, void (*each)(void *, const char *),
		      void *ctx)
{
	const struct node *n = settled(f, at);

	if (n->kind == NAME)
		each(ctx, n->name);
	if (n->kind == NAME || n->kind == NUMBER)
		return;
	each_name(f, n->a, each, ctx);
	if (n->kind != NEGATIVE)
		each_name(f, n->b, each, ctx);
	if (n->kind == CHOICE)
		each_name(f, n->c, each, ctx);
}

void formula__each_name(const struct formula *f, void (*each)(void *ctx, const char *name),
			void *ctx)
{
	each_name(f, f->root, each, ctx);
}

struct writing {
	const struct formula *f;
	void (*put)(void *ctx, const char *name, struct buf *out);
	void *ctx;
	struct buf *out;
};

static void put(const struct writing *w, unsigned at);

static void put_two(const struct writing *w, const char *before, unsigned a, const char *between,
		    unsigned b)
{
	buf__puts(w->out, before);
	put(w, a);
	buf__puts(w->out, between);
	put(w, b);
}

static void put(const struct writing *w, unsigned at)
{
	const struct node *n = settled(w->f, at);
	char between[] = {' ', (char)n->kind, ' ', '\0'};

	switch (n->kind) {
	case NUMBER:
		buf__printf(w->out, "%.15g", n->number);
		return;
	case NAME:
		w->put(w->ctx, n->name, w->out);
		return;
	case NEGATIVE:
		buf__puts(w->out, "(-");
		put(w, n->a);
		break;
	case CHOICE:
		put_two(w, "(", n->a, " if ", n->b);
		buf__puts(w->out, " else ");
		put(w, n->c);
		break;
	case LEAST:
	case MOST:
		put_two(w, n->kind == LEAST ? "min(" : "max(", n->a, ", ", n->b);
		break;
	default:
		put_two(w, "(", n->a, between, n->b);
		break;
	}
	buf__putc(w->out, ')');
}

void formula__put(const struct formula *f, void (*put_name)(void *, const char *, struct buf *),
		  void *ctx, struct buf *out)
{
	const struct writing w = {f, put_name, ctx, out};

	put(&w, f->root);
}
