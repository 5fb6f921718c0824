// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/merge.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/copy.h"

static bool same_text(const struct prof *a, uint32_t x, const struct prof *b, uint32_t y)
{
	return strcmp(prof__text(a, x), prof__text(b, y)) == 0;
}

/* 0: it is no unit of time. */
static int64_t ns_of(const char *unit)
{
	static const struct {
		const char *name, *brief;
		int64_t ns;
	} units[] = {
		{"nanoseconds", "ns", 1},
		{"microseconds", "us", 1000},
		{"milliseconds", "ms", 1000000},
		{"seconds", "s", 1000000000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name) == 0 || strcmp(unit, units[i].brief) == 0)
			return units[i].ns;
	}
	return 0;
}

/* How many of the finer unit one of type t of p is, if the other's are finer; 1 else. 0: their
 * units have nothing in common. */
static int64_t factor(const struct prof *p, const struct prof *other, size_t t)
{
	const char *unit = prof__text(p, p->types[t].unit);
	const char *others = prof__text(other, other->types[t].unit);
	int64_t ns = ns_of(unit), others_ns = ns_of(others);

	if (strcmp(unit, others) == 0)
		return 1;
	if (!ns || !others_ns)
		return 0;
	return ns > others_ns ? ns / others_ns : 1;
}

static int same_types(const struct prof *a, const struct prof *b, const char *name, struct err *err)
{
	for (size_t i = 0; i < a->n_types || i < b->n_types; i++) {
		if (i < a->n_types && i < b->n_types &&
		    same_text(a, a->types[i].name, b, b->types[i].name) && factor(a, b, i))
			continue;
		return err__set(err, -EINVAL,
				"%s can't be added: its sample type %zu is %s%s%s, and the other "
				"profile's is %s",
				name, i + 1,
				i < b->n_types ? prof__text(b, b->types[i].name) : "not there",
				i < b->n_types ? "/" : "",
				i < b->n_types ? prof__text(b, b->types[i].unit) : "",
				i < a->n_types ? prof__text(a, a->types[i].name) : "not there");
	}
	return 0;
}

static int check_sums(const struct prof *a, const struct prof *b, const char *name, struct err *err)
{
	const struct prof *both[] = {a, b};

	for (size_t t = 0; t < a->n_types; t++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < 2; k++) {
			uint64_t scale = (uint64_t)factor(both[k], both[!k], t);

			for (size_t i = 0; i < both[k]->n_samples; i++) {
				int64_t value = prof__values(both[k], i)[t];
				uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;

				if (__builtin_mul_overflow(magnitude, scale, &magnitude) ||
				    __builtin_add_overflow(sum, magnitude, &sum) || sum > INT64_MAX)
					return err__set(
						err, -ERANGE,
						"%s can't be added: the sum of %s doesn't fit "
						"into 64 bits",
						name, prof__text(a, a->types[t].name));
			}
		}
	}
	return 0;
}

/* In the finer of both units, as check_sums() has found to fit. */
static void add(struct prof_copier *c, const struct prof *from, const struct prof *other)
{
	prof_copier__from(c, from);
	for (size_t i = 0; i < from->n_samples; i++) {
		const struct prof_sample *s = &from->samples[i];
		int64_t *values = prof__sample(c->to, prof_copier__stack(c, s->stack),
					       prof_copier__labels(c, s->labels));

		for (size_t t = 0; t < from->n_types; t++)
			values[t] += prof__values(from, i)[t] * factor(from, other, t);
	}
}

int prof__merge(struct prof **to, const struct prof *from, const char *name, struct err *err)
{
	struct prof *both = prof__new(), *first = *to;
	_cleanup_(prof_copier__done) struct prof_copier c;
	int r = same_types(first, from, name, err);

	prof_copier__init(&c, both);
	if (r == 0)
		r = check_sums(first, from, name, err);
	if (r < 0) {
		prof__free(both);
		return r;
	}
	for (size_t i = 0; i < first->n_types; i++) {
		const struct prof *finer = factor(first, from, i) > 1 ? from : first;

		prof__type(both, prof__text(first, first->types[i].name),
			   prof__text(finer, finer->types[i].unit));
	}
	add(&c, first, from);
	prof_copier__head(&c);
	add(&c, from, first);
	for (size_t i = 0; i < from->n_comments; i++)
		prof__comment(both, prof__text(from, from->comments[i]));
	for (size_t i = 0; i < from->n_layouts; i++)
		prof__add_layout(both, prof_copier__string(&c, from->layouts[i]));
	prof_copier__branches(&c);
	if (from->time_ns && (!both->time_ns || from->time_ns < both->time_ns))
		both->time_ns = from->time_ns;
	if (__builtin_add_overflow(both->duration_ns, from->duration_ns, &both->duration_ns))
		both->duration_ns = INT64_MAX;
	prof__free(first);
	*to = both;
	return 0;
}
