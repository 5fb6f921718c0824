// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing is that names of files, functions and events may hold any of the separators. */
#include "pmu/window_spec.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static const struct {
	const char *word;
	enum probe_kind kind;
} types[] = {
	{"u:", PROBE_USER},   {"usdt:", PROBE_USDT}, {"t:", PROBE_TRACEPOINT}, {"k:", PROBE_KERNEL},
	{"f:", PROBE_FENTRY}, {"x:", PROBE_ADDRESS}, {"mem:", PROBE_EVENT},
};

static size_t word_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

static bool is_word(const char *text)
{
	return *text && !text[word_length(text)];
}

/* What ends in a slash and has a period, up to its end or to the next probe. */
static bool begins_event(const char *text)
{
	const char *slash = strchr(text, '/'), *period = slash ? strstr(slash, "period=") : NULL;

	return isalpha((unsigned char)*text) && period &&
	       strcspn(text, "/") == strspn(text, "abcdefghijklmnopqrstuvwxyz"
						  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:");
}

static enum probe_kind probe_type(const char *text, size_t *ret_length)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!starts_with(text, types[i].word))
			continue;
		/* the text of an event begins with its word */
		*ret_length = types[i].kind == PROBE_EVENT ? 0 : strlen(types[i].word);
		return types[i].kind;
	}
	*ret_length = 0;
	return begins_event(text) ? PROBE_EVENT : PROBE_NONE;
}

/* The ".." between two probes; NULL: there is one at most. */
static const char *find_between(const char *text)
{
	const char *at = text;
	size_t length;

	while ((at = strstr(at, ".."))) {
		if (probe_type(at + 2, &length) != PROBE_NONE)
			return at;
		at++;
	}
	return NULL;
}

static int parse_function(struct window_probe *p, const char *text, const char *whole,
			  struct err *err)
{
	const char *name = text, *plus;

	if (*text == '/') {
		const char *colon = strchr(text, ':');

		if (!colon)
			return err__usage(err,
					  "%s: behind the file a function is missing: "
					  "u:%s:FUNCTION",
					  whole, text);
		p->file = xstrndup(text, (size_t)(colon - text));
		name = colon + 1;
	}
	if (ends_with(name, ".."))
		return err__usage(err,
				  "%s: behind '..' the second probe is missing, which is whole, "
				  "too: u:FILE:A..u:FILE:B",
				  whole);
	plus = strrchr(name, '+');
	if (plus && isdigit((unsigned char)plus[1]) && num__parse_u64(plus + 1, &p->offset) < 0)
		return err__usage(err, "%s: '%s' is not an offset such as +4 or +0x1c", whole,
				  plus);
	if (!plus || !isdigit((unsigned char)plus[1]))
		plus = name + strlen(name);
	p->name = xstrndup(name, (size_t)(plus - name));
	if (*p->name)
		return 0;
	return err__usage(err, "%s: a function is missing: u:FUNCTION, or u:%s:FUNCTION", whole,
			  p->file ? p->file : "/path/of/file");
}

static int parse_usdt(struct window_probe *p, const char *text, const char *whole, struct err *err)
{
	const char *first = strchr(text, ':'), *second = first ? strchr(first + 1, ':') : NULL;

	if (*text != '/' || !second || second == first + 1 || !second[1])
		return err__usage(
			err,
			"%s: it is usdt:FILE:PROVIDER:NAME, and FILE begins "
			"with /, as in usdt:/usr/lib/postgresql/15/bin/postgres:postgresql:"
			"query__start",
			whole);
	p->file = xstrndup(text, (size_t)(first - text));
	p->group = xstrndup(first + 1, (size_t)(second - first - 1));
	p->name = xstrdup(second + 1);
	return 0;
}

static int parse_tracepoint(struct window_probe *p, const char *text, const char *whole,
			    struct err *err)
{
	size_t n = word_length(text);

	if (!n || text[n] != ':' || !is_word(text + n + 1))
		return err__usage(err,
				  "%s: it is t:CATEGORY:NAME, as in t:block:block_rq_issue "
				  "(`pmubpf list tracepoint' has them all)",
				  whole);
	p->group = xstrndup(text, n);
	p->name = xstrdup(text + n + 1);
	return 0;
}

