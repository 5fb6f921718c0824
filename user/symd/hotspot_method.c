// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/hotspot_method.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "symd/hotspot.h"
#include "symd/hotspot_name.h"
#include "symd/hotspot_stream.h"

enum { HAS_LINES = 1 /* of its flags, in all versions */ };

struct hotspot_method {
	uint64_t at, const_method;
	char *name, *file; /* file: NULL: not known */
	uint64_t bytecodes;
	uint16_t n_bytecodes;
	struct hotspot_stream lines;
	UT_hash_handle hh;
};

struct hotspot_methods {
	struct hotspot_method *by_address;
	size_t line_bytes;
};

struct hotspot_methods *hotspot_methods__new(void)
{
	return xcalloc(1, sizeof(struct hotspot_methods));
}

static void empty(struct hotspot_methods *all, struct hotspot_method *m)
{
	all->line_bytes -= m->lines.n;
	free(m->name);
	free(m->file);
	free((void *)m->lines.data);
	m->name = m->file = NULL;
	m->lines = (struct hotspot_stream){0};
	m->n_bytecodes = 0;
}

struct hotspot_methods *hotspot_methods__free(struct hotspot_methods *all)
{
	struct hotspot_method *m, *next;

	if (!all)
		return NULL;
	HASH_ITER(hh, all->by_address, m, next) {
		HASH_DEL(all->by_address, m);
		empty(all, m);
		free(m);
	}
	free(all);
	return NULL;
}

/* Behind the bytecodes; how long it is nobody says, but where the whole ends. */
static void read_lines(struct hotspot_methods *all, struct target_memory *memory,
		       const struct hotspot_layout *l, struct hotspot_method *m)
{
	uint64_t at = m->bytecodes + m->n_bytecodes, end;
	uint32_t words = 0;
	uint8_t *data;
	size_t n;

	if (!target_memory__read(memory, m->const_method + l->const_method_words, &words,
				 sizeof(words)))
		return;
	end = m->const_method + words * 8ULL;
	n = end > at && end - at < HOTSPOT_LINES_MAX ? end - at : end > at ? HOTSPOT_LINES_MAX : 0;
	if (!n || all->line_bytes + n > HOTSPOT_LINES_ALL)
		return;
	data = xcalloc(1, n);
	if (!target_memory__read(memory, at, data, n))
		n = 0;
	m->lines = (struct hotspot_stream){.data = data, .n = n, .without_zero = l->without_zero};
	all->line_bytes += n;
}

static void read_code(struct hotspot_methods *all, struct target_memory *memory,
		      const struct hotspot_layout *l, struct hotspot_method *m)
{
	char file[HOTSPOT_FILE_MAX + 1];
	uint16_t flags = 0;

	if (!l->code_size || !l->method_flags || !l->const_method_size ||
	    !target_memory__read(memory, m->const_method + l->code_size, &m->n_bytecodes,
				 sizeof(m->n_bytecodes)))
		return;
	m->bytecodes = m->const_method + l->const_method_size;
	if (target_memory__read(memory, m->const_method + l->method_flags, &flags, sizeof(flags)) &&
	    flags & HAS_LINES && l->const_method_words)
		read_lines(all, memory, l, m);
	if (m->lines.n && hotspot_name__of_file(memory, l, m->at, file, sizeof(file)))
		m->file = xstrdup(file);
}

static bool read_method(struct hotspot_methods *all, struct target_memory *memory,
			const struct hotspot_layout *l, struct hotspot_method *m,
			uint64_t const_method)
{
	char name[HOTSPOT_NAME_MAX + 1] = "";

	empty(all, m);
	m->const_method = const_method;
	if (!hotspot_name__of_method(memory, l, m->at, name, sizeof(name)))
		return false;
	m->name = xstrdup(name);
	read_code(all, memory, l, m);
	return true;
}

/* Another has another name: where its ConstMethod lies may be the same, for two methods of one
 * shape. What can't be read any more stays as it was. */
static void look_again(struct hotspot_methods *all, struct target_memory *memory,
		       const struct hotspot_layout *layout, struct hotspot_method *m)
{
	uint64_t const_method = target_memory__word(memory, m->at + layout->const_method);
	char name[HOTSPOT_NAME_MAX + 1] = "";

	if (!const_method || !hotspot_name__of_method(memory, layout, m->at, name, sizeof(name)))
		return;
	if (!m->name || strcmp(m->name, name) != 0 || m->const_method != const_method)
		read_method(all, memory, layout, m, const_method);
}

const struct hotspot_method *hotspot_methods__get(struct hotspot_methods *all,
						  struct target_memory *memory,
						  const struct hotspot_layout *layout,
						  uint64_t method)
{
	struct hotspot_method *m;

	HASH_FIND(hh, all->by_address, &method, sizeof(method), m);
	if (!m && (HASH_COUNT(all->by_address) == HOTSPOT_METHODS_MAX ||
		   !target_memory__word(memory, method + layout->const_method)))
		return NULL;
	if (!m) {
		m = xcalloc(1, sizeof(*m));
		m->at = method;
		HASH_ADD(hh, all->by_address, at, sizeof(m->at), m);
	}
	look_again(all, memory, layout, m);
	return m->name ? m : NULL;
}

int32_t hotspot_method__offset(const struct hotspot_method *m, uint16_t bytecode)
{
	uint16_t off = (uint16_t)(bytecode - (uint16_t)m->bytecodes);

	return off < m->n_bytecodes ? off : -1;
}

bool hotspot_method__put(const struct hotspot_method *m, int32_t bci, struct buf *to)
{
	uint32_t line = bci >= 0 && m->file ? hotspot_stream__line(m->lines, (uint32_t)bci) : 0;

	buf__puts(to, m->name);
	if (line)
		buf__printf(to, "\t%s\t%u", m->file, line);
	return line;
}
