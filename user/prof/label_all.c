// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/label_all.h"

#include "base/cleanup.h"
#include "base/mem.h"

static uint32_t with_label(struct prof *p, uint32_t labels, const struct prof_label *more)
{
	const struct prof_label *set;
	size_t n = prof__label_set(p, labels, &set), kept = 0;
	_cleanup_free_ struct prof_label *list = xcalloc(n + 1, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		if (set[i].key != more->key)
			list[kept++] = set[i];
	}
	list[kept++] = *more;
	return prof__labels(p, list, kept);
}

void prof__label_all(struct prof *p, const char *key, const char *text)
{
	const struct prof_label more = {
		.key = prof__string(p, key),
		.text = prof__string(p, text),
	};
	size_t n_sets = intern__count(&p->label_sets);
	_cleanup_free_ uint32_t *known = xcalloc(n_sets + 1, sizeof(*known));

	for (size_t i = 0; i < p->n_samples; i++) {
		uint32_t was = p->samples[i].labels;

		if (!known[was])
			known[was] = with_label(p, was, &more) + 1;
		p->samples[i].labels = known[was] - 1;
	}
}
