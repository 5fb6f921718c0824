// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters never go down while their series is there. A container that gives its place up takes its
 * sums with it: put into [other] they would look like work of the last minute.
 */
#include "render/metrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/escape.h"

enum column { SEEN, FILTERED, CLOSED, DROPPED, DECODED, DISCARDED, AGGREGATED, N_COLUMNS };
static const char *const columns[] = {
	[SEEN] = "seen",
	[FILTERED] = "filtered",
	[CLOSED] = "closed",
	[DROPPED] = "dropped",
	[DECODED] = "decoded",
	[DISCARDED] = "discarded",
	[AGGREGATED] = "aggregated",
};

struct value {
	uint64_t samples, events, time_ns;
};

struct container {
	char *name; /* as it was found; NULL: nobody has the place */
	uint64_t last_ns;
	struct value values[METRICS_EVENTS];
};

struct event {
	char *name;
	bool is_cpu_time; /* its time is that of CPUs: one event alone has that */
	bool in_books, has_events;
	uint64_t columns[N_COLUMNS];
};

struct metrics {
	struct event events[METRICS_EVENTS];
	size_t n_events;
	bool has_cpu_time;
	struct container other, list[METRICS_CONTAINERS];
	size_t n;
	uint64_t windows, kernel_ns, process_ns, helpers_ns;
};

struct metrics *metrics__new(void)
{
	struct metrics *m = xcalloc(1, sizeof(*m));

	m->other.name = xstrdup("[other]");
	return m;
}

struct metrics *metrics__free(struct metrics *m)
{
	if (!m)
		return NULL;
	for (size_t i = 0; i < m->n; i++)
		free(m->list[i].name);
	for (size_t i = 0; i < m->n_events; i++)
		free(m->events[i].name);
	free(m->other.name);
	free(m);
	return NULL;
}

/* ---------------------------------------------------------------- adding up */

/* NULL: there are too many. */
static struct event *event_called(struct metrics *m, const char *name)
{
	for (size_t i = 0; i < m->n_events; i++) {
		if (strcmp(m->events[i].name, name) == 0)
			return &m->events[i];
	}
	if (m->n_events == METRICS_EVENTS)
		return NULL;
	m->events[m->n_events] = (struct event){.name = xstrdup(name)};
	return &m->events[m->n_events++];
}

static void forget_idle(struct metrics *m, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (now_ns - m->list[i].last_ns > METRICS_IDLE_NS)
			free(m->list[i].name);
		else if (kept++ != i)
			m->list[kept - 1] = m->list[i];
	}
	m->n = kept;
}

static struct container *container_called(struct metrics *m, const char *name, uint64_t now_ns)
{
	for (size_t i = 0; i < m->n; i++) {
		if (strcmp(m->list[i].name, name) == 0) {
			m->list[i].last_ns = now_ns;
			return &m->list[i];
		}
	}
	if (m->n == METRICS_CONTAINERS)
		return &m->other;
	m->list[m->n] = (struct container){.name = xstrdup(name), .last_ns = now_ns};
	return &m->list[m->n++];
}

static uint64_t value_of(const int64_t *values, size_t type)
{
	return type != PROF_NO_TYPE && values[type] > 0 ? (uint64_t)values[type] : 0;
}

static void add_samples(struct metrics *m, const struct prof *prof, const struct prof_event *from,
			const struct event *event, uint64_t now_ns)
{
	size_t at = (size_t)(event - m->events);

	for (size_t i = 0; i < prof->n_samples; i++) {
		const struct prof_label *label =
			prof__label(prof, prof->samples[i].labels, "container");
		const int64_t *values = prof__values(prof, i);
		uint64_t samples = value_of(values, from->samples);
		struct value *to;

		if (!samples)
			continue;
		to = &container_called(m, label ? prof__text(prof, label->text) : "[host]", now_ns)
			      ->values[at];
		to->samples += samples;
		to->events += value_of(values, from->events);
		/* the idle loop is no work of anybody's */
		if (event->is_cpu_time && !prof__is_idle(prof, prof->samples[i].stack))
			to->time_ns += value_of(values, from->time);
	}
}

static void add_profile(struct metrics *m, const struct metrics_window *w)
{
	struct prof_event *events;
	size_t n = prof__events(w->prof, &events);

	for (size_t i = 0; i < n; i++) {
		struct event *event = event_called(m, events[i].name);

		if (!event)
			continue;
		event->has_events |= events[i].events != PROF_NO_TYPE;
		if (!m->has_cpu_time && events[i].time != PROF_NO_TYPE &&
		    !starts_with(events[i].name, "off-cpu"))
			m->has_cpu_time = event->is_cpu_time = true;
		add_samples(m, w->prof, &events[i], event, w->end_ns);
	}
	prof_events__free(events, n);
}

