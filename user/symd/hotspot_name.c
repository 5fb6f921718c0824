// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_name.h"

#include <stdio.h>
#include <string.h>

/* Appends a Symbol's text, which is cut where there is no room; slashes are dots, in a class. */
static bool put_symbol(struct target_memory *m, const struct hotspot_layout *l, uint64_t symbol,
		       char *ret, size_t max, size_t *at)
{
	uint16_t length;
	size_t n;

	if (!symbol || !target_memory__read(m, symbol + l->symbol_length, &length, sizeof(length)))
		return false;
	n = length < max - 1 - *at ? length : max - 1 - *at;
	if (n && !target_memory__read(m, symbol + l->symbol_body, ret + *at, n))
		return false;
	for (size_t i = *at; i < *at + n; i++) {
		unsigned char c = (unsigned char)ret[i];

		ret[i] = c < 0x20 || c == 0x7f ? '?' : c == '/' ? '.' : ret[i];
	}
	*at += n;
	ret[*at] = '\0';
	return n > 0;
}

static uint64_t pool_of(struct target_memory *m, const struct hotspot_layout *l, uint64_t method)
{
	uint64_t const_method = method ? target_memory__word(m, method + l->const_method) : 0;

	return const_method ? target_memory__word(m, const_method + l->constants) : 0;
}

bool hotspot_name__of_file(struct target_memory *m, const struct hotspot_layout *l, uint64_t method,
			   char *ret, size_t max)
{
	uint64_t pool = pool_of(m, l, method), at = pool + l->pool_file;
	uint16_t index = 0;
	size_t len = 0;

	if (!pool || (!l->pool_file && !l->klass_file))
		return false;
	if (!l->pool_file)
		at = target_memory__word(m, pool + l->pool_holder) + l->klass_file;
	return target_memory__read(m, at, &index, sizeof(index)) && index &&
	       put_symbol(m, l, target_memory__word(m, pool + l->pool_size + index * 8ULL), ret,
			  max, &len);
}

bool hotspot_name__of_method(struct target_memory *m, const struct hotspot_layout *l,
			     uint64_t method, char *ret, size_t max)
{
	uint64_t const_method = method ? target_memory__word(m, method + l->const_method) : 0;
	uint64_t pool = const_method ? target_memory__word(m, const_method + l->constants) : 0;
	uint64_t klass = pool ? target_memory__word(m, pool + l->pool_holder) : 0;
	uint16_t index;
	size_t at = 0;

	if (!klass ||
	    !target_memory__read(m, const_method + l->name_index, &index, sizeof(index)) ||
	    !put_symbol(m, l, target_memory__word(m, klass + l->klass_name), ret, max, &at))
		return false;
	at += (size_t)snprintf(ret + at, max - at, "%s", at + 3 < max ? "::" : "");
	return put_symbol(m, l, target_memory__word(m, pool + l->pool_size + index * 8ULL), ret,
			  max, &at) ||
	       at + 1 >= max;
}

/* Where a virtual thread's frames are brought from the heap a few at a time, as they are returned
 * to: in the place of those that are still there. */
static bool is_continuation_stub(const char *name)
{
	static const char *const names[] = {"StubRoutines (continuation",
					    "Stub Generator continuation"};

	return strncmp(name, names[0], strlen(names[0])) == 0 ||
	       strncmp(name, names[1], strlen(names[1])) == 0;
}

void hotspot_name__of_stub(const char *name, char *ret, size_t max)
{
	size_t len = (size_t)snprintf(ret, max, "HotSpot::%s",
				      is_continuation_stub(name) ? "callers_in_heap" : name);

	for (size_t i = 0; i < len && i < max - 1; i++) {
		unsigned char c = (unsigned char)ret[i];

		ret[i] = c < 0x20 || c == 0x7f ? '?' : ret[i];
	}
}
