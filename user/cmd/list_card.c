// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `pmubpf list -v EVENT`: all there is to know of one event. What the kernel can tell is asked by
 * opening the event in every way; what only the program can tell is said to be so.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/list.h"
#include "pmu/capacity.h"
#include "pmu/event_db.h"
#include "pmu/measure.h"
#include "sys/cpus.h"

#define MEASURE_NS 100000000
#define PRECISE_LEVELS 3

enum addr { ADDR_NEVER, ADDR_PRECISE, ADDR_PERHAPS, ADDR_ALWAYS };

struct card {
	struct event event; /* a copy; what it points to is the list's */
	struct probe_result probe;
	bool precise[PRECISE_LEVELS + 1]; /* whether the kernel takes it; [0] is not used */
	enum addr addr;
	int at_once;     /* negative: not known */
	double expected; /* overflows a second of a busy CPU; NAN: depends on the program */
	char basis[96];
	double now; /* overflows a second, all CPUs together; NAN: not measured */
};

/* What would be counted for each overflow. */
static uint64_t card__period(const struct card *card)
{
	const struct event *event = &card->event;

	return event->rate_given && !event->attr.freq ? event->attr.sample_period : event->period;
}

__attribute__((format(printf, 3, 4))) static void expect(struct card *card, double per_second,
							 const char *fmt, ...)
{
	va_list ap;

	card->expected = per_second;
	va_start(ap, fmt);
	vsnprintf(card->basis, sizeof(card->basis), fmt, ap);
	va_end(ap);
}

static void card__expect(struct card *card)
{
	const struct event *event = &card->event;
	double period = (double)card__period(card);
	uint64_t hz;

	hz = event->unit == UNIT_CYCLES ? cpu_nominal_hz(cpus_first(event->cpus)) : 0;
	if (event->rate_given && event->attr.freq)
		expect(card, (double)event->attr.sample_freq, "as asked for");
	else if (event->off_cpu)
		expect(card, NAN, "one at each switch from a thread");
	else if (event->unit == UNIT_NS)
		expect(card, 1e9 / period, "of a busy CPU, exactly: it counts time");
	else if (hz)
		expect(card, (double)hz / period, "of a busy CPU%s, at its nominal %.2f GHz",
		       event->is_clock ? "" : " at most", (double)hz / 1e9);
	else if (event->unit == UNIT_CYCLES)
		expect(card, NAN, "depend on the clock, whose rate this machine doesn't tell");
	else
		expect(card, NAN, "depend on the program: one every %.0f %s", period,
		       event->counts);
}

static bool is_counter(const struct event *event)
{
	return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_BREAKPOINT;
}

static enum addr event__addr(const struct event *event)
{
	if (event->db && event->db->has_addr)
		return ADDR_PRECISE;
	if (event->has_addr)
		return is_counter(event) ? ADDR_PERHAPS : ADDR_ALWAYS;
	return ADDR_NEVER;
}

/* As the user wrote it, but for the level. */
static void card__try_precise(struct card *card)
{
	for (unsigned level = 1; level <= PRECISE_LEVELS && is_counter(&card->event); level++)
		card->precise[level] = event__takes_precise(&card->event, level);
}

static void card__fill(struct card *card, const struct event *event)
{
	double per_second;

	*card = (struct card){.event = *event, .at_once = -1, .now = NAN};
	if (event->precise_max)
		card->event.attr.precise_ip = event__detect_precise(event) & 3;
	event__probe(&card->event, &card->probe);
	card->addr = event__addr(event);
	card__expect(card);
	if (!card->probe.ok)
		return;
	card->event.mode = card->probe.mode;
	card__try_precise(card);
	card->at_once = event__copies(&card->event);
	if (!(event->rate_given && event->attr.freq) &&
	    event__measure(event, MEASURE_NS, &per_second) == 0)
		card->now = per_second / (double)card__period(card);
}

static enum group card__group(const struct card *card)
{
	if (card->event.is_users)
		return YOURS;
	if (event_alias__find(card->event.name))
		return WELL_KNOWN;
	return card->event.db ? FROM_DB : FROM_PMUS;
}

/* --------------------------------------------------------------------------------- as text */

#define LABEL_WIDTH 16
#define LINE_WIDTH 96

static void put_label(struct buf *out, const char *label)
{
	buf__printf(out, "  %-*s", LABEL_WIDTH - 2, label);
}

