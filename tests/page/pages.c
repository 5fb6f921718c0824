// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a picture of folded stacks, for the tests of the page (tests/e2e/html.sh), which know the
 * sums of what they have written:
 *
 * 	pages html NEW.folded [OLD.folded] >page.html
 * 	pages ratio NEW.folded >page.html
 * 	pages code NEW.folded CODE.json >page.html
 * 	pages speedscope NEW.folded >profile.json
 * 	pages pprof NEW.folded >profile.pb.gz
 *
 * Lines are "comm-PID/TID@CONTAINER&KEY=VALUE&…;frame;…;leaf N" (what follows comm may be missing;
 * \xHH in a VALUE is a byte; time is a number of milliseconds). Frames may end in _[k], _[j],
 * _[i], and a module may be before a `.
 * Two events come of it: "work", N nanoseconds and N / 1000 + 1 samples, and "misses",
 * N * 7919 % 1000 events; of "ratio" others, N "cycles" and so many "instructions" as the KEY insn
 * says, each with a sample for 1000.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "render/html.h"
#include "render/pprof.h"
#include "render/speedscope.h"

enum { DEEPEST = 512, MODULES = 256, LABELS = 24 };

struct maker {
	struct prof *p;
	bool timed, ratio;
	int64_t insn;
	char *modules[MODULES];
	size_t n_modules;
	uint32_t mapping[MODULES];
};

static uint32_t mapping_of(struct maker *m, const char *module)
{
	struct prof_mapping mapping = {.start = 0x1000, .limit = 0x2000, .has_functions = true};

	for (size_t i = 0; i < m->n_modules; i++) {
		if (strcmp(m->modules[i], module) == 0)
			return m->mapping[i];
	}
	if (m->n_modules == MODULES)
		return 0;
	mapping.file = prof__string(m->p, module);
	m->modules[m->n_modules] = xstrdup(module);
	return m->mapping[m->n_modules++] = prof__mapping(m->p, &mapping);
}

static bool cut_suffix(char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	if (len <= n || strcmp(name + len - n, suffix) != 0)
		return false;
	name[len - n] = '\0';
	return true;
}

/* One frame, with those that are inlined in it, outermost first in lines. */
static uint32_t location(struct maker *m, const char *module, struct prof_line *lines, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct prof_line swap = lines[i];

		lines[i] = lines[n - 1 - i];
		lines[n - 1 - i] = swap;
	}
	return prof__location(m->p, *module ? mapping_of(m, module) : 0,
			      *module ? 0x1000 + lines[n - 1].function : 0, lines, n);
}

static uint32_t function_of(struct maker *m, char *frame, const char **ret_module)
{
	struct prof_function f = {0};
	const char *module = cut_suffix(frame, "_[k]") ? "[kernel.kallsyms]" :
			     cut_suffix(frame, "_[j]") ? "[jit]" :
							 "";
	char *tick = strchr(frame, '`');

	if (tick) {
		*tick = '\0';
		module = frame;
		frame = tick + 1;
	}
	f.name = f.system_name = prof__string(m->p, frame);
	*ret_module = module;
	return prof__function(m->p, &f);
}

static uint32_t stack_of(struct maker *m, char *frames)
{
	uint32_t stack[DEEPEST], reversed[DEEPEST];
	struct prof_line lines[DEEPEST];
	size_t n = 0, n_lines = 0;
	const char *module = "", *ignored;
	char *frame;

	while ((frame = strsep(&frames, ";")) && n < DEEPEST && n_lines < DEEPEST) {
		bool inlined = cut_suffix(frame, "_[i]");

		if (!inlined && n_lines) {
			stack[n++] = location(m, module, lines, n_lines);
			n_lines = 0;
		}
		lines[n_lines++].function = function_of(m, frame, inlined ? &ignored : &module);
		lines[n_lines - 1].line = 0;
	}
	if (n_lines && n < DEEPEST)
		stack[n++] = location(m, module, lines, n_lines);
	for (size_t i = 0; i < n; i++)
		reversed[i] = stack[n - 1 - i];
	return prof__stack(m->p, reversed, n);
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		char hex[3] = {0};

		if (strncmp(text, "\\x", 2) != 0 || strlen(text) < 4) {
			*to++ = *text;
			continue;
		}
		memcpy(hex, text + 2, 2);
		*to++ = (char)strtoul(hex, NULL, 16);
		text += 3;
	}
	*to = '\0';
}

