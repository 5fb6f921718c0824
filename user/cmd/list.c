// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `pmubpf list`: which events there are, and which of them this machine has. Each is tried by
 * opening it, so the list is as good as the machine, and needs no root. The keys of --json are a
 * promise; `help` below documents them.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "out/json.h"
#include "pmu/event.h"
#include "pmu/perf_names.h"
#include "pmu/probe.h"
#include "sys/pmus.h"

struct options {
	bool json;
	bool verbose;
	const char *pattern;
};

enum group { WELL_KNOWN, FROM_PMUS };

struct row {
	enum group group;
	bool if_here; /* shown only if the machine has it, or with -v */
	char *name;
	struct event_list parsed; /* one event, or none where sysfs describes it in no usable way */
	struct probe_result probe;
};

struct rows {
	struct row *rows;
	size_t n, cap;
	struct pmus pmus;
};

static void rows__done(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->rows[i].name);
		event_list__done(&rows->rows[i].parsed);
	}
	free(rows->rows);
	pmus__done(&rows->pmus);
}

/* text is what is tried, shown what the user would type (NULL: the same). */
static struct row *rows__add(struct rows *rows, enum group group, const char *text,
			     const char *shown)
{
	struct row row = {.group = group, .name = xstrdup(shown ? shown : text)};
	struct err err = {0};

	if (event_list__parse_with(&row.parsed, text, &rows->pmus, &err) == 0) {
		event__probe(&row.parsed.events[0], &row.probe);
	} else {
		snprintf(row.probe.brief, sizeof(row.probe.brief), "%s",
			 err.exit_code == EXIT_USAGE ? "needs terms" : "sysfs is unclear");
		snprintf(row.probe.reason, sizeof(row.probe.reason), "%.*s",
			 (int)sizeof(row.probe.reason) - 1, err.text);
	}
	GROW(rows->rows, rows->n, rows->cap);
	rows->rows[rows->n] = row;
	return &rows->rows[rows->n++];
}

static const struct event *row__event(const struct row *row)
{
	return row->parsed.n ? &row->parsed.events[0] : NULL;
}

/* Whether a well-known event is the same by another name. */
static bool is_aliased(const struct rows *rows, uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct event *event = row__event(&rows->rows[i]);

		if (event && event->attr.type == type && event->attr.config == config)
			return true;
	}
	return false;
}

/* The kernel's generic events that no alias names. */
static void rows__add_generic(struct rows *rows)
{
	struct cache_event cache;

	for (size_t i = 0; i < n_perf_names; i++) {
		if (!is_aliased(rows, perf_names[i].type, perf_names[i].config))
			rows__add(rows, FROM_PMUS, perf_names[i].name, NULL);
	}
	for (size_t i = 0; cache_event__nth(i, &cache); i++) {
		if (!is_aliased(rows, PERF_TYPE_HW_CACHE, cache.config))
			rows__add(rows, FROM_PMUS, cache.name, NULL)->if_here = true;
	}
}

static void rows__add_pmu(struct rows *rows, const struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->n_events; i++) {
		_cleanup_free_ char *text = xasprintf("%s/%s/", pmu->name, pmu->events[i].name);

		rows__add(rows, FROM_PMUS, text, NULL);
	}
	/* AMD's instruction sampling names no events: any configuration of it is one. */
	if (!pmu->n_events && strncmp(pmu->name, "ibs_", 4) == 0) {
		_cleanup_free_ char *text = xasprintf("%s/config=0/", pmu->name);

		rows__add(rows, FROM_PMUS, text, NULL);
	}
}

/* Tried on a word of our own: any readable address is as good. */
static void rows__add_breakpoint(struct rows *rows)
{
	static long word;
	_cleanup_free_ char *text = xasprintf("mem:0x%" PRIxPTR ":w", (uintptr_t)&word);
	struct row *row = rows__add(rows, FROM_PMUS, text, "mem:ADDR[/LEN][:rwx]");
	struct event *event = row->parsed.n ? &row->parsed.events[0] : NULL;

	if (!event)
		return;
	free(event->title);
	free(event->maps_to);
	event->title = xstrdup("accesses to an address, or executions of it");
	event->maps_to = xstrdup("hardware breakpoint");
}

static void rows__collect(struct rows *rows)
{
	(void)pmus__read(&rows->pmus, NULL); /* without sysfs, the generic events remain */
	for (size_t i = 0; i < n_event_aliases; i++)
		rows__add(rows, WELL_KNOWN, event_aliases[i].name, NULL);
	rows__add_generic(rows);
	for (size_t i = 0; i < rows->pmus.n; i++)
		rows__add_pmu(rows, &rows->pmus.pmus[i]);
	rows__add_breakpoint(rows);
}

static bool contains(const char *text, const char *pattern)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern);
}

static bool row__wanted(const struct row *row, const struct options *options)
{
	const struct event *event = row__event(row);

	if (options->pattern)
		return contains(row->name, options->pattern) ||
		       (event && (contains(event->maps_to, options->pattern) ||
				  contains(event->title, options->pattern)));
	return !row->if_here || row->probe.ok || options->verbose || options->json;
}

/* Removes what is not wanted, so that the columns are as wide as what is shown. */
static void rows__filter(struct rows *rows, const struct options *options)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (row__wanted(&rows->rows[i], options)) {
			rows->rows[kept++] = rows->rows[i];
			continue;
		}
		free(rows->rows[i].name);
		event_list__done(&rows->rows[i].parsed);
	}
	rows->n = kept;
}