static int parse_kernel(struct window_probe *p, const char *text, const char *whole,
			struct err *err)
{
	if (!*text || text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$")])
		return err__usage(err,
				  "%s: '%s' is not the name of a kernel function, such "
				  "as vfs_read",
				  whole, text);
	p->name = xstrdup(text);
	return 0;
}

/* It is a breakpoint, which is an event. */
static int parse_address(struct window_probe *p, const char *text, const char *whole,
			 struct err *err)
{
	if (num__parse_u64(text, &p->offset) < 0 || !p->offset)
		return err__usage(err, "%s: '%s' is not an address such as 0x401136", whole, text);
	p->name = xasprintf("mem:%#" PRIx64 ":x", p->offset);
	return 0;
}

static int parse_event(struct window_probe *p, const char *text, const char *whole, struct err *err)
{
	if (!starts_with(text, "mem:") && !strstr(text, "period="))
		return err__usage(err,
				  "%s: event '%s' has no period: say how many of it open "
				  "or close a window, as in page-faults/period=1/",
				  whole, text);
	p->name = xstrdup(text);
	return 0;
}

/* What a probe could have been. */
static int no_probe(const char *text, const char *whole, struct err *err)
{
	return err__usage(err,
			  "%s: '%s' is neither a window nor a probe; use loop, run, syscall, "
			  "syscall:NAME, a probe of a function (u:FUNCTION, k:FUNCTION), or two "
			  "probes A..B, each u:[FILE:]FUNCTION[+OFFSET], usdt:FILE:PROVIDER:NAME, "
			  "t:CATEGORY:NAME, k:FUNCTION, f:FUNCTION, x:ADDRESS or EVENT/period=N/",
			  whole, text);
}

static int parse_probe(struct window_probe *p, const char *text, const char *whole, struct err *err)
{
	size_t length;

	p->kind = probe_type(text, &length);
	switch (p->kind) {
	case PROBE_USER:
		return parse_function(p, text + length, whole, err);
	case PROBE_USDT:
		return parse_usdt(p, text + length, whole, err);
	case PROBE_TRACEPOINT:
		return parse_tracepoint(p, text + length, whole, err);
	case PROBE_KERNEL:
	case PROBE_FENTRY:
		return parse_kernel(p, text + length, whole, err);
	case PROBE_ADDRESS:
		return parse_address(p, text + length, whole, err);
	case PROBE_EVENT:
		return parse_event(p, text + length, whole, err);
	case PROBE_NONE:
		break;
	}
	return no_probe(text, whole, err);
}

static int parse_probes(struct window_spec *spec, bool hits, const char *text, const char *whole,
			struct err *err)
{
	const char *between = find_between(text);
	_cleanup_free_ char *first = between ? xstrndup(text, (size_t)(between - text)) :
					       xstrdup(text);
	int r = parse_probe(&spec->from, first, whole, err);

	if (r < 0)
		return r;
	if (between) {
		spec->kind = WINDOW_BETWEEN;
		return parse_probe(&spec->to, between + 2, whole, err);
	}
	spec->kind = WINDOW_FUNCTION;
	if (hits && (spec->from.kind == PROBE_TRACEPOINT || spec->from.kind == PROBE_EVENT ||
		     spec->from.kind == PROBE_ADDRESS)) {
		spec->kind = WINDOW_HITS;
		return 0;
	}
	if (spec->from.kind != PROBE_USER && spec->from.kind != PROBE_KERNEL &&
	    spec->from.kind != PROBE_FENTRY)
		return err__usage(err,
				  "%s: that is a moment, and a window has two ends: say "
				  "which probe closes it, as in %s..%s, which opens and closes in "
				  "turn",
				  whole, text, text);
	if (!spec->from.offset)
		return 0;
	return err__usage(
		err,
		"%s: an instruction inside of a function is a moment, and a "
		"window has two ends: leave the offset out for the whole function, or say "
		"which probe closes it: A..B",
		whole);
}

static int parse_call(struct window_spec *spec, const char *text, const char *whole,
		      struct err *err)
{
	spec->kind = WINDOW_SYSCALL;
	if (!*text)
		return 0;
	if (*text != ':' || !is_word(text + 1))
		return err__usage(err,
				  "%s: it is syscall, or syscall:NAME with the name of one "
				  "system call, as in syscall:read",
				  whole);
	spec->call = xstrdup(text + 1);
	return 0;
}

int window_spec__parse(struct window_spec *ret, const char *option, bool hits, const char *text,
		       struct err *err)
{
	_cleanup_free_ char *whole = xasprintf("%s '%s'", option, text);
	size_t n = word_length(text);
	const char *body = text;

	*ret = (struct window_spec){.option = option};
	if (n && text[n] == '=') {
		body = text + n + 1;
		if (!isalpha((unsigned char)*text))
			return err__usage(err,
					  "%s: the name of a window begins with a letter "
					  "and goes on with letters, digits and _",
					  whole);
		ret->name = xstrndup(text, n);
	} else {
		ret->name = xstrdup(text);
	}
	if (!*body)
		return err__usage(err, "%s: what the window is is missing, as in %s loop", whole,
				  option);
	if (strcmp(body, "loop") == 0)
		ret->kind = WINDOW_LOOP;
	else if (strcmp(body, "run") == 0)
		ret->kind = WINDOW_RUN;
	else if (starts_with(body, "syscall") && !isalnum((unsigned char)body[7]))
		return parse_call(ret, body + 7, whole, err);
	else
		return parse_probes(ret, hits, body, whole, err);
	return 0;
}

static void probe_done(struct window_probe *p)
{
	free(p->file);
	free(p->group);
	free(p->name);
}

void window_spec__done(struct window_spec *spec)
{
	free(spec->name);
	free(spec->call);
	probe_done(&spec->from);
	probe_done(&spec->to);
	*spec = (struct window_spec){0};
}
