// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a large file has hundreds of thousands of names, and demangling one takes
 * microseconds. So one word of the name is looked for in the string table as a whole, and only what
 * has it is demangled. Of names that are near there is no such word: all are, within a turn.
 */
#include "symd/elf_found.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/text.h"
#include "symd/demangle.h"
#include "symd/turn.h"
#include "symd/written_name.h"

enum { STARTS_MAX = 64 /* addresses of functions of one name that are told apart */ };

struct finder {
	struct written_name name;
	enum written_fit best;
	uint64_t starts[STARTS_MAX];
	struct buf whole;
	struct elf_found *ret;
	uint64_t end; /* of the turn */
};

/* Code that is one function's, and bears its name, too. */
static bool is_piece(const char *name, size_t len)
{
	static const char cold[] = ".cold", part[] = ".part.";

	return memmem(name, len, cold, sizeof(cold) - 1) ||
	       memmem(name, len, part, sizeof(part) - 1);
}

static void clear_called(struct elf_called *called, size_t *n)
{
	while (*n) {
		free(called[--*n].linker);
		free(called[*n].written);
	}
}

static bool is_known(const struct finder *f, uint64_t start)
{
	for (size_t i = 0; i < f->ret->n && i < STARTS_MAX; i++) {
		if (f->starts[i] == start)
			return true;
	}
	return false;
}

static void take(struct finder *f, const struct elf_symbol *symbol, const char *name, size_t len)
{
	struct elf_found *ret = f->ret;

	if (is_known(f, symbol->start))
		return;
	if (ret->n < STARTS_MAX)
		f->starts[ret->n] = symbol->start;
	if (!ret->n++)
		ret->where = (struct elf_function){symbol->start, symbol->end, symbol->chooses};
	if (ret->n_called == SYMD_CALLED_MAX)
		return;
	ret->called[ret->n_called++] = (struct elf_called){
		.linker = xstrndup(name, len),
		.written = xstrdup(f->whole.data),
	};
}

static bool compare(void *ctx, const struct elf_symbol *symbol, const char *name, size_t len)
{
	struct finder *f = ctx;
	enum written_fit fit;

	if (is_piece(name, len) || !written_name__may_be(&f->name, name, len))
		return true;
	if (turn__is_over(f->end))
		return false;
	buf__clear(&f->whole);
	demangle_whole(name, len, &f->whole);
	fit = f->whole.len ? written_name__fit(&f->name, f->whole.data) : WRITTEN_ANOTHER;
	if (fit > f->best) {
		f->best = fit;
		f->ret->n = 0;
		clear_called(f->ret->called, &f->ret->n_called);
	}
	if (fit != WRITTEN_ANOTHER && fit == f->best)
		take(f, symbol, name, len);
	return true;
}

/* Static functions of several sources, as a rule. */
static bool is_one_name(const struct elf_found *found)
{
	for (size_t i = 1; i < found->n_called; i++) {
		if (strcmp(found->called[i].linker, found->called[0].linker) != 0)
			return false;
	}
	return true;
}

static void find_written(struct elf_file *elf, const char *name, size_t len, struct elf_found *ret)
{
	struct finder f = {.ret = ret, .end = turn__end()};
	bool all = true;

	written_name__init(&f.name, name, len);
	if (f.name.key.len)
		all = elf_names__each(elf_file__names(elf), f.name.rare, strlen(f.name.rare),
				      compare, &f);
	if (!all && ret->n < 2)
		ret->status = SYMD_SITE_TOO_MANY;
	else if (ret->n)
		ret->status = ret->n == 1 ? SYMD_SITE_FOUND : SYMD_SITE_SEVERAL;
	if (ret->n > 1 && is_one_name(ret))
		clear_called(ret->called, &ret->n_called);
	written_name__done(&f.name);
	buf__done(&f.whole);
}

/* Goroutines leave a thread inside of a function and go on on another, and their stacks move. C
 * functions in the same file have no dot in their names. */
static bool is_of_go(struct elf_file *elf, const char *linker)
{
	uint64_t addr;
	size_t len;

	elf_file__section(elf, ".note.go.buildid", &len, &addr);
	return len && strchr(linker, '.');
}

/* Go's own table, which profiles of stripped programs have names of, leaves out what types a
 * function is made for, and so do its traces: main.Sum[...] is main.Sum[go.shape.int_0]. */
struct go_finder {
	const char *name;
	size_t len;
	const char *open; /* the bracket in the name */
	struct elf_found *ret;
};

static bool compare_go(void *ctx, const struct elf_symbol *symbol, const char *name, size_t len)
{
	struct go_finder *g = ctx;
	const size_t front = (size_t)(g->open - g->name) + 1, end = strlen("...]");
	const size_t behind = g->len - front - end;
	struct elf_found *ret = g->ret;

	if (len < g->len || memcmp(name, g->name, front) != 0 ||
	    memcmp(name + len - behind, g->open + 1 + end, behind) != 0 ||
	    name[len - behind - 1] != ']')
		return true;
	if (!ret->n++)
		ret->where = (struct elf_function){symbol->start, symbol->end, symbol->chooses};
	if (ret->n_called < SYMD_CALLED_MAX)
		ret->called[ret->n_called++].linker = xstrndup(name, len);
	return true;
}

static void find_go(struct elf_file *elf, const char *name, size_t len, struct elf_found *ret)
{
	struct go_finder g = {.name = name, .len = len, .ret = ret};

	g.open = memmem(name, len, "[...]", strlen("[...]"));
	if (!g.open || !elf_names__each(elf_file__names(elf), name, (size_t)(g.open - name) + 1,
					compare_go, &g))
		return;
	if (ret->n)
		ret->status = ret->n == 1 ? SYMD_SITE_FOUND : SYMD_SITE_SEVERAL;
}

