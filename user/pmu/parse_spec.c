// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Cuts the text of -e into events and each event into base, terms and modifiers. The hard thing:
 * the slash has two meanings. In mem:ADDR/LEN it comes before a length, elsewhere it opens terms,
 * inside which commas no longer separate events.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/parse.h"

#define SHOWN_MAX 100

static bool is_mem(const char *text)
{
	return strncmp(text, "mem:", 4) == 0;
}

static const char *skip_space(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static char *dup_trimmed(const char *from, const char *to)
{
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return xstrndup(from, (size_t)(to - from));
}

static char *dup_shown(const char *from, const char *to)
{
	_cleanup_free_ char *text = dup_trimmed(from, to);

	if (strlen(text) <= SHOWN_MAX)
		return TAKE_PTR(text);
	return xasprintf("%.*s…", SHOWN_MAX, text);
}

/* The first such character that isn't in the quotes of a value: name='a, b'. */
static char *find_unquoted(const char *text, char wanted)
{
	bool quoted = false;

	for (const char *p = text; *p; p++) {
		if (*p == '\'' && (quoted || (p > text && p[-1] == '=')))
			quoted = !quoted;
		else if (*p == wanted && !quoted)
			return (char *)p;
	}
	return NULL;
}

/* To the slash that opens the terms, what ends the event, or the end. */
static const char *find_base_end(const char *p)
{
	bool length_allowed = is_mem(p);

	for (; *p && *p != ',' && *p != '}'; p++) {
		if (*p != '/')
			continue;
		if (!length_allowed || !isdigit((unsigned char)p[1]))
			break;
		length_allowed = false;
	}
	return p;
}

/* What follows the closing slash: "u", ":u" or nothing. */
static int take_tail(struct spec *spec, const char *from, const char *to, struct err *err)
{
	_cleanup_free_ char *tail = dup_trimmed(from, to);

	if (!*tail)
		return 0;
	if (strcmp(tail, ":") == 0)
		return err__usage(err,
				  "event '%s': modifiers are missing after the colon (allowed: %s)",
				  spec->shown, MODIFIERS);
	spec->mods = xstrdup(*tail == ':' ? tail + 1 : tail);
	return 0;
}

static int spec__take_terms(struct spec *spec, const char **p, const char *open, struct err *err)
{
	const char *close = find_unquoted(open + 1, '/'), *end;

	if (!close) {
		spec->shown = dup_shown(*p, open + strlen(open));
		return err__usage(err,
				  "event '%s': the slash is not closed; write name/term=value/",
				  spec->shown);
	}
	end = close + strcspn(close, ",}");
	spec->shown = dup_shown(*p, end);
	spec->base = dup_trimmed(*p, open);
	spec->terms = dup_trimmed(open + 1, close);
	*p = end;
	return take_tail(spec, close + 1, end, err);
}

static int spec__check(const struct spec *spec, struct err *err)
{
	if (!*spec->shown)
		return err__usage(err,
				  "an event is missing: there is nothing before or after a comma");
	if (!*spec->base || *spec->base == ':')
		return err__usage(err, "'%s' names no event; `pmubpf list` shows all", spec->shown);
	if (*spec->base == '{')
		return err__usage(err,
				  "'%s': a brace opens a group only where an event could begin, "
				  "and not within another",
				  spec->shown);
	return 0;
}

int spec__take(const char **p, struct spec *ret, struct err *err)
{
	_cleanup_(spec__done) struct spec spec = {0};
	const char *end;
	int r = 0;

	*p = skip_space(*p);
	end = find_base_end(*p);
	if (*end == '/') {
		r = spec__take_terms(&spec, p, end, err);
	} else {
		spec.shown = dup_shown(*p, end);
		spec.base = dup_trimmed(*p, end);
		*p = end;
	}
	if (r < 0)
		return r;
	r = spec__check(&spec, err);
	spec.mem = is_mem(spec.base);
	if (r < 0)
		return r;
	*ret = spec;
	spec = (struct spec){0};
	return 0;
}

void spec__done(struct spec *spec)
{
	free(spec->shown);
	free(spec->base);
	free(spec->terms);
	free(spec->mods);
	*spec = (struct spec){0};
}

int spec__split_mods(struct spec *spec, bool known, struct err *err)
{
	char *colon = strchr(spec->base, ':');

	if (!colon)
		return 0;
	if (!colon[1])
		return err__usage(err,
				  "event '%s': modifiers are missing after the colon (allowed: %s)",
				  spec->shown, MODIFIERS);
	if (!known && spec__looks_like_tracepoint(spec))
		return err__usage(err,
				  "event '%s': tracepoints are not counters that overflow, so BPF "
				  "overflow programs can't attach to them (pmubpf stat -e counts "
				  "them, perf record -e samples them)",
				  spec->shown);
	if (spec->terms)
		return err__usage(err, "event '%s': modifiers go after the terms: name/terms/%s",
				  spec->shown, colon + 1);
	spec->mods = xstrdup(colon + 1);
	*colon = '\0';
	return 0;
}

int terms__split(struct terms *terms, const struct spec *spec, struct err *err)
{
	char *p, *next, *eq;

	*terms = (struct terms){.text = xstrdup(spec->terms ? spec->terms : "")};
	for (p = *terms->text ? terms->text : NULL; p; p = next) {
		next = find_unquoted(p, ',');
		if (next)
			*next++ = '\0';
		p = (char *)skip_space(p);
		if (!*p || *p == '=')
			return err__usage(err, "event '%s': a term is missing between the slashes",
					  spec->shown);
		eq = strchr(p, '=');
		if (eq) {
			*eq++ = '\0';
			if (!*eq)
				return err__usage(err, "event '%s': term '%s' has no value",
						  spec->shown, p);
		}
		GROW(terms->terms, terms->n, terms->cap);
		terms->terms[terms->n++] = (struct term){.key = p, .val = eq};
	}
	return 0;
}

void terms__done(struct terms *terms)
{
	free(terms->text);
	free(terms->terms);
	*terms = (struct terms){0};
}