/* Names come from sysfs: a control byte in one must not reach the terminal. */
static void put_printable(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf__putc(out, iscntrl((unsigned char)*text) ? '?' : *text);
}

static void put_cell(struct buf *out, const char *text, size_t width)
{
	size_t len = strlen(text);

	put_printable(out, text);
	for (; len < width + 2; len++)
		buf__putc(out, ' ');
}

enum { NAME, INTERVAL, COUNTS, MAPS_TO, N_COLUMNS };

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
	snprintf(scratch, 32, "%" PRIu64, event->interval);
	return scratch;
}

static void put_here(struct buf *out, const struct row *row)
{
	if (row->probe.ok)
		buf__puts(out, row->probe.user_only ? "user code only" : "yes");
	else
		buf__printf(out, "no: %s", row->probe.brief);
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
		[WELL_KNOWN] = "WELL-KNOWN EVENT",
		[FROM_PMUS] = "EVENT OF A PMU",
	};
	static const char *const heads[] = {NULL, "INTERVAL", "COUNTS", "MAPS TO"};
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

static void put_table(struct buf *out, const struct rows *rows, bool verbose)
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
	put_group(out, rows, WELL_KNOWN, width, verbose);
	put_group(out, rows, FROM_PMUS, width, verbose);
}

static void put_json(struct buf *out, const struct rows *rows)
{
	static const char *const units[] = {
		[UNIT_EVENTS] = "events",
		[UNIT_CYCLES] = "cycles",
		[UNIT_NS] = "ns",
	};
	struct json j = {.out = out};

	json__arr(&j, NULL);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];
		const struct event *event = row__event(row);

		json__obj(&j, NULL);
		json__str(&j, "name", row->name);
		json__str(&j, "list", row->group == WELL_KNOWN ? "well-known" : "pmu");
		json__str(&j, "title", event ? event->title : NULL);
		json__str(&j, "maps_to", event ? event->maps_to : NULL);
		json__str(&j, "pmu", event ? event->pmu : NULL);
		json__str(&j, "counts", event ? event->counts : NULL);
		json__str(&j, "unit", event ? units[event->unit] : NULL);
		if (event)
			json__u64(&j, "interval", event->interval);
		else
			json__null(&j, "interval");
		json__bool(&j, "available", row->probe.ok);
		json__bool(&j, "user_only", row->probe.user_only);
		json__str(&j, "reason", row->probe.ok ? NULL : row->probe.reason);
		json__end_obj(&j);
	}
	json__end_arr(&j);
}

static const struct argp_option argp_options[] = {
	{"json", 'j', NULL, 0, "Print a JSON array, one object per event", 0},
	{"verbose", 'v', NULL, 0,
	 "Also what each event is, why it is not here, and all cache events", 0},
	{0},
};

static const char help[] =
	"Lists the events that `pmubpf record -e` takes: the well-known ones, then what this "
	"machine's PMUs offer. Each is tried: HERE says whether it can be sampled by this user on "
	"this machine. INTERVAL is the default period, a prime."
	"\v"
	"PATTERN is a part of a name, or a glob (*, ?, []); case does not matter.\n"
	"\n"
	"Raw events (rNNNN, cpu/event=0x3c,umask=1/) work too, and modifiers behind a name: "
	":u :k :p (user code, kernel code, precise).\n"
	"\n"
	"Keys of --json: name; list (\"well-known\" or \"pmu\"); title; maps_to; pmu; counts (what "
	"one count is); unit (\"events\", \"cycles\" or \"ns\"); interval; available; user_only "
	"(only with the kernel excluded, for lack of privilege); reason (why not available, else "
	"null). Where sysfs describes an event that needs further terms, what is not known is "
	"null.\n"
	"\n"
	"Exit status: 0 done, 1 nothing matches or writing failed, 2 usage.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->pattern)
			argp_error(state, "one PATTERN at most; '%s' is a second", arg);
		options->pattern = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* A reader that has seen enough (| head) is no failure. */
static int write_out(const struct buf *out)
{
	if (fwrite(out->data, 1, out->len, stdout) == out->len && fflush(stdout) == 0)
		return EXIT_DONE;
	if (errno == EPIPE)
		return EXIT_DONE;
	fprintf(stderr, "pmubpf list: can't write to stdout: %s\n", strerror(errno));
	return EXIT_FAILED;
}

int cmd_list(int argc, char **argv)
{
	static const struct argp argp = {.options = argp_options,
					 .parser = parse_option,
					 .args_doc = "[PATTERN]",
					 .doc = help};
	static char name[] = "pmubpf list"; /* argp's messages begin with it */
	_cleanup_(rows__done) struct rows rows = {0};
	_cleanup_(buf__done) struct buf out = {0};
	struct options options = {0};

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = name;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return EXIT_USAGE;
	rows__collect(&rows);
	rows__filter(&rows, &options);
	if (options.json)
		put_json(&out, &rows);
	else
		put_table(&out, &rows, options.verbose);
	if (!rows.n && !options.json)
		fprintf(stderr,
			"pmubpf list: no event matches '%s'; without a pattern it shows all\n",
			options.pattern);
	if (out.len && write_out(&out) != EXIT_DONE)
		return EXIT_FAILED;
	return rows.n ? EXIT_DONE : EXIT_FAILED;
}
