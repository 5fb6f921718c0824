// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of `pmubpf list` as tables and as JSON. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/list.h"
#include "pmu/event_db.h"
#include "pmu/collection_mode.h"

void put_printable(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf__putc(out, iscntrl((unsigned char)*text) ? '?' : *text);
}

static void put_cell(struct buf *out, const char *text, size_t width)
{
	size_t len = strlen(text), end = len > width ? len + 2 : width + 2;

	put_printable(out, text);
	for (; len < end; len++)
		buf__putc(out, ' ');
}

enum { NAME, PERIOD, COUNTS, MAPS_TO, N_COLUMNS };

/* The text of a cell; numbers are written into scratch. */
static const char *row__cell(const struct row *row, int column, char scratch[32])
{
	const struct event *event = row__event(row);

	if (column == NAME)
		return row->name;
	if (!event)
		return "-";
	if (column == COUNTS)
		return event->counts;
	if (column == MAPS_TO)
		return event->maps_to;
	snprintf(scratch, 32, "%" PRIu64, event->period);
	return scratch;
}

static void put_here(struct buf *out, const struct row *row)
{
	if (row->probe.ok)
		buf__puts(out, probe__words(&row->probe));
	else
		buf__printf(out, "no: %s", row->probe.brief);
	buf__putc(out, '\n');
}

/* What the database adds, in one line. */
static void put_db_details(struct buf *out, const struct event_db_entry *entry)
{
	static const char *const precise[] = {
		[DB_IMPRECISE] = "",
		[DB_PRECISE] = ", has a precise form",
		[DB_PRECISE_ONLY] = ", precise only",
	};

	buf__puts(out, "    counters ");
	put_printable(out, entry->counters ? entry->counters : "not told");
	buf__printf(out, "%s%s%s%s", precise[entry->precise],
		    entry->has_addr ? " with data addresses" : "",
		    entry->alone ? ", counted alone" : "", entry->errata ? ", errata " : "");
	put_printable(out, entry->errata ? entry->errata : "");
	buf__putc(out, '\n');
}

static void put_details(struct buf *out, const struct row *row)
{
	const struct event *event = row__event(row);

	if (event) {
		buf__puts(out, "    ");
		put_printable(out, event->title);
		buf__putc(out, '\n');
	}
	if (event && event->db)
		put_db_details(out, event->db);
	if (!row->probe.ok) {
		buf__puts(out, "    not here: ");
		put_printable(out, row->probe.reason);
		buf__putc(out, '\n');
	}
}

static void put_group(struct buf *out, const struct rows *rows, enum group group,
		      const size_t width[N_COLUMNS], bool verbose)
{
	static const char *const titles[] = {
		[YOURS] = "YOUR EVENT",
		[WELL_KNOWN] = "WELL-KNOWN EVENT",
		[FROM_PMUS] = "EVENT OF A PMU",
		[FROM_DB] = "EVENT OF THE DATABASE",
	};
	static const char *const heads[] = {NULL, "PERIOD", "COUNTS", "MAPS TO"};
	char scratch[32];
	bool head = false;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		if (row->group != group)
			continue;
		if (!head) {
			if (out->len)
				buf__putc(out, '\n');
			for (int c = 0; c < N_COLUMNS; c++)
				put_cell(out, c ? heads[c] : titles[group], width[c]);
			buf__puts(out, "HERE\n");
			head = true;
		}
		for (int c = 0; c < N_COLUMNS; c++)
			put_cell(out, row__cell(row, c, scratch), width[c]);
		put_here(out, row);
		if (verbose)
			put_details(out, row);
	}
}

void rows__put_table(struct buf *out, const struct rows *rows, bool verbose)
{
	size_t width[N_COLUMNS] = {20, 8, 6, 7}, len;
	char scratch[32];

	for (size_t i = 0; i < rows->n; i++) {
		for (int c = 0; c < N_COLUMNS; c++) {
			len = strlen(row__cell(&rows->rows[i], c, scratch));
			/* one long name does not push the columns of all off the screen */
			if (len > width[c] && len <= 36)
				width[c] = len;
		}
	}
	for (int group = 0; group < N_GROUPS; group++)
		put_group(out, rows, (enum group)group, width, verbose);
}

static void put_period(struct json *j, const char *key, const struct event *event)
{
	if (event)
		json__u64(j, key, event->period);
	else
		json__null(j, key);
}

void put_event_keys(struct json *j, const char *name, enum group group, const struct event *event,
		    const struct probe_result *probe)
{
	static const char *const units[] = {
		[UNIT_EVENTS] = "events",
		[UNIT_CYCLES] = "cycles",
		[UNIT_NS] = "ns",
	};
	static const char *const lists[] = {
		[YOURS] = "user",
		[WELL_KNOWN] = "well-known",
		[FROM_PMUS] = "pmu",
		[FROM_DB] = "database",
	};
	const struct event_db_entry *entry = event ? event->db : NULL;

	json__str(j, "name", name);
	json__str(j, "list", lists[group]);
	json__str(j, "title", event ? event->title : NULL);
	json__str(j, "maps_to", event ? event->maps_to : NULL);
	json__str(j, "pmu", event ? event->pmu : NULL);
	json__str(j, "counts", event ? event->counts : NULL);
	json__str(j, "unit", event ? units[event->unit] : NULL);
	put_period(j, "period", event);
	put_period(j, "interval", event); /* its name before; for a release */
	json__str(j, "database_name", entry ? entry->name : NULL);
	json__str(j, "counters", entry ? entry->counters : NULL);
	json__str(j, "errata", entry ? entry->errata : NULL);
	json__bool(j, "taken_alone", entry && entry->alone);
	json__bool(j, "available", probe->ok);
	json__str(j, "collection_mode", probe->ok ? collection_mode_keys[probe->mode] : NULL);
	json__str(j, "way", probe->ok ? collection_way_keys[probe->mode] : NULL); /* likewise */
	json__bool(j, "user_only", probe->user_only);
	json__str(j, "reason", probe->ok ? NULL : probe->reason);
}

void rows__put_json(struct buf *out, const struct rows *rows)
{
	struct json j = {.out = out};

	json__arr(&j, NULL);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		json__obj(&j, NULL);
		put_event_keys(&j, row->name, row->group, row__event(row), &row->probe);
		json__end_obj(&j);
	}
	json__end_arr(&j);
}
