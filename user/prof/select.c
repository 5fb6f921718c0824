// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each frame is matched once, however many stacks it is a part of. A stack may be cut within a
 * location, between a function and one that was inlined into it.
 */
#include "prof/select.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/copy.h"
#include "prof/frames.h"
#include "prof/sharing.h"

struct matcher {
	const char *name;
	regex_t regex;
	bool wanted, is_regex;
	uint8_t *known; /* per number of a frame: 0 not yet, 1 no, 2 yes */
};

struct selecting {
	const struct prof *p;
	const struct selection *s;
	struct matcher focus, ignore, callers, callees;
	struct prof_frames frames;
	struct prof_copier copier;
	struct prof *result;
	bool *keep; /* types */
	bool found; /* the function of callers or callees */
};

static void matcher__done(struct matcher *m)
{
	if (m->wanted && m->is_regex)
		regfree(&m->regex);
	free(m->known);
}

static void selecting__done(struct selecting *x)
{
	matcher__done(&x->focus);
	matcher__done(&x->ignore);
	matcher__done(&x->callers);
	matcher__done(&x->callees);
	prof_frames__done(&x->frames);
	prof_copier__done(&x->copier);
	free(x->keep);
	prof__free(x->result);
}

static int matcher__init(struct matcher *m, const struct prof *p, const char *text, bool is_regex,
			 struct err *err)
{
	char reason[128];
	int r;

	if (!text)
		return 0;
	m->name = text;
	if (is_regex) {
		r = regcomp(&m->regex, text, REG_EXTENDED | REG_NOSUB);
		if (r) {
			regerror(r, &m->regex, reason, sizeof(reason));
			return err__usage(err, "'%s' is not a regular expression: %s", text,
					  reason);
		}
	}
	m->is_regex = is_regex;
	m->wanted = true;
	m->known = xcalloc(p->n_lines + p->n_locations, 1);
	return 0;
}

/* "work" is work, work(int), work<char>(char); "[libz.so.1]" all of a file that has no names. */
static bool is_name(const char *text, const char *name)
{
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 &&
	       (!text[len] || text[len] == '(' || text[len] == '<' ||
		(*name == '[' && text[len] == '+'));
}

static bool matches(struct matcher *m, const struct prof *p, const struct prof_frame *frame)
{
	uint8_t *known = &m->known[frame->number];

	if (!*known) {
		_cleanup_(buf__done) struct buf text = {0};
		bool yes;

		prof_frame__text(frame, p, false, &text);
		buf__putc(&text, '\0');
		yes = m->is_regex ? regexec(&m->regex, text.data, 0, NULL, 0) == 0 :
				    is_name(text.data, m->name);
		*known = yes ? 2 : 1;
	}
	return *known == 2;
}

static bool any_matches(struct selecting *x, struct matcher *m)
{
	for (size_t i = 0; i < x->frames.n; i++) {
		if (matches(m, x->p, &x->frames.list[i]))
			return true;
	}
	return false;
}

/*
 * An empty text and the number 0 are the same bytes. It is a number if others of the key are; of
 * these keys always.
 */
static bool is_empty_text(const struct prof *p, const struct prof_label *label)
{
	static const char *const numbers[] = {"pid", "tid", "cpu", "numa_node"};

	if (label->text || label->number || label->unit)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(prof__text(p, label->key), numbers[i]) == 0)
			return false;
	}
	return label->key >= p->n_number_keys || !p->number_keys[label->key];
}

char *prof_label__value(const struct prof *p, const struct prof_label *label)
{
	const char *unit = prof__text(p, label->unit);

	if (label->text)
		return xstrdup(prof__text(p, label->text));
	if (is_empty_text(p, label))
		return xstrdup("");
	if (strcmp(unit, "address") == 0 || strcmp(unit, "hex") == 0)
		return xasprintf("0x%" PRIx64, (uint64_t)label->number);
	return xasprintf("%" PRId64 "%s%s", label->number, *unit ? " " : "", unit);
}

static bool has_label(const struct prof *p, uint32_t labels, const char *key, const char *value)
{
	const struct prof_label *set;
	size_t n = prof__label_set(p, labels, &set);

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = NULL;

		if (strcmp(prof__text(p, set[i].key), key) != 0)
			continue;
		text = prof_label__value(p, &set[i]);
		if (strcmp(text, value) == 0)
			return true;
	}
	return false;
}

static bool labels_fit(const struct selecting *x, uint32_t labels)
{
	for (size_t i = 0; i < x->s->n_labels; i++) {
		const char *key = x->s->labels[i].key;
		bool any = false;

		for (size_t k = 0; k < x->s->n_labels && !any; k++)
			any = strcmp(x->s->labels[k].key, key) == 0 &&
			      has_label(x->p, labels, key, x->s->labels[k].value);
		if (!any)
			return false;
	}
	return true;
}