/* A text of any length, cut into lines at its spaces. */
static void put_paragraph(struct buf *out, const char *label, const char *text)
{
	while (*text) {
		size_t column = LABEL_WIDTH, len;

		put_label(out, label);
		label = "";
		for (; *text; text += len + strspn(text + len, " \n")) {
			_cleanup_free_ char *word = NULL;

			len = strcspn(text, " \n");
			if (column > LABEL_WIDTH && column + 1 + len > LINE_WIDTH)
				break;
			word = xstrndup(text, len);
			buf__puts(out, column > LABEL_WIDTH ? " " : "");
			put_printable(out, word);
			column += len + 1;
		}
		buf__putc(out, '\n');
	}
}

static void put_mapping(struct buf *out, const struct card *card)
{
	const struct event *event = &card->event;

	put_label(out, "maps to");
	put_printable(out, event->maps_to);
	buf__puts(out, "\n");
	put_label(out, "PMU");
	put_printable(out, event->pmu);
	if (event->cpus)
		buf__printf(out, " on CPUs %s", event->cpus);
	buf__printf(out, ", type %" PRIu32, (uint32_t)event->attr.type);
	if (event->is_breakpoint)
		buf__printf(out, ", %" PRIu64 " bytes at 0x%" PRIx64, (uint64_t)event->attr.bp_len,
			    (uint64_t)event->attr.bp_addr);
	else
		buf__printf(out, ", config 0x%" PRIx64, (uint64_t)event->attr.config);
	if (event->attr.config1 && !event->is_breakpoint)
		buf__printf(out, ", config1 0x%" PRIx64, (uint64_t)event->attr.config1);
	buf__putc(out, '\n');
}

static void put_counts(struct buf *out, const struct card *card)
{
	put_label(out, "counts");
	put_printable(out, card->event.counts);
	buf__putc(out, '\n');
}

/* Of a counter without overflow interrupt. */
static void put_reading(struct buf *out, const struct card *card)
{
	put_counts(out, card);
	put_label(out, "period");
	buf__puts(out, "none: it has no overflow interrupt\n");
	put_label(out, "read");
	if (card->probe.mode == EVENT_READ)
		buf__puts(out, "at the overflows of cpu-clock, which is added if need be\n");
	else
		buf__puts(out, "each second, for [not-program-related]\n");
}

static void put_rate(struct buf *out, const struct card *card)
{
	const struct event *event = &card->event;
	uint64_t period = event->period;

	if (card->probe.ok && card->probe.mode != EVENT_OVERFLOWS) {
		put_reading(out, card);
		return;
	}
	put_counts(out, card);
	put_label(out, "period");
	if (event->rate_given && event->attr.freq)
		buf__printf(out, "adapted to %" PRIu64 " Hz; by default ",
			    (uint64_t)event->attr.sample_freq);
	else if (event->rate_given)
		buf__printf(out, "%" PRIu64 "; by default ", (uint64_t)event->attr.sample_period);
	buf__printf(out, "%" PRIu64 " (--rate on: %" PRIu64 ", lo: %" PRIu64 ")\n", period,
		    rate_preset__period(RATE_ON, period), rate_preset__period(RATE_LO, period));
	put_label(out, "overflows");
	if (!isnan(card->expected))
		buf__printf(out, "%.*f a second ", card->expected < 10 ? 2 : 0, card->expected);
	buf__printf(out, "%s\n", card->basis);
	if (isnan(card->now))
		return;
	put_label(out, "");
	buf__printf(out, "%.*f a second just now, all CPUs together (measured for 0.1 s)\n",
		    card->now < 10 ? 2 : 0, card->now);
}

static void put_precise(struct buf *out, const struct card *card)
{
	static const char *const by_db[] = {
		[DB_IMPRECISE] = "no precise form",
		[DB_PRECISE] = "a precise form",
		[DB_PRECISE_ONLY] = "only a precise form",
	};
	static const char *const names[] = {"", ":p", ":pp", ":ppp"};
	const char *comma = "";

	put_label(out, "precise");
	if (!is_counter(&card->event))
		buf__puts(out, "no: only counters of the CPU have a precise form");
	else if (!event__heeds_precise(&card->event))
		buf__puts(out, "no: counters of this architecture have no precise form");
	else if (!card->probe.ok)
		buf__puts(out, "not tried, as it is not here");
	for (unsigned level = 1; level <= PRECISE_LEVELS; level++) {
		if (!card->precise[level])
			continue;
		buf__printf(out, "%s%s", comma, names[level]);
		comma = ", ";
	}
	if (event__heeds_precise(&card->event) && card->probe.ok && !*comma)
		buf__puts(out, "no: the kernel takes no level of it");
	if (card->event.db)
		buf__printf(out, " (database: %s)", by_db[card->event.db->precise]);
	buf__putc(out, '\n');
}

