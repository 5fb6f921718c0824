// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what several stacks share: whoever comes first pays for a name, and the
 * heaviest comes first. A stack that was given up has paid for nothing.
 */
#include "render/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/other.h"

enum { UNNAMED_BYTES = 32 };

struct shop {
	const struct prof *p;
	const struct shrink_prices *prices;
	struct intern pairs; /* function and mapping: what most formats call a function */
	uint32_t *pair_of;   /* by line */
	bool *pairs_paid, *texts_paid, *locations_paid, *stacks_paid, *labels_paid;
};

static void shop__open(struct shop *s)
{
	const struct prof *p = s->p;

	s->pair_of = xcalloc(p->n_lines, sizeof(*s->pair_of));
	for (size_t i = 1; i < p->n_locations; i++) {
		const struct prof_location *l = &p->locations[i];

		for (uint32_t k = l->first_line; k < l->first_line + l->n_lines; k++) {
			const uint32_t pair[] = {p->lines[k].function, l->mapping};

			s->pair_of[k] = intern__add(&s->pairs, pair, sizeof(pair));
		}
	}
	s->pairs_paid = xcalloc(intern__count(&s->pairs), sizeof(bool));
	s->texts_paid = xcalloc(intern__count(&p->strings), sizeof(bool));
	s->locations_paid = xcalloc(p->n_locations, sizeof(bool));
	s->stacks_paid = xcalloc(intern__count(&p->stacks), sizeof(bool));
	s->labels_paid = xcalloc(intern__count(&p->label_sets), sizeof(bool));
}

static void shop__close(struct shop *s)
{
	intern__done(&s->pairs);
	free(s->pair_of);
	free(s->pairs_paid);
	free(s->texts_paid);
	free(s->locations_paid);
	free(s->stacks_paid);
	free(s->labels_paid);
}

/* True if it was paid for before. */
static bool was_paid(bool *paid, bool pay)
{
	bool was = *paid;

	*paid |= pay;
	return was;
}

static uint64_t json_bytes(const char *text)
{
	uint64_t n = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		n += c < 0x20 || c >= 0x7f ? 6 : c == '"' || c == '\\' ? 2 : 1;
	}
	return n;
}

static uint64_t text_price(struct shop *s, uint32_t text, bool pay)
{
	const char *bytes = prof__text(s->p, text);

	if (s->prices->once && was_paid(&s->texts_paid[text], pay))
		return 0;
	return 8 + (s->prices->as_json ? json_bytes(bytes) : strlen(bytes));
}

static uint64_t function_price(struct shop *s, const struct prof_location *l, uint32_t line,
			       bool pay)
{
	const struct prof_function *f = &s->p->functions[s->p->lines[line].function];

	if (was_paid(&s->pairs_paid[s->pair_of[line]], pay))
		return 0;
	return s->prices->function + text_price(s, f->name, pay) +
	       text_price(s, f->system_name, pay) + text_price(s, f->file, pay) +
	       text_price(s, s->p->mappings[l->mapping].file, pay);
}

static uint64_t location_price(struct shop *s, uint32_t number, bool pay)
{
	const struct prof_location *l = &s->p->locations[number];
	uint64_t price = s->prices->location;

	if (was_paid(&s->locations_paid[number], pay))
		return 0;
	for (uint32_t k = 0; k < l->n_lines; k++)
		price += s->prices->location + function_price(s, l, l->first_line + k, pay);
	if (!l->n_lines) /* it is called by its place in the file */
		price += s->prices->function + UNNAMED_BYTES +
			 2 * text_price(s, s->p->mappings[l->mapping].file, pay);
	return price;
}

static uint64_t stack_price(struct shop *s, uint32_t stack, bool pay)
{
	const uint32_t *locations;
	size_t n = prof__stack_locations(s->p, stack, &locations);
	uint64_t price = 0;

	if (s->prices->once && was_paid(&s->stacks_paid[stack], pay))
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t lines = s->p->locations[locations[i]].n_lines;

		price += (uint64_t)s->prices->frame * (lines ? lines : 1);
		price += location_price(s, locations[i], pay);
	}
	return price;
}

static uint64_t labels_price(struct shop *s, uint32_t labels, bool pay)
{
	const struct prof_label *set;
	size_t n = prof__label_set(s->p, labels, &set);
	uint64_t price = s->prices->labels;

	if (was_paid(&s->labels_paid[labels], pay))
		return 0;
	for (size_t i = 0; i < n; i++)
		price += text_price(s, set[i].text, pay);
	return price;
}

static uint64_t sample_price(struct shop *s, size_t i, bool pay)
{
	const struct prof_sample *sample = &s->p->samples[i];
	const struct prof_label *set;
	size_t n_labels = prof__label_set(s->p, sample->labels, &set);

	return s->prices->sample + s->p->n_types * s->prices->value + n_labels * s->prices->label +
	       stack_price(s, sample->stack, pay) + labels_price(s, sample->labels, pay);
}

static struct room_item *weigh(const struct prof *p, const struct format_opts *opts)
{
	struct room_item *items = xcalloc(p->n_samples, sizeof(*items));
	struct prof_event *events;
	size_t n = prof__events(p, &events);

	for (size_t i = 0; i < p->n_samples; i++)
		items[i].weight = prof_events__weight(events, n, p, i, opts->unit);
	prof_events__free(events, n);
	return items;
}

struct prof *shrink(const struct prof *p, const struct format_opts *opts,
		    const struct shrink_prices *prices)
{
	struct shop shop = {.p = p, .prices = prices};
	_cleanup_free_ struct room_item *items = NULL;
	_cleanup_free_ size_t *order = NULL;
	_cleanup_free_ bool *give_up = NULL;
	uint64_t room = opts->max_bytes - opts->max_bytes / ROOM_OTHERS_PART, spent = 0;
	bool all = true;

	if (!opts->max_bytes)
		return NULL;
	items = weigh(p, opts);
	order = room__order(items, p->n_samples);
	give_up = xcalloc(p->n_samples, sizeof(*give_up));
	shop__open(&shop);
	for (size_t i = 0; i < p->n_samples; i++) {
		uint64_t price = sample_price(&shop, order[i], false);

		if (spent + price <= room) {
			spent += sample_price(&shop, order[i], true);
			continue;
		}
		give_up[order[i]] = true;
		all = false;
		room_cut__add(opts->cut, &items[order[i]]);
	}
	shop__close(&shop);
	return all ? NULL :
		     prof__with_other(p, give_up,
				      opts->max_bytes / ROOM_OTHERS_PART / ROOM_OTHER_BYTES);
}
