// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/perf_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/frames.h"
#include "prof/moments.h"
#include "prof/other.h"
#include "render/escape.h"

struct perf_text {
	const struct prof *prof;
	const struct format_opts *opts;
	struct prof_frames frames; /* of the sample at hand */
	struct prof_event *events;
	size_t n_events;
	bool timed; /* it has a timeline */
};

/* Readers take the first number behind the command for a pid, and what is in parentheses for a
 * module. */
static void put_word(struct buf *out, const char *text)
{
	size_t start = out->len;

	escape_name(out, text);
	for (size_t i = start; i < out->len; i++) {
		if (out->data[i] == '(' || out->data[i] == ')')
			out->data[i] = '_';
	}
}

/* Of a recording with a timeline, since it began, in steps of its grid; else 0. */
static double seconds_of(const struct perf_text *t, uint32_t labels)
{
	uint64_t ns;

	return t->timed && moments__at_ns(t->prof, labels, &ns) ? (double)ns / 1e9 : 0;
}

/* "cmd  123/456 [000] 0.000000:   1000003 cycles: " */
static void put_head(struct buf *out, const struct perf_text *t, size_t i, const char *event,
		     int64_t number)
{
	const struct prof *p = t->prof;
	uint32_t labels = p->samples[i].labels;
	const struct prof_label *comm = prof__label(p, labels, "comm");
	const struct prof_label *pid = prof__label(p, labels, "pid");
	const struct prof_label *tid = prof__label(p, labels, "tid");
	const struct prof_label *cpu = prof__label(p, labels, "cpu");

	/* who reads this takes one sign for no command */
	put_word(out, comm && *prof__text(p, comm->text) ? prof__text(p, comm->text) : "[unknown]");
	buf__printf(out, " %" PRId64 "/%" PRId64, pid ? pid->number : 0,
		    tid ? tid->number :
		    pid ? pid->number :
			  0);
	if (cpu)
		buf__printf(out, " [%03" PRId64 "]", cpu->number);
	buf__printf(out, " %.6f: %10" PRId64 " ", seconds_of(t, labels), number);
	put_word(out, event);
	buf__puts(out, ": \n");
}

static void put_frames(struct buf *out, const struct prof *p, struct prof_frames *frames,
		       const struct format_opts *opts)
{
	for (size_t i = 0; i < frames->n && (!opts->max_depth || i < opts->max_depth); i++) {
		const struct prof_frame *f = &frames->list[i];
		const char *module =
			prof__text(p, p->mappings[p->locations[f->location].mapping].file);
		_cleanup_(buf__done) struct buf name = {0};

		prof_frame__text(f, p, opts->lines, &name);
		buf__printf(out, "\t%16" PRIx64 " ", p->locations[f->location].address);
		escape_name(out, name.data);
		buf__puts(out, " (");
		/* who reads this calls what has no name by its module */
		if (f->inlined && prof__function_name(p, f->function))
			module = "inlined";
		put_word(out, *module ? module : "[unknown]");
		buf__puts(out, ")\n");
	}
	buf__putc(out, '\n');
}

static bool put_sample(struct buf *out, const struct perf_text *t, size_t i,
		       const struct prof_event *event)
{
	const int64_t *values = prof__values(t->prof, i);
	int64_t number = values[prof_event__type(event, t->opts->unit)];

	if (number <= 0)
		return false;
	put_head(out, t, i, event->name, number);
	return true;
}

static void put_text(struct buf *out, struct perf_text *t, size_t i)
{
	prof_frames__expand(&t->frames, t->prof, t->prof->samples[i].stack, t->opts->inlined);
	buf__clear(out);
	for (size_t e = 0; e < t->n_events; e++) {
		if (put_sample(out, t, i, &t->events[e]))
			put_frames(out, t->prof, &t->frames, t->opts);
	}
}

static void perf_text__begin(struct perf_text *t, const struct prof *prof,
			     const struct format_opts *opts)
{
	*t = (struct perf_text){.prof = prof, .opts = opts};
	t->n_events = prof__counted_events(prof, &t->events);
	t->timed = moments__grid_ns(prof);
}

static void perf_text__done(struct perf_text *t)
{
	prof_frames__done(&t->frames);
	prof_events__free(t->events, t->n_events);
}

/* NULL: all of it fits. */
static struct prof *make_room(const struct prof *prof, const struct format_opts *opts)
{
	_cleanup_free_ struct room_item *items = xcalloc(prof->n_samples, sizeof(*items));
	_cleanup_free_ bool *give_up = xcalloc(prof->n_samples, sizeof(*give_up));
	_cleanup_(buf__done) struct buf text = {0};
	_cleanup_(perf_text__done) struct perf_text t = {0};

	perf_text__begin(&t, prof, opts);
	for (size_t i = 0; i < prof->n_samples; i++) {
		put_text(&text, &t, i);
		items[i] = (struct room_item){text.len, prof_events__weight(t.events, t.n_events,
									    prof, i, opts->unit)};
	}
	if (!room__share(items, prof->n_samples,
			 opts->max_bytes - opts->max_bytes / ROOM_OTHERS_PART, give_up, opts->cut))
		return NULL;
	return prof__with_other(prof, give_up,
				opts->max_bytes / ROOM_OTHERS_PART / ROOM_OTHER_BYTES);
}

static int write_all(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	_cleanup_(buf__done) struct buf text = {0};
	_cleanup_(perf_text__done) struct perf_text t = {0};

	perf_text__begin(&t, prof, opts);
	errno = 0;
	for (size_t i = 0; i < prof->n_samples; i++) {
		put_text(&text, &t, i);
		if (text.len && fwrite(text.data, 1, text.len, file) != text.len)
			break;
	}
	if (!ferror(file) && fflush(file) == 0)
		return 0;
	return errno ? -errno : -EIO;
}

int perf_text__write(FILE *file, const struct prof *prof, const struct format_opts *opts)
{
	struct prof *smaller = opts->max_bytes ? make_room(prof, opts) : NULL;
	int r = write_all(file, smaller ? smaller : prof, opts);

	prof__free(smaller);
	return r;
}
