// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Other targets: each a counting of its own, which is opened, enabled and read with the first. */
#include <stdlib.h>

#include "base/mem.h"
#include "session/counting_internal.h"

struct counting_side {
	struct counting_opts opts;
	struct counting counting;
};

static int open_side(struct counting_side *side, struct counting_result *result, struct err *err)
{
	struct counting *c = &side->counting;
	int r;

	*c = (struct counting){
		.opts = &side->opts,
		.result = result,
		.tasks = {.whom = &side->opts.whom},
		.signals = {.fd = -1},
	};
	counting_result__begin(result, side->opts.events);
	r = cpus__online(&c->online, err);
	if (r == 0)
		r = tasks__watch(&c->tasks, err);
	return r == 0 ? counting__open(c, err) : r;
}

int counting_beside__open(struct counting *c, struct err *err)
{
	const struct counting_opts *o = c->opts;
	struct counting_result *result = c->result;
	int r = 0;

	if (!o->n_beside)
		return 0;
	c->sides = xcalloc(o->n_beside, sizeof(*c->sides));
	result->beside = xcalloc(o->n_beside, sizeof(*result->beside));
	for (size_t i = 0; r == 0 && i < o->n_beside; i++) {
		struct counting_result *its = &result->beside[i];

		c->sides[i].opts = (struct counting_opts){
			.events = o->beside[i].events,
			.whom = o->beside[i].whom,
			.opener = o->opener,
		};
		result->n_beside = ++c->n_sides;
		r = open_side(&c->sides[i], its, err);
		buf__add(&result->notes, its->notes.data, its->notes.len);
	}
	return r;
}

int counting_beside__enable(struct counting *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_sides; i++)
		r = counting__enable(&c->sides[i].counting, err);
	return r;
}

void counting_beside__read(struct counting *c, uint64_t to_ns)
{
	for (size_t i = 0; i < c->n_sides; i++)
		counting__read(&c->sides[i].counting, to_ns);
}

void counting_beside__close(struct counting *c)
{
	for (size_t i = 0; i < c->n_sides; i++) {
		struct counting *side = &c->sides[i].counting;

		counting__close(side);
		tasks__done(&side->tasks);
		cpus__done(&side->online);
	}
	free(c->sides);
}
