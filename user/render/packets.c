// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows of a profile that are told apart by moment, thread and CPU are overflows, but for those that
 * found no room in memory: a line says how many overflows it is.
 */
#include "render/packets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/frames.h"
#include "prof/moments.h"
#include "render/json.h"

enum { PACKETS_VERSION = 1, FLUSH_BYTES = 64 * 1024 };

struct packets {
	const struct prof *prof;
	const struct format_opts *opts;
	FILE *file;
	struct buf text;
	uint64_t written;
	int64_t *rest;             /* by type: what finds no room in the file */
	struct prof_frames frames; /* of the stack at hand */
	struct prof_event *events;
	size_t n_events;
	bool *said; /* by stack: it has its line */
};

/* Members of their own; all others are in "labels". */
static const char *const own[] = {"comm", "pid", "tid", "cpu", MOMENT_LABEL};

static void put_address(struct json *j, const char *key, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json__str(j, key, text);
}

static const char *module_of(const struct prof *p, const struct prof_frame *f)
{
	const char *module = prof__text(p, p->mappings[p->locations[f->location].mapping].file);

	return *module ? module : NULL;
}

static void put_frame(struct json *j, const struct prof *p, const struct prof_frame *f)
{
	const char *file = f->function ? prof__text(p, p->functions[f->function].file) : "";
	uint32_t name = f->function ? prof__function_name(p, f->function) : 0;

	json__obj(j, NULL);
	json__str(j, "function", name ? prof__text(p, name) : NULL);
	json__str(j, "module", module_of(p, f));
	put_address(j, "address", p->locations[f->location].address);
	if (*file)
		json__str(j, "file", file);
	if (f->line > 0)
		json__i64(j, "line", f->line);
	if (f->inlined)
		json__bool(j, "inlined", true);
	json__end_obj(j);
}

static void put_stack(struct packets *w, uint32_t stack)
{
	struct json j = {.out = &w->text, .one_line = true};

	w->said[stack] = true;
	json__obj(&j, NULL);
	json__u64(&j, "stack", stack);
	json__arr(&j, "frames");
	for (size_t i = 0; i < w->frames.n; i++)
		put_frame(&j, w->prof, &w->frames.list[i]);
	json__end_arr(&j);
	json__end_obj(&j);
}

static bool is_own(const char *key)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(own) && strcmp(own[i], key) != 0)
		i++;
	return i < ARRAY_SIZE(own);
}

static void put_label(struct json *j, const struct prof *p, const struct prof_label *label)
{
	const char *key = prof__text(p, label->key);

	if (label->text)
		json__str(j, key, prof__text(p, label->text));
	else
		json__i64(j, key, label->number);
}

static void put_own(struct json *j, const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	if (label)
		put_label(j, p, label);
}

static void put_others(struct json *j, const struct prof *p, uint32_t labels)
{
	const struct prof_label *list;
	size_t n = prof__label_set(p, labels, &list), i = 0;

	while (i < n && is_own(prof__text(p, list[i].key)))
		i++;
	if (i == n)
		return;
	json__obj(j, "labels");
	for (; i < n; i++) {
		if (!is_own(prof__text(p, list[i].key)))
			put_label(j, p, &list[i]);
	}
	json__end_obj(j);
}

/* Whose and when. */
static void put_place(struct json *j, const struct prof *p, uint32_t labels)
{
	uint64_t ns;

	if (moments__at_ns(p, labels, &ns))
		json__u64(j, "time_ns", ns);
	for (size_t i = 0; i + 1 < ARRAY_SIZE(own); i++)
		put_own(j, p, labels, own[i]);
}

static void put_value(struct json *j, const struct prof *p, const struct prof_event *event,
		      const int64_t *values)
{
	size_t type = event->events != PROF_NO_TYPE ? event->events : event->time;

	json__str(j, "event", event->name);
	if (event->samples != PROF_NO_TYPE)
		json__i64(j, "samples", values[event->samples]);
	if (type == PROF_NO_TYPE)
		return;
	json__i64(j, "value", values[type]);
	json__str(j, "unit", prof__text(p, p->types[type].unit));
	if (event->time != PROF_NO_TYPE && event->time != type)
		json__i64(j, "ns", values[event->time]);
}

static bool is_there(const struct prof_event *event, const int64_t *values)
{
	const size_t types[] = {event->samples, event->events, event->time};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i] != PROF_NO_TYPE && values[types[i]])
			return true;
	}
	return false;
}

static void put_packet(struct packets *w, const struct prof_sample *sample,
		       const struct prof_event *event, const int64_t *values)
{
	struct json j = {.out = &w->text, .one_line = true};
	const struct prof *p = w->prof;

	json__obj(&j, NULL);
	put_place(&j, p, sample->labels);
	put_value(&j, p, event, values);
	if (w->frames.n) {
		put_address(&j, "pc", p->locations[w->frames.list[0].location].address);
		json__str(&j, "module", module_of(p, &w->frames.list[0]));
	}
	json__u64(&j, "stack", sample->stack);
	put_others(&j, p, sample->labels);
	json__end_obj(&j);
}