static void put_counters(struct buf *out, const struct card *card)
{
	static const char *const addresses[] = {
		[ADDR_NEVER] = "no",
		[ADDR_PRECISE] = "in its precise form (--addr)",
		[ADDR_PERHAPS] = "if the CPU tells one (--addr)",
		[ADDR_ALWAYS] = "yes (--addr)",
	};
	const struct event_db_entry *entry = card->event.db;

	put_label(out, "data address");
	buf__printf(out, "%s\n", addresses[card->addr]);
	put_label(out, "at once");
	if (card->at_once >= CAPACITY_MAX)
		buf__puts(out, "any number of them");
	else if (card->at_once >= 0)
		buf__printf(out, "%d of them count together", card->at_once);
	else
		buf__puts(out, card->probe.ok ? "not known" : "not tried, as it is not here");
	if (entry && entry->counters) {
		buf__puts(out, " (database: counters ");
		put_printable(out, entry->counters);
		buf__puts(out, entry->alone ? ", alone)" : ")");
	}
	buf__putc(out, '\n');
}

static void put_database(struct buf *out, const struct card *card)
{
	const struct event_db_entry *entry = card->event.db;

	if (!entry)
		return;
	put_label(out, "database");
	put_printable(out, entry->name);
	buf__puts(out, entry->deprecated ? ", deprecated" : "");
	buf__printf(out, " of %s", entry->db->about);
	buf__puts(out, entry->errata ? "; errata " : "");
	put_printable(out, entry->errata ? entry->errata : "");
	buf__putc(out, '\n');
	if (entry->about)
		put_paragraph(out, "", entry->about);
}

static void put_here(struct buf *out, const struct card *card)
{
	_cleanup_free_ char *no = xasprintf("no: %s", card->probe.reason);

	if (card->probe.ok) {
		put_label(out, "here");
		buf__printf(out, "%s\n", probe__words(&card->probe));
		return;
	}
	put_paragraph(out, "here", no);
	put_paragraph(out, "", card->probe.next);
}

void cards__put_text(struct buf *out, const struct event_list *events)
{
	for (size_t i = 0; i < events->n; i++) {
		struct card card;

		card__fill(&card, &events->events[i]);
		if (i)
			buf__putc(out, '\n');
		put_printable(out, card.event.name);
		buf__puts(out, ": ");
		put_printable(out, card.event.title);
		buf__putc(out, '\n');
		put_mapping(out, &card);
		put_rate(out, &card);
		put_precise(out, &card);
		put_counters(out, &card);
		put_database(out, &card);
		put_here(out, &card);
	}
}

/* --------------------------------------------------------------------------------- as JSON */

static void put_hex(struct json *j, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json__str(j, key, text);
}

static void put_periods(struct json *j, const char *key, uint64_t period)
{
	json__obj(j, key);
	json__u64(j, "hi", rate_preset__period(RATE_HI, period));
	json__u64(j, "on", rate_preset__period(RATE_ON, period));
	json__u64(j, "lo", rate_preset__period(RATE_LO, period));
	json__end_obj(j);
}

static void put_card_json(struct json *j, const struct card *card)
{
	static const char *const addresses[] = {
		[ADDR_NEVER] = "never",
		[ADDR_PRECISE] = "precise",
		[ADDR_PERHAPS] = "perhaps",
		[ADDR_ALWAYS] = "always",
	};

	json__obj(j, NULL);
	put_event_keys(j, card->event.name, card__group(card), &card->event, &card->probe);
	json__str(j, "advice", *card->probe.next ? card->probe.next : NULL);
	json__u64(j, "type", card->event.attr.type);
	put_hex(j, "config", card->event.attr.config);
	put_hex(j, "config1", card->event.attr.config1);
	put_periods(j, "periods", card->event.period);
	put_periods(j, "intervals", card->event.period); /* its name before; for a release */
	json__f64(j, "overflows_per_s", card->expected, 3);
	json__str(j, "overflows_basis", card->basis);
	json__f64(j, "overflows_now", card->now, 3);
	json__arr(j, "precise");
	for (unsigned level = 1; level <= PRECISE_LEVELS; level++) {
		if (card->precise[level])
			json__u64(j, NULL, level);
	}
	json__end_arr(j);
	json__str(j, "address", addresses[card->addr]);
	if (card->at_once >= 0)
		json__u64(j, "at_once", (uint64_t)card->at_once);
	else
		json__null(j, "at_once");
	json__end_obj(j);
}

void cards__put_json(struct buf *out, const struct event_list *events)
{
	struct json j = {.out = out};

	json__arr(&j, NULL);
	for (size_t i = 0; i < events->n; i++) {
		struct card card;

		card__fill(&card, &events->events[i]);
		put_card_json(&j, &card);
	}
	json__end_arr(&j);
}
