// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/intern.h"

struct context_id {
	uint64_t id;
	uint32_t number;
	UT_hash_handle hh;
};

struct contexts {
	struct intern texts; /* with their NUL */
	struct context_id *by_id;
	size_t bytes, limit;
};

struct contexts *contexts__new(size_t limit)
{
	static const char other[] = "[other]";
	struct contexts *c = xcalloc(1, sizeof(*c));

	c->limit = limit;
	intern__add(&c->texts, other, sizeof(other));
	return c;
}

struct contexts *contexts__free(struct contexts *c)
{
	struct context_id *at, *next;

	if (!c)
		return NULL;
	HASH_ITER(hh, c->by_id, at, next) {
		HASH_DEL(c->by_id, at);
		free(at);
	}
	intern__done(&c->texts);
	free(c);
	return NULL;
}

static struct context_id *find(const struct contexts *c, uint64_t id)
{
	struct context_id *at;

	HASH_FIND(hh, c->by_id, &id, sizeof(id), at);
	return at;
}

bool contexts__lacks(const struct contexts *c, uint64_t id)
{
	return !find(c, id);
}

static bool is_full(const struct contexts *c)
{
	return c->limit && c->bytes + intern__bytes(&c->texts) >= c->limit;
}

void contexts__add(struct contexts *c, uint64_t id, const char *text)
{
	struct context_id *at;

	/* an id without a place is one that never came, and so is each time that it comes again */
	if (find(c, id) || is_full(c))
		return;
	at = xcalloc(1, sizeof(*at));
	at->id = id;
	at->number = intern__add(&c->texts, text, strlen(text) + 1);
	c->bytes += sizeof(*at);
	HASH_ADD(hh, c->by_id, id, sizeof(at->id), at);
}

uint32_t contexts__number(const struct contexts *c, uint64_t id)
{
	const struct context_id *at = find(c, id);

	if (at)
		return at->number;
	return is_full(c) ? CONTEXT_OTHER : CONTEXT_UNKNOWN;
}

const char *contexts__text(const struct contexts *c, uint32_t number)
{
	size_t size;

	return c && number && number < intern__count(&c->texts) ?
		       intern__get(&c->texts, number, &size) :
		       NULL;
}
