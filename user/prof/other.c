// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/other.h"

#include "base/mem.h"
#include "model/profile.h"
#include "prof/copy.h"

static uint32_t other_stack(struct prof *p)
{
	const struct prof_function f = {
		.name = prof__string(p, artificial_names[ARTIFICIAL_OTHER]),
		.system_name = prof__string(p, artificial_names[ARTIFICIAL_OTHER]),
	};
	const struct prof_line line = {.function = prof__function(p, &f)};
	uint32_t location = prof__location(p, 0, 0, &line, 1);

	return prof__stack(p, &location, 1);
}

static uint32_t comm_alone(struct prof_copier *c, uint32_t labels)
{
	const struct prof_label *comm = prof__label(c->from, labels, "comm");
	struct prof_label copy = {0};

	if (!comm)
		return 0;
	copy.key = prof_copier__string(c, comm->key);
	copy.text = prof_copier__string(c, comm->text);
	return prof__labels(c->to, &copy, 1);
}

static uint32_t comm_other(struct prof *p)
{
	struct prof_label comm = {
		.key = prof__string(p, "comm"),
		.text = prof__string(p, artificial_names[ARTIFICIAL_OTHER]),
	};

	return prof__labels(p, &comm, 1);
}

static size_t count_comms(const struct prof *p, const bool *give_up)
{
	struct intern comms = {0};
	size_t n;

	for (size_t i = 0; i < p->n_samples; i++) {
		const struct prof_label *comm = prof__label(p, p->samples[i].labels, "comm");

		if (give_up[i] && comm)
			intern__add(&comms, &comm->text, sizeof(comm->text));
	}
	n = intern__count(&comms);
	intern__done(&comms);
	return n;
}

struct prof *prof__with_other(const struct prof *p, const bool *give_up, size_t max_comms)
{
	struct prof *to = prof__new();
	struct prof_copier c;
	bool with_comms = !max_comms || count_comms(p, give_up) <= max_comms;
	uint32_t other, all_comms = 0;

	prof_copier__init(&c, to);
	prof_copier__from(&c, p);
	prof_copier__types(&c);
	other = other_stack(to);
	if (!with_comms)
		all_comms = comm_other(to);
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct prof_sample *s = &p->samples[i];
		uint32_t stack = give_up[i] ? other : prof_copier__stack(&c, s->stack);
		uint32_t labels = !give_up[i] ? prof_copier__labels(&c, s->labels) :
				  with_comms  ? comm_alone(&c, s->labels) :
						all_comms;

		prof_copier__sample(&c, i, stack, labels);
	}
	prof_copier__head(&c);
	prof_copier__done(&c);
	return to;
}
