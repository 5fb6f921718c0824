// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"
#include "prof/prof.h"

static const struct {
	const char *name, *unit;
} all_types[] = {
	{"samples", "count"},   {"alloc", "count"},        {"alloc", "bytes"},
	{"cpu", "nanoseconds"}, {"cycles_event", "count"}, {"cycles_sample", "count"},
	{"alloc", "bytes"},
};

/* Every type belongs to one event, and no two events have one name. */
Test(prof_events, no_type_is_lost)
{
	static const char *const names[] = {"alloc/count", "alloc/bytes", "cpu", "cycles",
					    "alloc/bytes#2"};
	struct prof *p = prof__new();
	size_t seen[ARRAY_SIZE(all_types)] = {0}, n;
	struct prof_event *events;

	for (size_t i = 0; i < ARRAY_SIZE(all_types); i++)
		cr_assert_eq(prof__type(p, all_types[i].name, all_types[i].unit), i);
	n = prof__events(p, &events);
	cr_assert_eq(n, ARRAY_SIZE(names));
	for (size_t i = 0; i < n; i++) {
		const size_t slots[] = {events[i].samples, events[i].events, events[i].time};

		cr_expect_str_eq(events[i].name, names[i]);
		for (size_t k = 0; k < ARRAY_SIZE(slots); k++) {
			if (slots[k] != PROF_NO_TYPE)
				seen[slots[k]]++;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
		cr_expect_eq(seen[i], 1, "%s/%s", all_types[i].name, all_types[i].unit);
	prof_events__free(events, n);
	prof__free(p);
}

Test(prof_events, one_events_types_stay_together)
{
	struct prof *p = prof__new();
	struct prof_event *events;
	size_t n;

	prof__type(p, "cycles_sample", "count");
	prof__type(p, "cycles_event", "count");
	prof__type(p, "cycles_time", "nanoseconds");
	n = prof__events(p, &events);
	cr_assert_eq(n, 1);
	cr_expect_str_eq(events[0].name, "cycles");
	cr_expect(events[0].samples == 0 && events[0].events == 1 && events[0].time == 2);
	prof_events__free(events, n);
	prof__free(p);
}

/* As many as a sample has, in whatever order they come. */
Test(prof_events, twenty_labels)
{
	struct prof_label_list list = {0};
	struct prof *p = prof__new();
	const struct prof_label *set;
	char key[] = "a", text[] = "A";
	uint32_t labels;

	for (; key[0] < 'a' + 20; key[0]++, text[0]++) {
		if (key[0] % 2)
			prof__add_text(p, &list, key, text);
		else
			prof__add_number(p, &list, key, text[0]);
	}
	labels = prof__labels(p, list.items, list.n);
	free(list.items);
	cr_assert_eq(prof__label_set(p, labels, &set), 20);
	for (key[0] = 'a'; key[0] < 'a' + 20; key[0]++) {
		const struct prof_label *label = prof__label(p, labels, key);

		cr_assert_not_null(label);
		if (key[0] % 2)
			cr_expect_eq(prof__text(p, label->text)[0], key[0] - 'a' + 'A');
		else
			cr_expect_eq(label->number, key[0] - 'a' + 'A');
	}
	prof__free(p);
}
