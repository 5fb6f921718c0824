// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/format.h"

#include <string.h>

#include "base/mem.h"
#include "render/folded.h"
#include "render/html.h"
#include "render/packets.h"
#include "render/perf_text.h"
#include "render/pprof.h"
#include "render/shrink.h"
#include "render/speedscope.h"
#include "render/towers.h"

static int write_shrunk(FILE *file, const struct prof *prof, const struct format_opts *opts,
			const struct shrink_prices *prices,
			int (*write)(FILE *file, const struct prof *prof))
{
	struct prof *smaller = shrink(prof, opts, prices);
	int r = write(file, smaller ? smaller : prof);

	prof__free(smaller);
	return r;
}

static int write_pprof(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	/* before it is compressed, which made-up names and stacks hardly are */
	static const struct shrink_prices prices = {
		.sample = 16,
		.value = 10,
		.label = 24,
		.frame = 4,
		.location = 24,
		.function = 28,
		.once = true,
	};

	return write_shrunk(file, prof, opts, &prices, pprof__write);
}

static int write_html(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	struct shrink_prices prices = {
		.sample = 14,
		.value = 10,
		.labels = 24,
		.frame = 4,
		.function = 28,
		.once = true,
		.as_json = true,
	};
	struct format_opts compressed = *opts;
	struct prof *smaller;
	int r;

	compressed.max_bytes = opts->max_bytes / 4 * 3; /* base64 */
	if (tower__is_of_profile(prof)) {
		prices.sample += 5;  /* the number of its tower */
		prices.labels += 60; /* that, and its object and member as functions */
	}
	smaller = shrink(prof, &compressed, &prices);
	r = html__write(file, smaller ? smaller : prof, NULL, opts->code);
	prof__free(smaller);
	return r;
}

static int write_speedscope(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	/* each value is of another list of stacks, at most */
	const unsigned lists = (unsigned)prof->n_types;
	const struct shrink_prices prices = {
		.sample = 4 * lists,
		.value = 22,
		.labels = 200 * lists,
		.frame = 8 * lists,
		.function = 56,
		.as_json = true,
	};

	return write_shrunk(file, prof, opts, &prices, speedscope__write);
}

const struct format formats[N_FORMATS] = {
#define X(id, word, suffixes, title, positive, whole, write) \
	{word, suffixes, title, positive, whole, write},
	FORMATS(X, X)
#undef X
};

const struct format *format__named(const char *name)
{
	for (const struct format *f = formats; f < formats + N_FORMATS; f++) {
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

	for (const struct format *f = formats; f < formats + N_FORMATS; f++) {
		for (const char *s = f->suffixes; *s; s += strspn(s, " ")) {
			size_t len = strcspn(s, " ");

			if (ends_in(base, s, len))
				return f;
			s += len;
		}
	}
	return NULL;
}

bool format__is_of_others(const char *path)
{
	static const char *const suffixes[] = {".svg", ".png", ".pb", ".data"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (ends_in(base, suffixes[i], strlen(suffixes[i])))
			return true;
	}
	return false;
}

const struct format *format__of(const char *path)
{
	const struct format *f = format__by_suffix(path);

	return f ? f : &formats[FORMAT_FOLDED];
}

size_t prof_event__type(const struct prof_event *event, int unit)
{
	size_t own = event->events != PROF_NO_TYPE ? event->events : event->time;
	size_t time = event->time != PROF_NO_TYPE ? event->time : own;

	if (unit == NUMBER_SAMPLES || own == PROF_NO_TYPE)
		return event->samples != PROF_NO_TYPE ? event->samples : own;
	return unit == NUMBER_EVENTS ? own : time;
}

int64_t prof_events__weight(const struct prof_event *events, size_t n, const struct prof *p,
			    size_t sample, int unit)
{
	const int64_t *values = prof__values(p, sample);
	int64_t weight = 0;

	for (size_t e = 0; e < n; e++)
		weight += values[prof_event__type(&events[e], unit)];
	return weight;
}