static int flush(struct packets *w)
{
	if (w->text.len && fwrite(w->text.data, 1, w->text.len, w->file) != w->text.len)
		return errno ? -errno : -EIO;
	w->written += w->text.len;
	buf__clear(&w->text);
	return 0;
}

static bool fits(const struct packets *w)
{
	uint64_t room = w->opts->max_bytes - w->opts->max_bytes / ROOM_OTHERS_PART;

	return !w->opts->max_bytes || w->written + w->text.len <= room;
}

static void leave_out(struct packets *w, size_t i, const int64_t *values)
{
	const struct room_item item = {
		.weight = prof_events__weight(w->events, w->n_events, w->prof, i, w->opts->unit),
	};

	for (size_t type = 0; type < w->prof->n_types; type++)
		w->rest[type] += values[type];
	room_cut__add(w->opts->cut, &item);
}

static void put_sample(struct packets *w, size_t i)
{
	const struct prof_sample *sample = &w->prof->samples[i];
	const int64_t *values = prof__values(w->prof, i);
	bool was_said = w->said[sample->stack];
	size_t before = w->text.len;

	prof_frames__expand(&w->frames, w->prof, sample->stack, true);
	if (!was_said)
		put_stack(w, sample->stack);
	for (size_t e = 0; e < w->n_events; e++) {
		if (is_there(&w->events[e], values))
			put_packet(w, sample, &w->events[e], values);
	}
	if (fits(w))
		return;
	w->text.len = before;
	w->said[sample->stack] = was_said;
	leave_out(w, i, values);
}

static void put_rest(struct packets *w)
{
	for (size_t e = 0; e < w->n_events; e++) {
		struct json j = {.out = &w->text, .one_line = true};

		if (!is_there(&w->events[e], w->rest))
			continue;
		json__obj(&j, NULL);
		json__bool(&j, "no_room", true);
		put_value(&j, w->prof, &w->events[e], w->rest);
		json__end_obj(&j);
	}
}

/* What the lines after it mean. */
static void put_head(struct packets *w)
{
	struct json j = {.out = &w->text, .one_line = true};
	const struct prof *p = w->prof;

	json__obj(&j, NULL);
	json__u64(&j, "packets", PACKETS_VERSION);
	json__str(&j, "version", PMUBPF_VERSION);
	json__i64(&j, "began_ns", p->time_ns);
	json__i64(&j, "duration_ns", p->duration_ns);
	json__u64(&j, "grid_ns", moments__grid_ns(p));
	json__arr(&j, "events");
	for (size_t e = 0; e < w->n_events; e++)
		json__str(&j, NULL, w->events[e].name);
	json__end_arr(&j);
	json__arr(&j, "comments");
	for (size_t i = 0; i < p->n_comments; i++)
		json__str(&j, NULL, prof__text(p, p->comments[i]));
	json__end_arr(&j);
	json__end_obj(&j);
}

struct moment {
	uint64_t ns;
	size_t sample;
};

/* What has none is last. */
static int compare_moments(const void *pa, const void *pb)
{
	const struct moment *a = pa, *b = pb;

	return a->ns != b->ns ? CMP3(a->ns, b->ns) : CMP3(a->sample, b->sample);
}

static struct moment *in_order(const struct prof *p)
{
	struct moment *all = xcalloc(p->n_samples + 1, sizeof(*all));

	for (size_t i = 0; i < p->n_samples; i++) {
		all[i].sample = i;
		if (!moments__at_ns(p, p->samples[i].labels, &all[i].ns))
			all[i].ns = UINT64_MAX;
	}
	qsort(all, p->n_samples, sizeof(*all), compare_moments);
	return all;
}

int packets__write(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	struct packets w = {.prof = prof, .opts = opts, .file = file};
	_cleanup_free_ struct moment *order = in_order(prof);
	int r = 0;

	w.n_events = prof__counted_events(prof, &w.events);
	w.said = xcalloc(intern__count(&prof->stacks), sizeof(*w.said));
	w.rest = xcalloc(prof->n_types + 1, sizeof(*w.rest));
	put_head(&w);
	errno = 0;
	for (size_t i = 0; i < prof->n_samples && r == 0; i++) {
		put_sample(&w, order[i].sample);
		if (w.text.len >= FLUSH_BYTES)
			r = flush(&w);
	}
	put_rest(&w);
	if (r == 0)
		r = flush(&w);
	if (r == 0 && fflush(file) != 0)
		r = errno ? -errno : -EIO;
	free(w.said);
	free(w.rest);
	buf__done(&w.text);
	prof_frames__done(&w.frames);
	prof_events__free(w.events, w.n_events);
	return r;
}
