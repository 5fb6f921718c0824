// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The expressions are a stranger's: what refers back or counts costs regcomp() and regexec() any
 * time and memory, and so do many nested plus signs. pprof's own (RE2) need none of them.
 */
#include "prof/prune.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/copy.h"

enum { PATTERN_MAX = 4096, PLUSES_MAX = 8, NAME_MAX_BYTES = 4096 };

struct pruner {
	const struct prof *p;
	regex_t drop, keep;
	bool has_drop, has_keep;
	uint8_t *functions;  /* 1: stays, 2: goes; 0: not asked yet */
	uint32_t *locations; /* lines that go, from the innermost, + 1; 0: not asked yet */
	struct prof_copier copier;
};

static void pruner__done(struct pruner *x)
{
	if (x->has_drop)
		regfree(&x->drop);
	if (x->has_keep)
		regfree(&x->keep);
	free(x->functions);
	free(x->locations);
	prof_copier__done(&x->copier);
}

static bool is_bearable(const char *pattern)
{
	size_t pluses = 0;

	for (const char *c = pattern; *c; c++) {
		pluses += *c == '+';
		if (*c == '{' || (*c == '\\' && c[1] >= '0' && c[1] <= '9'))
			return false;
	}
	return pluses <= PLUSES_MAX && strlen(pattern) <= PATTERN_MAX;
}

static int compile(regex_t *ret, const char *what, const char *pattern, struct err *err)
{
	_cleanup_free_ char *whole = xasprintf("^(%s)$", pattern);

	if (is_bearable(pattern) && regcomp(ret, whole, REG_EXTENDED | REG_NOSUB) == 0)
		return 0;
	return err__set(err, -EINVAL,
			"the profile's %s is not a regular expression that pmubpf takes (no {, no "
			"references back, at most %d +); all frames stay",
			what, PLUSES_MAX);
}

/* Without parameters: "operator new(unsigned long)" is "operator new". */
static void simplify(const char *name, struct buf *out)
{
	static const char *const reserved[] = {"(anonymous namespace)", "operator()"};
	const char *start = name[0] == '.' ? name + 1 : name, *c = start;

	while (*c && *c != '(' && c - start < NAME_MAX_BYTES) {
		size_t skip = 1;

		for (size_t i = 0; i < ARRAY_SIZE(reserved); i++) {
			if (strncmp(c, reserved[i], strlen(reserved[i])) == 0)
				skip = strlen(reserved[i]);
		}
		c += skip;
		if (strncmp(c, reserved[0], strlen(reserved[0])) == 0)
			c += strlen(reserved[0]);
	}
	buf__add(out, start, (size_t)(c - start));
	buf__putc(out, '\0');
}

static bool function_goes(struct pruner *x, uint32_t function)
{
	uint8_t *known = &x->functions[function];
	uint32_t name = prof__function_name(x->p, function);

	if (!*known) {
		_cleanup_(buf__done) struct buf text = {0};

		simplify(prof__text(x->p, name), &text);
		*known = name && regexec(&x->drop, text.data, 0, NULL, 0) == 0 &&
					 (!x->has_keep ||
					  regexec(&x->keep, text.data, 0, NULL, 0) != 0) ?
				 2 :
				 1;
	}
	return *known == 2;
}

/* How many of its lines go, from the innermost. */
static uint32_t lines_that_go(struct pruner *x, uint32_t location)
{
	const struct prof_location *l = &x->p->locations[location];
	uint32_t *known = &x->locations[location];

	if (!*known) {
		uint32_t n = l->n_lines;

		while (n && !function_goes(x, x->p->lines[l->first_line + n - 1].function))
			n--;
		*known = n + 1;
	}
	return *known - 1;
}

/* Where the stack begins: under the outermost location that goes, or with the one of which a part
 * does. What is outside of the first that stays whole is never taken away. */
static size_t first_that_stays(struct pruner *x, const uint32_t *stack, size_t n)
{
	bool any = false;

	for (size_t at = n; at; at--) {
		uint32_t lines = lines_that_go(x, stack[at - 1]);

		if (lines && any)
			return lines == x->p->locations[stack[at - 1]].n_lines ? at : at - 1;
		any |= !lines;
	}
	return 0;
}

/* Inlined calls go wherever their location is, as pprof does it. */
static uint32_t pruned_stack(struct pruner *x, uint32_t stack)
{
	const uint32_t *from;
	size_t n = prof__stack_locations(x->p, stack, &from);
	size_t first = first_that_stays(x, from, n);
	_cleanup_free_ uint32_t *to = xcalloc(n, sizeof(*to));

	for (size_t i = first; i < n; i++) {
		uint32_t lines = lines_that_go(x, from[i]);

		if (lines == x->p->locations[from[i]].n_lines)
			lines = 0;
		to[i] = prof_copier__location(&x->copier, from[i], lines, UINT32_MAX);
	}
	return prof__stack(x->copier.to, to + first, n - first);
}

static struct prof *prune(struct pruner *x)
{
	const struct prof *p = x->p;
	struct prof *result = prof__new();

	prof_copier__init(&x->copier, result);
	prof_copier__from(&x->copier, p);
	prof_copier__types(&x->copier);
	for (size_t i = 0; i < p->n_samples; i++) {
		uint32_t stack = pruned_stack(x, p->samples[i].stack);
		uint32_t labels = prof_copier__labels(&x->copier, p->samples[i].labels);

		prof_copier__sample(&x->copier, i, stack, labels);
	}
	prof_copier__head(&x->copier);
	return result;
}

int prof__prune(struct prof **p, struct err *err)
{
	_cleanup_(pruner__done) struct pruner x = {.p = *p};
	struct prof *result;
	int r;

	if (!x.p->drop_frames)
		return 0;
	r = compile(&x.drop, "drop_frames", prof__text(x.p, x.p->drop_frames), err);
	x.has_drop = r == 0;
	if (r == 0 && x.p->keep_frames) {
		r = compile(&x.keep, "keep_frames", prof__text(x.p, x.p->keep_frames), err);
		x.has_keep = r == 0;
	}
	if (r < 0)
		return r;
	x.functions = xcalloc(x.p->n_functions, sizeof(*x.functions));
	x.locations = xcalloc(x.p->n_locations, sizeof(*x.locations));
	result = prune(&x);
	prof__free(*p);
	*p = result;
	return 0;
}