static void add_books(struct metrics *m, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_events; i++) {
		const struct ledger_event *e = &ledger->events[i];
		struct event *event = event_called(m, e->name);

		if (!event)
			continue;
		event->in_books = true;
		event->columns[SEEN] += e->kernel.seen;
		event->columns[FILTERED] += e->kernel.filtered;
		event->columns[CLOSED] += e->kernel.closed;
		event->columns[DROPPED] += ledger_event__dropped(e);
		event->columns[DECODED] += e->decoded;
		event->columns[DISCARDED] += e->foreign + e->quick + e->unheld + e->no_memory;
		event->columns[AGGREGATED] += e->aggregated;
	}
}

void metrics__add(struct metrics *m, const struct metrics_window *w)
{
	forget_idle(m, w->end_ns);
	add_profile(m, w);
	add_books(m, w->ledger);
	m->windows++;
	m->kernel_ns += w->kernel_ns;
	m->process_ns += w->process_ns;
	m->helpers_ns += w->helpers_ns;
}

/* ---------------------------------------------------------------- the text */

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf__printf(out, "# HELP pmubpf_%s %s\n# TYPE pmubpf_%s %s\n", name, help, name, type);
}

/* What is printable is left, then a backslash stands for itself no more. */
static void label(struct buf *out, const char *key, const char *text)
{
	_cleanup_(buf__done) struct buf plain = {0};

	escape_name(&plain, text);
	buf__printf(out, "%s=\"", key);
	for (const char *c = plain.len ? plain.data : ""; *c; c++) {
		if (*c == '"' || *c == '\\')
			buf__putc(out, '\\');
		buf__putc(out, *c);
	}
	buf__putc(out, '"');
}

