// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/objects.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/intern.h"

struct objects {
	struct intern all;
	size_t limit;
};

struct objects *objects__new(size_t limit)
{
	struct objects *o = xcalloc(1, sizeof(*o));

	o->limit = limit;
	return o;
}

struct objects *objects__free(struct objects *o)
{
	if (!o)
		return NULL;
	intern__done(&o->all);
	free(o);
	return NULL;
}

uint32_t objects__add(struct objects *o, const void *data, size_t size)
{
	uint32_t number = intern__find(&o->all, data, size);

	if (number)
		return number;
	if (o->limit && intern__bytes(&o->all) + size > o->limit)
		return OBJECT_NO_ROOM;
	return intern__add(&o->all, data, size);
}

const void *objects__get(const struct objects *o, uint32_t number, size_t *ret_size)
{
	*ret_size = 0;
	return o && number && number < intern__count(&o->all) ?
		       intern__get(&o->all, number, ret_size) :
		       NULL;
}
