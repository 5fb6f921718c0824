// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/stat_baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/jansson.h"
#include "sys/open.h"

enum {
	MIB = 1024 * 1024,
	FILE_MAX_MIB = 256,
	LINE_MAX = MIB,
	DEPTH_MAX = 32, /* the library calls itself for each */
};

#define COUNT_MAX 1e19 /* that of 64 bits, nearly */

static const struct jansson *lib;

/* A line that is being read, for sentences. */
struct place {
	const char *file;
	size_t line;
	struct err *err;
};

static int refuse(const struct place *at, const char *why)
{
	return err__usage(at->err, "--baseline %s:%zu: %s", at->file, at->line, why);
}

static int refuse_column(const struct place *at, const struct baseline_column *column,
			 const char *why)
{
	_cleanup_free_ char *text =
		column->relation ? xasprintf("alarm '%s' %s", column->relation, why) :
		column->name     ? xasprintf("event '%s' %s", column->name, why) :
				   xasprintf("the units of --per or --window %s", why);

	return refuse(at, text);
}

/* Brackets outside of strings. */
static bool too_deep(const char *text, size_t len)
{
	bool inside = false;
	int depth = 0;

	for (size_t i = 0; i < len && depth <= DEPTH_MAX; i++) {
		if (inside && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			inside = !inside;
		else if (!inside && (text[i] == '[' || text[i] == '{'))
			depth++;
		else if (!inside && (text[i] == ']' || text[i] == '}'))
			depth--;
	}
	return depth > DEPTH_MAX;
}

static bool number_of(const json_t *value, double max, double *ret)
{
	if (!value || !json_is_number(value))
		return false;
	*ret = lib->number_value(value);
	return isfinite(*ret) && *ret >= 0 && *ret <= max;
}

/* An event narrowed to user code for want of privilege says so in its name. */
static bool is_it(const json_t *event, struct baseline_column *column)
{
	const char *name = lib->string_value(lib->object_get(event, "name"));
	size_t n = strlen(column->name);
	bool narrowed = json_is_true(lib->object_get(event, "user_only"));

	if (!name || strncmp(name, column->name, n) != 0)
		return false;
	if (name[n] && !(narrowed && strcmp(name + n, ":u") == 0))
		return false;
	column->user_only = narrowed;
	return true;
}

/* What never ran counts as 0, as it does while counting. */
static int add_event(const struct place *at, const json_t *event,
		     const struct baseline_column *column, double *sum)
{
	const char *status = lib->string_value(lib->object_get(event, "status"));
	double value;

	if (status && strcmp(status, "not counted") == 0)
		return 0;
	if (!status || strcmp(status, "counted") != 0)
		return refuse_column(at, column, "is not counted there");
	if (!number_of(lib->object_get(event, "scaled"), COUNT_MAX, &value))
		return refuse_column(at, column, "has no number as 'scaled'");
	*sum += value;
	return 0;
}

static int sum_rows(const struct place *at, const json_t *line, struct baseline_column *column,
		    double *ret)
{
	const json_t *rows = lib->object_get(line, "rows");
	bool found = false;
	int r = 0;

	*ret = 0;
	if (!rows || !json_is_array(rows))
		return refuse(at, "it has no 'rows': not a line of stat -I --json");
	for (size_t i = 0; r == 0 && i < lib->array_size(rows); i++) {
		const json_t *events = lib->object_get(lib->array_get(rows, i), "events");

		for (size_t k = 0; r == 0 && k < lib->array_size(events); k++) {
			const json_t *event = lib->array_get(events, k);

			if (!is_it(event, column))
				continue;
			found = true;
			r = add_event(at, event, column, ret);
		}
	}
	return r == 0 && !found ? refuse_column(at, column, "is not there") : r;
}

static int term_of(const struct place *at, const json_t *line, const struct baseline_column *column,
		   double *ret)
{
	const json_t *alarms = lib->object_get(line, "alarms");

	for (size_t i = 0; i < lib->array_size(alarms); i++) {
		const json_t *alarm = lib->array_get(alarms, i);
		const char *relation = lib->string_value(lib->object_get(alarm, "relation"));

		if (relation && strcmp(relation, column->relation) == 0 &&
		    number_of(lib->object_get(alarm, column->is_y ? "y" : "x"), COUNT_MAX, ret))
			return 0;
	}
	return refuse_column(at, column, "has no numbers there");
}

static int units_of(const struct place *at, const json_t *line,
		    const struct baseline_column *column, double *ret)
{
	const json_t *per = lib->object_get(line, "per"), *window = lib->object_get(line, "window");

	if (number_of(lib->object_get(per, "ended"), COUNT_MAX, ret) ||
	    number_of(lib->object_get(window, "counted"), COUNT_MAX, ret))
		return 0;
	return refuse_column(at, column, "are not there");
}

static int add_line(struct stat_baseline *b, const struct place *at, const json_t *line)
{
	double from_s, to_s;
	int r = 0;

	if (!json_is_object(line) || !number_of(lib->object_get(line, "from_s"), 1e12, &from_s) ||
	    !number_of(lib->object_get(line, "to_s"), 1e12, &to_s))
		return refuse(at, "it has no 'from_s' and 'to_s': not a line of stat -I --json");
	if (to_s <= from_s)
		return refuse(at, "it ends before it begins");
	for (size_t i = 0; r == 0 && i < b->n_columns; i++) {
		struct baseline_column *column = &b->columns[i];
		size_t cell = b->n * b->n_columns + i;

		GROW(b->cells, cell, b->cap_cells);
		r = column->name     ? sum_rows(at, line, column, &b->cells[cell]) :
		    column->relation ? term_of(at, line, column, &b->cells[cell]) :
				       units_of(at, line, column, &b->cells[cell]);
	}
	if (r < 0)
		return r;
	GROW(b->spans, b->n, b->cap_spans);
	b->spans[b->n++] = to_s - from_s;
	return 0;
}

static int parse_line(struct stat_baseline *b, const struct place *at, const char *text, size_t len)
{
	json_error_t why;
	json_t *line;
	int r;

	if (len > LINE_MAX)
		return refuse(at, "more than 1 MiB in a line");
	if (too_deep(text, len))
		return refuse(at, "more than 32 brackets in each other");
	line = lib->loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!line)
		return refuse(at, "it is not JSON, or not whole");
	r = add_line(b, at, line);
	lib->delete (line);
	return r;
}