static void seconds(struct buf *out, uint64_t ns)
{
	buf__printf(out, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void plain(struct buf *out, const char *name, const char *type, const char *help,
		  uint64_t value)
{
	head(out, name, type, help);
	buf__printf(out, "pmubpf_%s %" PRIu64 "\n", name, value);
}

enum what { SAMPLES, EVENTS, CPU_TIME };

static void print_value(struct buf *out, const char *name, enum what what,
			const struct event *event, const struct container *c,
			const struct value *value)
{
	if (!value->samples)
		return;
	buf__printf(out, "pmubpf_%s{", name);
	label(out, "container", c->name);
	if (what != CPU_TIME) {
		buf__putc(out, ',');
		label(out, "event", event->name);
	}
	buf__putc(out, '}');
	if (what == CPU_TIME)
		seconds(out, value->time_ns);
	else
		buf__printf(out, " %" PRIu64 "\n", what == EVENTS ? value->events : value->samples);
}

static void print_containers(const struct metrics *m, const char *name, const char *help,
			     enum what what, struct buf *out)
{
	head(out, name, "counter", help);
	for (size_t e = 0; e < m->n_events; e++) {
		const struct event *event = &m->events[e];

		if ((what == CPU_TIME && !event->is_cpu_time) ||
		    (what == EVENTS && !event->has_events))
			continue;
		for (size_t i = 0; i < m->n; i++)
			print_value(out, name, what, event, &m->list[i], &m->list[i].values[e]);
		print_value(out, name, what, event, &m->other, &m->other.values[e]);
	}
}

static void print_books(const struct metrics *m, struct buf *out)
{
	head(out, "overflows_total", "counter",
	     "What became of overflows: the columns of the ledger.");
	for (size_t e = 0; e < m->n_events; e++) {
		for (unsigned c = 0; m->events[e].in_books && c < N_COLUMNS; c++) {
			buf__printf(out, "pmubpf_overflows_total{column=\"%s\",", columns[c]);
			label(out, "event", m->events[e].name);
			buf__printf(out, "} %" PRIu64 "\n", m->events[e].columns[c]);
		}
	}
}

static void print_cost(const struct metrics *m, struct buf *out)
{
	const struct {
		const char *part;
		uint64_t ns;
	} parts[] = {
		{"overflow_programs", m->kernel_ns},
		{"agent", m->process_ns},
		{"helpers", m->helpers_ns},
	};

	head(out, "self_cpu_seconds_total", "counter", "CPU time that the recording has cost.");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		buf__printf(out, "pmubpf_self_cpu_seconds_total{part=\"%s\"}", parts[i].part);
		seconds(out, parts[i].ns);
	}
}

static void print_spool(const struct metrics_now *now, struct buf *out)
{
	plain(out, "spool_windows", "gauge", "Windows in the folder.", now->windows);
	plain(out, "spool_bytes", "gauge", "Room that they take.", now->bytes);
	plain(out, "spool_waiting_windows", "gauge", "Windows in memory that aren't written yet.",
	      now->waiting);
	plain(out, "spool_windows_written_total", "counter", "Windows written by this agent.",
	      now->written);
	plain(out, "spool_windows_lost_total", "counter", "Windows that could not be written.",
	      now->lost);
	head(out, "spool_windows_removed_total", "counter", "Windows removed, and why.");
	buf__printf(out,
		    "pmubpf_spool_windows_removed_total{why=\"keep\"} %" PRIu64
		    "\npmubpf_spool_windows_removed_total{why=\"max-disk\"} %" PRIu64 "\n",
		    now->expired, now->over);
}

static void print_destinations(const struct metrics_now *now, struct buf *out)
{
	static const char windows[] = "destination_windows_total",
			  starts[] = "destination_sender_starts_total", up[] = "destination_up";

	if (!now->n_destinations)
		return;
	head(out, windows, "counter", "What became of windows that are sent, ever.");
	for (size_t i = 0; i < now->n_destinations; i++) {
		const struct metrics_destination *d = &now->destinations[i];
		const struct {
			const char *word;
			uint64_t n;
		} list[] = {{"sent", d->sent},
			    {"refused", d->refused},
			    {"expired", d->expired},
			    {"uncertain", d->uncertain}};

		for (size_t k = 0; k < ARRAY_SIZE(list); k++) {
			buf__printf(out, "pmubpf_%s{outcome=\"%s\",", windows, list[k].word);
			label(out, "to", d->to);
			buf__printf(out, "} %" PRIu64 "\n", list[k].n);
		}
	}
	head(out, starts, "counter", "How often the sender was started.");
	for (size_t i = 0; i < now->n_destinations; i++) {
		buf__printf(out, "pmubpf_%s{", starts);
		label(out, "to", now->destinations[i].to);
		buf__printf(out, "} %" PRIu64 "\n", now->destinations[i].starts);
	}
	head(out, up, "gauge", "Whether the sender runs.");
	for (size_t i = 0; i < now->n_destinations; i++) {
		buf__printf(out, "pmubpf_%s{", up);
		label(out, "to", now->destinations[i].to);
		buf__printf(out, "} %d\n", now->destinations[i].running);
	}
}

static void print_alarms(const struct metrics_now *now, struct buf *out)
{
	static const char active[] = "alarm_active", raised[] = "alarms_total";

	if (!now->n_alarms)
		return;
	head(out, active, "gauge", "Whether the relation isn't what was usual.");
	for (size_t i = 0; i < now->n_alarms; i++) {
		buf__printf(out, "pmubpf_%s{", active);
		label(out, "relation", now->alarms[i].relation);
		buf__printf(out, "} %d\n", now->alarms[i].active);
	}
	head(out, raised, "counter", "How often an alarm was raised.");
	for (size_t i = 0; i < now->n_alarms; i++) {
		buf__printf(out, "pmubpf_%s{", raised);
		label(out, "relation", now->alarms[i].relation);
		buf__printf(out, "} %" PRIu64 "\n", now->alarms[i].raised);
	}
}

static void print_detail(const struct metrics_now *now, struct buf *out)
{
	if (!now->may_detail)
		return;
	plain(out, "detail_active", "gauge", "Whether it is recorded in detail now.", now->detail);
	head(out, "detail_seconds_total", "counter", "How long it was recorded in detail.");
	buf__puts(out, "pmubpf_detail_seconds_total");
	seconds(out, now->detail_ns);
	plain(out, "detail_refused_total", "counter",
	      "Alarms around which it was not, or not as long as it should.", now->detail_refused);
}

void metrics__print(const struct metrics *m, const struct metrics_now *now, struct buf *out)
{
	if (m->has_cpu_time)
		print_containers(m, "cpu_seconds_total",
				 "CPU time by container, as sampled; of no container: [host].",
				 CPU_TIME, out);
	print_containers(m, "events_total", "Events that the samples of a container stand for.",
			 EVENTS, out);
	print_containers(m, "samples_total", "Samples by container.", SAMPLES, out);
	print_books(m, out);
	print_cost(m, out);
	plain(out, "self_resident_peak_bytes", "gauge", "Memory of the agent, at its most.",
	      now->rss_bytes);
	plain(out, "windows_total", "counter", "Windows recorded.", m->windows);
	head(out, "window_end_timestamp_seconds", "gauge", "When the last window ended.");
	buf__printf(out, "pmubpf_window_end_timestamp_seconds %" PRId64 ".%03" PRId64 "\n",
		    now->last_ns / 1000000000, now->last_ns / 1000000 % 1000);
	print_spool(now, out);
	print_destinations(now, out);
	print_alarms(now, out);
	print_detail(now, out);
}