/* The part [*from, *to) of the frames; false: the function isn't in them. */
static bool cut(struct selecting *x, size_t *from, size_t *to)
{
	bool found = false;

	*from = 0;
	*to = x->frames.n;
	for (size_t i = 0; x->callees.wanted && i < x->frames.n; i++) {
		if (matches(&x->callees, x->p, &x->frames.list[i])) {
			*to = i + 1;
			found = true;
		}
	}
	for (size_t i = 0; x->callers.wanted && !found && i < x->frames.n; i++) {
		if (matches(&x->callers, x->p, &x->frames.list[i])) {
			*from = i;
			found = true;
		}
	}
	x->found |= found;
	return found || !(x->callees.wanted || x->callers.wanted);
}

/* The frames [from, to) as a stack of the result: those of one location stand together. */
static uint32_t cut_stack(struct selecting *x, size_t from, size_t to)
{
	const struct prof_frame *f = x->frames.list;
	_cleanup_free_ uint32_t *stack = xcalloc(to - from, sizeof(*stack));
	size_t n = 0, end;

	for (size_t i = from; i < to; i = end) {
		const struct prof_location *l = &x->p->locations[f[i].location];

		if (!l->n_lines) {
			stack[n++] =
				prof_copier__location(&x->copier, f[i].location, 0, UINT32_MAX);
			end = i + 1;
			continue;
		}
		for (end = i + 1; end < to && f[end - 1].inlined; end++)
			;
		stack[n++] = prof_copier__location(&x->copier, f[i].location,
						   f[i].number - l->first_line,
						   (uint32_t)(end - i));
	}
	return prof__stack(x->result, stack, n);
}

static void add_sample(struct selecting *x, size_t i)
{
	const struct prof_sample *s = &x->p->samples[i];
	const int64_t *from = prof__values(x->p, i);
	size_t first, end;
	int64_t *values;
	uint32_t stack;

	if (!labels_fit(x, s->labels) ||
	    (x->s->shared && !prof__label(x->p, s->labels, PROF_SHARING)))
		return;
	prof_frames__expand(&x->frames, x->p, s->stack, true);
	if ((x->focus.wanted && !any_matches(x, &x->focus)) ||
	    (x->ignore.wanted && any_matches(x, &x->ignore)) || !cut(x, &first, &end))
		return;
	if (first == 0 && end == x->frames.n)
		stack = prof_copier__stack(&x->copier, s->stack);
	else
		stack = cut_stack(x, first, end);
	values = prof__sample(x->result, stack, prof_copier__labels(&x->copier, s->labels));
	for (size_t t = 0; t < x->p->n_types; t++) {
		if (x->keep[t])
			*values++ += from[t];
	}
}

static int keep_event(struct selecting *x, const struct prof_event *events, size_t n,
		      const char *name, struct err *err)
{
	_cleanup_(buf__done) struct buf there = {0};

	for (size_t i = 0; i < n; i++) {
		const struct prof_event *e = &events[i];

		buf__printf(&there, "%s%s", i ? ", " : "", e->name);
		if (strcmp(e->name, name) != 0)
			continue;
		if (e->samples != PROF_NO_TYPE)
			x->keep[e->samples] = true;
		if (e->events != PROF_NO_TYPE)
			x->keep[e->events] = true;
		if (e->time != PROF_NO_TYPE)
			x->keep[e->time] = true;
		return 0;
	}
	return err__usage(err, "the profile has no event '%s'; it has: %s", name, there.data);
}

static int keep_types(struct selecting *x, struct err *err)
{
	const struct prof *p = x->p;
	struct prof_event *events;
	size_t n = prof__events(p, &events);
	int r = 0;

	x->keep = xcalloc(p->n_types, sizeof(*x->keep));
	for (size_t i = 0; r == 0 && i < x->s->n_events; i++)
		r = keep_event(x, events, n, x->s->events[i], err);
	for (size_t t = 0; t < p->n_types; t++) {
		x->keep[t] |= !x->s->n_events;
		if (r == 0 && x->keep[t])
			prof__type(x->result, prof__text(p, p->types[t].name),
				   prof__text(p, p->types[t].unit));
	}
	prof_events__free(events, n);
	return r;
}

static int prepare(struct selecting *x, struct err *err)
{
	int r = matcher__init(&x->focus, x->p, x->s->focus, true, err);

	if (r == 0)
		r = matcher__init(&x->ignore, x->p, x->s->ignore, true, err);
	if (r == 0)
		r = matcher__init(&x->callers, x->p, x->s->callers, false, err);
	if (r == 0)
		r = matcher__init(&x->callees, x->p, x->s->callees, false, err);
	return r < 0 ? r : keep_types(x, err);
}

int prof__select(struct prof **ret, const struct prof *p, const struct selection *s,
		 struct err *err)
{
	_cleanup_(selecting__done) struct selecting x = {.p = p, .s = s, .result = prof__new()};
	int r;

	prof_copier__init(&x.copier, x.result);
	prof_copier__from(&x.copier, p);
	r = prepare(&x, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->n_samples; i++)
		add_sample(&x, i);
	prof_copier__head(&x.copier);
	if ((s->callers || s->callees) && !x.found)
		return err__set(err, -ENOENT, "no stack has a function called '%s'",
				s->callers ? s->callers : s->callees);
	*ret = TAKE_PTR(x.result);
	return 0;
}

void selection__done(struct selection *s)
{
	free(s->labels);
	free(s->events);
	*s = (struct selection){0};
}
