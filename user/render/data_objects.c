// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/data_objects.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "prof/data_objects.h"
#include "prof/sharing.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/report_head.h"

static void find(struct data_objects *ret, const struct objects_report *r,
		 const struct prof_event *event)
{
	size_t type = event->samples != PROF_NO_TYPE ? event->samples : report_event__type(event);

	data_objects__find(ret, r->report->prof, type);
}

/* Cycles of another event's samples are no samples. */
static bool has_samples(const struct report *p, size_t event)
{
	return !prof_events__is_latency(p->prof, p->events, p->n_events, event);
}

static size_t shown(const struct objects_report *r, const struct data_objects *o)
{
	return r->limit && r->limit < o->n ? r->limit : o->n;
}

static void put_number(struct buf *out, int64_t number)
{
	if (number)
		buf__printf(out, " %9" PRId64, number);
	else
		buf__printf(out, " %9s", "-");
}

/* Of neither of the three, by whichever reason: data_class has it. */
static int64_t others(const struct object_row *row)
{
	return row->samples - row->classes[DATA_VALIDATED] - row->classes[DATA_CANDIDATE] -
	       row->classes[DATA_CONTRADICTED];
}

static void put_part(struct buf *out, const char *before, const struct object_part *part,
		     int64_t whole)
{
	if (!*part->text)
		return;
	buf__puts(out, before);
	escape_name(out, part->text);
	buf__printf(out, " %.0f %%", num__percent(part->samples, whole));
}

static bool is_unknown(const struct object_row *row)
{
	return !*row->object && !*row->type;
}

static void put_row(const struct data_objects *o, const struct object_row *row, struct buf *out)
{
	buf__printf(out, "%6.2f %9" PRId64, num__percent(row->samples, o->with_data), row->samples);
	put_number(out, row->classes[DATA_VALIDATED]);
	put_number(out, row->classes[DATA_CANDIDATE]);
	put_number(out, row->classes[DATA_CONTRADICTED]);
	put_number(out, others(row));
	put_number(out, row->loads);
	put_number(out, row->stores);
	buf__puts(out, "  ");
	if (is_unknown(row))
		buf__puts(out, "[not known]");
	escape_name(out, row->object);
	if (*row->object && *row->type)
		buf__puts(out, ": ");
	escape_name(out, row->type);
	put_part(out, "; ", &row->member, row->samples);
	put_part(out, "; in ", &row->function, row->samples);
	buf__putc(out, '\n');
}

/* Of how many samples about data nobody knows about which. */
static int64_t unknown(const struct data_objects *o)
{
	int64_t samples = 0;

	for (size_t i = 0; i < o->n; i++)
		samples += is_unknown(&o->rows[i]) ? o->rows[i].samples : 0;
	return samples;
}

static void put_event(const struct objects_report *r, const struct prof_event *event,
		      struct buf *out)
{
	_cleanup_(data_objects__done) struct data_objects o;
	int64_t n_unknown;
	size_t n;

	find(&o, r, event);
	n = shown(r, &o);
	n_unknown = unknown(&o);
	buf__putc(out, '\n');
	report__put_event(r->report, event->name, out);
	buf__printf(out, "# samples   %" PRId64 " of %" PRId64 " are about data", o.with_data,
		    o.all);
	if (n_unknown)
		buf__printf(out, ", of %" PRId64 " of them it isn't known about which", n_unknown);
	buf__putc(out, '\n');
	if (n)
		buf__puts(out, "     %   samples validated candidate contrad.    others     loads"
			       "    stores  object: type; hottest member; function\n");
	for (size_t i = 0; i < n; i++)
		put_row(&o, &o.rows[i], out);
	if (n < o.n)
		buf__printf(out, "… and %zu more\n", o.n - n);
}

void objects_report__text(const struct objects_report *r, struct buf *out)
{
	const struct report *p = r->report;

	report__put_warnings(p->whole, "", p->events, p->n_events, report__but(p), out);
	report__put_files(p, out);
	for (size_t i = 0; i < p->n_events; i++) {
		if (has_samples(p, i))
			put_event(r, &p->events[i], out);
	}
}

static void put_part_json(struct json *j, const char *key, const struct object_part *part)
{
	if (!*part->text)
		return;
	json__obj(j, key);
	json__str(j, "name", part->text);
	json__i64(j, "samples", part->samples);
	json__end_obj(j);
}

static void put_row_json(struct json *j, const struct data_objects *o, const struct object_row *row)
{
	json__obj(j, NULL);
	json__str(j, "object", *row->object ? row->object : NULL);
	json__str(j, "type", *row->type ? row->type : NULL);
	json__i64(j, "samples", row->samples);
	json__f64(j, "percent", num__percent(row->samples, o->with_data), 4);
	json__obj(j, "classes");
	for (int i = 0; i < N_DATA_CLASSES; i++)
		json__i64(j, data_class_keys[i], row->classes[i]);
	json__end_obj(j);
	json__i64(j, "loads", row->loads);
	json__i64(j, "stores", row->stores);
	put_part_json(j, "hottest_member", &row->member);
	put_part_json(j, "hottest_function", &row->function);
	json__end_obj(j);
}

void objects_report__json(const struct objects_report *r, struct buf *out)
{
	const struct report *p = r->report;
	struct json j = {.out = out};

	report__begin_json(p, "report", &j);
	report__trouble_json(p, p->events, p->n_events, &j);
	json__arr(&j, "events");
	for (size_t i = 0; i < p->n_events; i++) {
		_cleanup_(data_objects__done) struct data_objects o = {0};

		if (!has_samples(p, i))
			continue;
		find(&o, r, &p->events[i]);
		json__obj(&j, NULL);
		json__str(&j, "event", p->events[i].name);
		json__i64(&j, "samples", o.all);
		json__i64(&j, "with_data", o.with_data);
		json__i64(&j, "not_known", unknown(&o));
		json__arr(&j, "objects");
		for (size_t k = 0; k < shown(r, &o); k++)
			put_row_json(&j, &o, &o.rows[k]);
		json__end_arr(&j);
		json__u64(&j, "hidden_objects", o.n - shown(r, &o));
		json__end_obj(&j);
	}
	json__end_arr(&j);
	json__end_obj(&j);
}
