// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/format.h"

#include <string.h>

#include "out/folded.h"
#include "out/html.h"
#include "out/perf_text.h"
#include "out/pprof.h"
#include "out/speedscope.h"

static int write_pprof(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	(void)opts;
	return pprof__write(file, prof);
}

static int write_html(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	(void)opts;
	return html__write(file, prof, NULL);
}

static int write_speedscope(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	(void)opts;
	return speedscope__write(file, prof);
}

const struct format formats[] = {
	{"folded", ".folded .txt", "collapsed stacks", false, false, folded__write},
	{"pprof", ".pb.gz .pprof", "pprof, gzip'd", false, true, write_pprof},
	{"html", ".html", "flame graph, one HTML file", false, true, write_html},
	{"speedscope", ".json", "speedscope's JSON", true, true, write_speedscope},
	{"perf", ".perf", "text like perf script's", true, false, perf_text__write},
	{0},
};

const struct format *format__named(const char *name)
{
	for (const struct format *f = formats; f->name; f++) {
		if (strcmp(f->name, name) == 0)
			return f;
	}
	return NULL;
}

static bool ends_in(const char *base, const char *suffix, size_t len)
{
	size_t n = strlen(base);

	return n > len && memcmp(base + n - len, suffix, len) == 0;
}

const struct format *format__by_suffix(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (const struct format *f = formats; f->name; f++) {
		for (const char *s = f->suffixes; s && *s; s += strspn(s, " ")) {
			size_t len = strcspn(s, " ");

			if (ends_in(base, s, len))
				return f;
			s += len;
		}
	}
	return NULL;
}

const struct format *format__of(const char *path)
{
	const struct format *f = format__by_suffix(path);

	return f ? f : &formats[0];
}

size_t prof_event__type(const struct prof_event *event, int unit)
{
	size_t own = event->events != PROF_NO_TYPE ? event->events : event->time;
	size_t time = event->time != PROF_NO_TYPE ? event->time : own;

	if (unit == NUMBER_SAMPLES || own == PROF_NO_TYPE)
		return event->samples != PROF_NO_TYPE ? event->samples : own;
	return unit == NUMBER_EVENTS ? own : time;
}