void elf_found__find(struct elf_file *elf, const char *name, size_t len, struct elf_found *ret)
{
	*ret = (struct elf_found){.status = SYMD_SITE_NO_FUNCTION};
	ret->n = elf_file__function_named(elf, name, len, &ret->where);
	if (ret->n)
		ret->status = ret->n == 1 ? SYMD_SITE_FOUND : SYMD_SITE_SEVERAL;
	else
		find_written(elf, name, len, ret);
	if (ret->status == SYMD_SITE_NO_FUNCTION)
		find_go(elf, name, len, ret);
	if (ret->status == SYMD_SITE_NO_FUNCTION && elf_file__uses(elf, name, len))
		ret->status = SYMD_SITE_ELSEWHERE;
	if (ret->status == SYMD_SITE_FOUND && !ret->n_called)
		ret->called[ret->n_called++].linker = xstrndup(name, len);
	if (ret->status == SYMD_SITE_FOUND)
		ret->of_go = is_of_go(elf, ret->called[0].linker);
	if (ret->status == SYMD_SITE_FOUND && ret->where.chooses)
		ret->status = SYMD_SITE_CHOOSES;
}

/* What calls another file's has the name of that. */
static bool find_symbol(struct elf_file *elf, uint64_t vaddr, struct elf_found *ret)
{
	_cleanup_(buf__done) struct buf whole = {0};
	struct elf_name symbol;

	if (!elf_file__find(elf, vaddr, &symbol) || symbol.plt)
		return false;
	ret->where = (struct elf_function){.start = symbol.start, .end = symbol.end};
	demangle_whole(symbol.name, symbol.len, &whole);
	ret->called[ret->n_called++] = (struct elf_called){
		.linker = xstrndup(symbol.name, symbol.len),
		.written = whole.len ? xstrdup(whole.data) : NULL,
	};
	return true;
}

void elf_found__at(struct elf_file *elf, uint64_t vaddr, struct elf_found *ret)
{
	*ret = (struct elf_found){.status = SYMD_SITE_NO_FUNCTION};
	if (!find_symbol(elf, vaddr, ret) &&
	    !elf_file__function(elf, vaddr, &ret->where.start, &ret->where.end))
		return;
	ret->status = SYMD_SITE_FOUND;
	ret->n = 1;
	ret->of_go = ret->n_called && is_of_go(elf, ret->called[0].linker);
}

void elf_found__done(struct elf_found *found)
{
	clear_called(found->called, &found->n_called);
}

/* ---- near ones */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct near_finder {
	const char *wanted; /* without what needs not be written */
	const char *own;    /* the last part of it */
	struct nearest nearest;
	struct buf text, shorter;
	uint64_t end;
};

/* f of ns::f, and of Go's main.(*T).f */
static const char *own_name(const char *text)
{
	const char *own = text, *dot = strrchr(text, '.');

	for (const char *at = text; (at = strstr(at, "::")); at += 2)
		own = at[2] ? at + 2 : own;
	return own == text && dot && is_letter(dot[1]) ? dot + 1 : own;
}

/* 0: it is the end of another; the furthest: the same function of something else. */
static void offer(struct near_finder *f, const char *shorter, const char *linker)
{
	const size_t len = strlen(shorter), n = strlen(f->wanted);

	if (len > n + 2 && strcmp(shorter + len - n, f->wanted) == 0 && shorter[len - n - 1] == ':')
		nearest__offer_at(&f->nearest, 0, linker);
	else
		nearest__offer(&f->nearest, shorter, linker);
	if (strcmp(own_name(shorter), f->own) == 0)
		nearest__offer_at(&f->nearest, f->nearest.limit, linker);
}

static bool look_at(void *ctx, const struct elf_symbol *symbol, const char *name, size_t len)
{
	_cleanup_free_ char *linker = NULL;
	struct near_finder *f = ctx;

	(void)symbol;
	if (len > WRITTEN_NAME_MAX || is_piece(name, len))
		return true;
	linker = xstrndup(name, len);
	buf__clear(&f->text);
	buf__clear(&f->shorter);
	demangle(name, len, &f->text);
	written_name__put_short(&f->shorter, f->text.data);
	offer(f, f->shorter.data, linker);
	return !turn__is_over(f->end);
}

/* "f(int) const": f */
static char *without_parameters(const char *name, size_t len)
{
	char *text = xstrndup(name, len), *open = strchr(text, '(');

	if (open && open != text && !starts_with(open, "(anonymous") &&
	    !ends_with(text, "operator()"))
		*open = '\0';
	return text;
}

void elf_near__find(struct elf_file *elf, const char *name, size_t len, struct elf_near *ret)
{
	_cleanup_free_ char *wanted = without_parameters(name, len);
	struct near_finder f = {.end = turn__end()};
	struct buf shorter = {0};

	*ret = (struct elf_near){0};
	written_name__put_short(&shorter, wanted);
	f.wanted = shorter.data;
	f.own = own_name(f.wanted);
	nearest__init(&f.nearest, f.wanted);
	if (shorter.len)
		elf_names__each(elf_file__names(elf), NULL, 0, look_at, &f);
	for (size_t i = 0; i < f.nearest.n; i++) {
		const char *linker = f.nearest.best[i].shown;

		buf__clear(&f.text);
		demangle_whole(linker, strlen(linker), &f.text);
		ret->distance[ret->n] = f.nearest.best[i].distance;
		ret->called[ret->n++] = (struct elf_called){xstrdup(linker), xstrdup(f.text.data)};
	}
	nearest__done(&f.nearest);
	buf__done(&f.text);
	buf__done(&f.shorter);
	buf__done(&shorter);
}

void elf_near__done(struct elf_near *near)
{
	clear_called(near->called, &near->n);
}