static uint32_t labels_of(struct maker *m, char *text)
{
	char *comm = strsep(&text, "&"), *more;
	char *dash = strrchr(comm, '-'), *slash = dash ? strchr(dash, '/') : NULL;
	char *box = slash ? strchr(slash, '@') : NULL;
	struct prof_label labels[LABELS] = {{.key = prof__string(m->p, "comm")}};
	size_t n = 1;

	if (box) {
		*box = '\0';
		labels[n++] = (struct prof_label){.key = prof__string(m->p, "container"),
						  .text = prof__string(m->p, box + 1)};
	}
	if (slash) {
		*dash = *slash = '\0';
		labels[n++] = (struct prof_label){.key = prof__string(m->p, "pid"),
						  .number = (int64_t)strtoull(dash + 1, NULL, 10)};
		labels[n++] = (struct prof_label){.key = prof__string(m->p, "tid"),
						  .number = (int64_t)strtoull(slash + 1, NULL, 10)};
	}
	labels[0].text = prof__string(m->p, comm);
	while ((more = strsep(&text, "&")) && n < LABELS) {
		const char *key = strsep(&more, "=");

		if (!more)
			continue;
		if (strcmp(key, "time") == 0) {
			labels[n++] =
				(struct prof_label){.key = prof__string(m->p, key),
						    .unit = prof__string(m->p, "milliseconds"),
						    .number = strtoll(more, NULL, 10)};
			m->timed = true;
			continue;
		}
		if (strcmp(key, "window_number") == 0) {
			labels[n++] =
				(struct prof_label){.key = prof__string(m->p, key),
						    .number = (int64_t)strtoull(more, NULL, 10)};
			continue;
		}
		if (strcmp(key, "insn") == 0) {
			m->insn = strtoll(more, NULL, 10);
			continue;
		}
		unescape(more);
		labels[n++] = (struct prof_label){.key = prof__string(m->p, key),
						  .text = prof__string(m->p, more)};
	}
	return prof__labels(m->p, labels, n);
}

static void add_line(struct maker *m, char *line)
{
	char *blank = strrchr(line, ' '), *frames;
	int64_t number, *values;
	uint32_t labels, stack;

	if (!blank)
		return;
	*blank = '\0';
	number = (int64_t)strtoull(blank + 1, NULL, 10);
	frames = line;
	line = strsep(&frames, ";");
	labels = labels_of(m, line);
	stack = frames ? stack_of(m, frames) : prof__stack(m->p, NULL, 0);
	values = prof__sample(m->p, stack, labels);
	values[0] += number / 1000 + 1;
	values[1] += number;
	values[2] += m->ratio ? m->insn : number * 7919 % 1000;
	if (m->ratio)
		values[3] += m->insn / 1000;
}

static struct prof *read_folded(const char *path, bool ratio)
{
	static const char *const comments[] =
		{"command: pages", "cpu: of a test, <b>bold</b>", "kernel: 6.18.0-test",
		 "books: seen 1000 = emitted 990 + filtered 10 + dropped 0"};
	struct maker m = {.p = prof__new(), .ratio = ratio};
	_cleanup_fclose_ FILE *file = fopen(path, "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	prof__type(m.p, ratio ? "cycles_sample" : "work_sample", "count");
	prof__type(m.p, ratio ? "cycles_event" : "work_time", ratio ? "count" : "nanoseconds");
	prof__type(m.p, ratio ? "instructions_event" : "misses_event", "count");
	if (ratio)
		prof__type(m.p, "instructions_sample", "count");
	m.p->default_type = prof__string(m.p, ratio ? "cycles_event" : "work_time");
	m.p->time_ns = 1790000000000000000;
	m.p->duration_ns = 2500000000;
	for (size_t i = 0; i < ARRAY_SIZE(comments); i++)
		prof__comment(m.p, comments[i]);
	while (file && getline(&line, &cap, file) > 0)
		add_line(&m, line);
	if (m.timed)
		prof__comment(m.p, "timeline: steps of 10 ms");
	for (size_t i = 0; i < m.n_modules; i++)
		free(m.modules[i]);
	return m.p;
}

static bool read_text(const char *path, struct buf *out)
{
	_cleanup_fclose_ FILE *file = fopen(path, "r");
	char some[4096];
	size_t n;

	while (file && (n = fread(some, 1, sizeof(some), file)) > 0)
		buf__add(out, some, n);
	return out->len > 0;
}

int main(int argc, char **argv)
{
	_cleanup_(buf__done) struct buf code = {0};
	struct prof *new, *old;
	bool ratio, coded;
	int r;

	if (argc < 3)
		return 2;
	ratio = strcmp(argv[1], "ratio") == 0;
	new = read_folded(argv[2], ratio);
	coded = strcmp(argv[1], "code") == 0;
	if (coded && (argc < 4 || !read_text(argv[3], &code)))
		return 2;
	old = argc > 3 && !coded ? read_folded(argv[3], ratio) : NULL;
	r = ratio || coded || strcmp(argv[1], "html") == 0 ? html__write(stdout, new, old, &code) :
	    strcmp(argv[1], "pprof") == 0                  ? pprof__write(stdout, new) :
							     speedscope__write(stdout, new);
	prof__free(new);
	prof__free(old);
	return r < 0;
}