int stat_baseline__parse(struct stat_baseline *b, char *text, size_t len, const char *file,
			 struct err *err)
{
	struct place at = {.file = file, .err = err};
	int r = 0;

	lib = jansson_load();
	if (!lib)
		return err__cannot(err,
				   "--baseline needs %s, which is not here (Debian, Ubuntu: "
				   "libjansson4)",
				   JANSSON_LIBRARY);
	while (r == 0 && len) {
		char *newline = memchr(text, '\n', len);
		size_t n = newline ? (size_t)(newline - text) : len;

		at.line++;
		if (n)
			r = parse_line(b, &at, text, n);
		n += newline != NULL;
		text += n;
		len -= n;
	}
	if (r == 0 && !b->n)
		return err__usage(err, "--baseline %s: it has no intervals", file);
	return r;
}

static int compare(const void *a, const void *b)
{
	return CMP3(*(const double *)a, *(const double *)b);
}

double stat_baseline__span(const struct stat_baseline *b)
{
	_cleanup_free_ double *sorted = xcalloc(b->n ? b->n : 1, sizeof(*sorted));

	if (!b->n)
		return 0;
	memcpy(sorted, b->spans, b->n * sizeof(*sorted));
	qsort(sorted, b->n, sizeof(*sorted), compare);
	return sorted[b->n / 2];
}

/* What is always there is in proportion to the time. */
static int check_span(const struct stat_baseline *b, const char *file, uint64_t interval_ns,
		      struct err *err)
{
	double span = stat_baseline__span(b), ours = (double)interval_ns / 1e9;

	if (span <= 1.25 * ours && ours <= 1.25 * span)
		return 0;
	return err__usage(err,
			  "--baseline %s: its intervals last %.3f s (half of them less), and -I "
			  "says %.3f s",
			  file, span, ours);
}

static int read_all(int fd, struct buf *ret)
{
	ssize_t n;

	do {
		char part[16384];

		n = read(fd, part, sizeof(part));
		if (n > 0)
			buf__add(ret, part, (size_t)n);
	} while ((n > 0 && ret->len <= (size_t)FILE_MAX_MIB * MIB) || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

int stat_baseline__read(struct stat_baseline *b, const char *file, uint64_t interval_ns,
			struct err *err)
{
	_cleanup_close_ int fd = open_regular(-1, file);
	_cleanup_(buf__done) struct buf text = {0};
	int r = fd < 0 ? fd : read_all(fd, &text);

	if (r < 0)
		return err__usage(err, "can't read --baseline '%s': %s", file, strerror(-r));
	if (text.len > (size_t)FILE_MAX_MIB * MIB)
		return err__usage(err, "--baseline %s: more than %d MiB", file, FILE_MAX_MIB);
	r = stat_baseline__parse(b, text.data, text.len, file, err);
	return r < 0 ? r : check_span(b, file, interval_ns, err);
}

void stat_baseline__done(struct stat_baseline *b)
{
	free(b->columns);
	free(b->cells);
	free(b->spans);
	*b = (struct stat_baseline){0};
}
