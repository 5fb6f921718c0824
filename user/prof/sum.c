// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static bool same_text(const struct prof *a, uint32_t x, const struct prof *b, uint32_t y)
{
	return strcmp(prof__text(a, x), prof__text(b, y)) == 0;
}

static int check_types(const struct prof *a, const struct prof *b, const char *name,
		       struct err *err)
{
	bool same = a->n_types == b->n_types;

	for (size_t i = 0; same && i < a->n_types; i++)
		same = same_text(a, a->types[i].name, b, b->types[i].name) &&
		       same_text(a, a->types[i].unit, b, b->types[i].unit);
	if (same)
		return 0;
	return err__set(err, -EINVAL, "%s has other events (%s)", name,
			b->n_types ? prof__text(b, b->types[0].name) : "none");
}

/* What the sums become with it. */
static int check_sums(const struct prof_sum *s, const struct prof *from, uint64_t *sums,
		      const char *name, struct err *err)
{
	for (size_t t = 0; s->sum && t < from->n_types; t++)
		sums[t] = s->magnitudes[t];
	for (size_t i = 0; i < from->n_samples; i++) {
		const int64_t *values = prof__values(from, i);

		for (size_t t = 0; t < from->n_types; t++) {
			uint64_t v = (uint64_t)values[t];

			v = values[t] < 0 ? -v : v;
			if (!__builtin_add_overflow(sums[t], v, &sums[t]) && sums[t] <= INT64_MAX)
				continue;
			return err__set(err, -ERANGE,
					"%s can't be added: the sum of %s doesn't fit into 64 bits",
					name, prof__text(from, from->types[t].name));
		}
	}
	return 0;
}

static void begin(struct prof_sum *s, const struct prof *from)
{
	s->sum = prof__new();
	prof_copier__init(&s->copier, s->sum);
	prof_copier__from(&s->copier, from);
	prof_copier__types(&s->copier);
	prof_copier__head(&s->copier);
	s->sum->n_comments = 0;
	s->sum->time_ns = s->sum->duration_ns = 0;
}

static void add_times(struct prof *sum, const struct prof *from)
{
	if (from->time_ns && (!sum->time_ns || from->time_ns < sum->time_ns))
		sum->time_ns = from->time_ns;
	if (__builtin_add_overflow(sum->duration_ns, from->duration_ns, &sum->duration_ns))
		sum->duration_ns = INT64_MAX;
}

int prof_sum__add(struct prof_sum *s, const struct prof *from, const char *name, struct err *err)
{
	_cleanup_free_ uint64_t *sums = xcalloc(from->n_types, sizeof(*sums));
	int r = s->sum ? check_types(s->sum, from, name, err) : 0;

	if (r == 0)
		r = check_sums(s, from, sums, name, err);
	if (r < 0)
		return r;
	if (!s->sum) {
		begin(s, from);
	} else {
		prof_copier__from(&s->copier, from);
		prof_copier__branches(&s->copier);
	}
	for (size_t i = 0; i < from->n_samples; i++) {
		const struct prof_sample *sample = &from->samples[i];

		prof_copier__sample(&s->copier, i, prof_copier__stack(&s->copier, sample->stack),
				    prof_copier__labels(&s->copier, sample->labels));
	}
	for (size_t i = 0; i < from->n_layouts; i++)
		prof__add_layout(s->sum, prof_copier__string(&s->copier, from->layouts[i]));
	add_times(s->sum, from);
	free(s->magnitudes);
	s->magnitudes = TAKE_PTR(sums);
	return 0;
}

size_t prof_sum__bytes(const struct prof_sum *s)
{
	const struct prof *p = s->sum;

	if (!p)
		return 0;
	return intern__bytes(&p->strings) + intern__bytes(&p->stacks) +
	       intern__bytes(&p->label_sets) + intern__bytes(&p->keys) +
	       intern__bytes(&p->function_set) + intern__bytes(&p->location_set) +
	       p->n_samples * sizeof(*p->samples) + p->n_values * sizeof(*p->values) +
	       p->n_functions * sizeof(*p->functions) + p->n_locations * sizeof(*p->locations) +
	       p->n_lines * sizeof(*p->lines) + p->n_mappings * sizeof(*p->mappings);
}

struct prof *prof_sum__take(struct prof_sum *s)
{
	prof_copier__done(&s->copier);
	return TAKE_PTR(s->sum);
}

void prof_sum__done(struct prof_sum *s)
{
	prof_copier__done(&s->copier);
	prof__free(s->sum);
	free(s->magnitudes);
	*s = (struct prof_sum){0};
}
