// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/readable.h"

#include <stdlib.h>

#include "base/mem.h"

/* Nobody has demangled it: it has no other name, or the same. */
static const char *mangled_name(const struct prof *p, uint32_t function)
{
	const struct prof_function *f = &p->functions[function];
	const char *name = prof__text(p, prof__function_name(p, function));

	if (f->name && f->system_name && f->name != f->system_name)
		return NULL;
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') ? name : NULL;
}

bool prof__has_mangled(const struct prof *p)
{
	for (uint32_t i = 1; i < p->n_functions; i++) {
		if (mangled_name(p, i))
			return true;
	}
	return false;
}

/* In place: from here on the profile is only read and copied, and copies look functions up anew. */
static void rename_function(struct prof *p, uint32_t function, const char *name)
{
	struct prof_function *f = &p->functions[function];

	if (!f->system_name)
		f->system_name = f->name;
	f->name = prof__string(p, name);
}

size_t prof__demangle(struct prof *p, struct sym *sym)
{
	const char **names = xcalloc(p->n_functions, sizeof(*names));
	const char **readable = xcalloc(p->n_functions, sizeof(*readable));
	uint32_t *functions = xcalloc(p->n_functions, sizeof(*functions));
	size_t n = 0, answered;

	for (uint32_t i = 1; i < p->n_functions; i++) {
		names[n] = mangled_name(p, i);
		functions[n] = i;
		n += names[n] != NULL;
	}
	answered = sym__demangle(sym, names, n, readable);
	for (size_t i = 0; i < answered; i++) {
		if (readable[i])
			rename_function(p, functions[i], readable[i]);
	}
	free(names);
	free(readable);
	free(functions);
	return n - answered;
}
