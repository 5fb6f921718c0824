// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/poisson.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/report.h"

/* A row counts: it has its share. */
static bool is_shown(const struct diff *d, const struct compare_row *row)
{
	double most = fmax(fabs(row->before), fabs(row->scaled));

	return 100 * most >= d->min_share * d->whole_before;
}

static bool has_grown(const struct diff *d, const struct compare_row *row)
{
	return d->fail_above >= 0 && row->significant && is_shown(d, row) &&
	       compare_row__growth(row) > d->fail_above;
}

bool diff__has_grown(const struct diff *d)
{
	for (size_t i = 0; i < d->comparison->n; i++) {
		if (has_grown(d, &d->comparison->rows[i]))
			return true;
	}
	return false;
}

/* Stacks are lines of frames: ";" joins them. */
static void put_name(const struct diff *d, const struct compare_row *row, struct buf *out)
{
	const char *text = comparison__text(d->comparison, row->text);
	const char *module = comparison__text(d->comparison, row->module);

	if (!d->stacks) {
		escape_name(out, text);
		if (*module && *text != '[') {
			buf__puts(out, "  ");
			escape_name(out, module);
		}
		return;
	}
	for (;;) {
		size_t len = strcspn(text, "\n");
		_cleanup_free_ char *frame = xstrndup(text, len);

		for (char *c = frame; *c; c++) {
			if (*c == COMPARE_LINE_FEED)
				*c = '\n';
		}
		escape_name(out, frame);
		if (!text[len])
			break;
		buf__putc(out, ';');
		text += len + 1;
	}
}

static void put_value(const struct diff *d, double value, struct buf *out)
{
	_cleanup_(buf__done) struct buf text = {0};

	if (strcmp(d->unit, "nanoseconds") == 0)
		buf__printf(&text, "%.1fms", value / 1e6);
	else
		buf__printf(&text, "%.0f", value);
	buf__printf(out, "%13s", text.data);
}

static void put_row(const struct diff *d, const struct compare_row *row, struct buf *out)
{
	double growth = compare_row__growth(row);
	double share = d->whole_before > 0 ? 100 / d->whole_before : 0;

	put_value(d, row->before, out);
	put_value(d, row->scaled, out);
	buf__printf(out, " %7.2f %7.2f", row->before * share, row->scaled * share);
	if (isfinite(growth))
		buf__printf(out, " %+8.1f%%", 100 * growth);
	else
		buf__printf(out, " %9s", "new");
	if (isnan(row->p))
		buf__printf(out, " %7s ", "?");
	else
		buf__printf(out, " %6.1f%s ", sigma_of(row->p), row->significant ? "*" : " ");
	buf__puts(out, has_grown(d, row) ? "! " : "  ");
	put_name(d, row, out);
	buf__putc(out, '\n');
}

/* Of the event that is compared alone. */
static const char but[] = "its shares are right, its totals are not";

static void put_warnings(const struct diff *d, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(d->whole); i++) {
		const struct prof_event event = {.name = (char *)d->event};

		report__put_warnings(d->whole[i], i ? "new: " : "old: ", &event, 1, but, out);
	}
}

static void put_head(const struct diff *d, struct buf *out)
{
	put_warnings(d, out);
	for (size_t i = 0; i < 2; i++) {
		buf__puts(out, i ? "# new       " : "# old       ");
		escape_name(out, d->files[i]);
		buf__putc(out, '\n');
	}
	buf__puts(out, "# event     ");
	escape_name(out, d->event);
	buf__puts(out, "\n# totals    ");
	buf__printf(out, "old %.10g, new %.10g (", d->before->total, d->after->total);
	escape_name(out, d->normalized);
	buf__printf(out, "); new is shown times %.4g\n", d->before->total / d->after->total);
	if (d->comparison->has_samples)
		buf__printf(out,
			    "# sigma     how unlikely chance is; * significant among %zu rows\n",
			    d->comparison->n);
	else
		buf__puts(out,
			  "# WARNING   no numbers of samples: it can't be told which differences "
			  "are chance\n");
}

/* The row at `at` made it too long: it and all after it are taken off. */
static bool is_full(const struct diff *d, size_t at, size_t before, struct buf *out)
{
	if (!buf__cut(out, d->max_bytes, before))
		return false;
	for (; at < d->comparison->n; at++)
		*d->n_cut += is_shown(d, &d->comparison->rows[at]);
	return true;
}

void diff__text(const struct diff *d, struct buf *out)
{
	size_t shown = 0, hidden = 0;

	put_head(d, out);
	buf__printf(out, "\n%13s%13s %7s %7s %9s %6s    %s\n", "old", "new", "old %", "new %",
		    "change", "sigma", d->stacks ? "stack" : "row");
	for (size_t i = 0; i < d->comparison->n; i++) {
		const struct compare_row *row = &d->comparison->rows[i];
		size_t before = out->len;

		if (!is_shown(d, row) || (d->limit && shown >= d->limit)) {
			hidden++;
			continue;
		}
		put_row(d, row, out);
		if (is_full(d, i, before, out))
			break;
		shown++;
	}
	if (hidden)
		buf__printf(out, "… and %zu more (--limit, --min-share)\n", hidden);
}

static void json_row(const struct diff *d, const struct compare_row *row, struct json *j)
{
	_cleanup_(buf__done) struct buf stack = {0};
	const char *module = comparison__text(d->comparison, row->module);
	double growth = compare_row__growth(row);

	if (d->stacks)
		put_name(d, row, &stack);
	json__obj(j, NULL);
	json__str(j, "name", d->stacks ? stack.data : comparison__text(d->comparison, row->text));
	json__str(j, "module", *module ? module : NULL);
	json__f64(j, "old", row->before, 0);
	json__f64(j, "new", row->after, 0);
	json__f64(j, "new_scaled", row->scaled, 3);
	json__f64(j, "growth_percent", 100 * growth, 3);
	if (d->comparison->has_samples) {
		json__f64(j, "old_samples", row->n_before, 0);
		json__f64(j, "new_samples", row->n_after, 0);
		json__f64(j, "p", row->p, 12);
		json__f64(j, "sigma", sigma_of(row->p), 3);
	}
	json__bool(j, "significant", row->significant);
	json__bool(j, "too_large", has_grown(d, row));
	json__end_obj(j);
}

static void json_warnings(const struct diff *d, struct json *j)
{
	static const char *const imbalances[] = {"old_imbalance", "new_imbalance"};
	static const char *const warnings[] = {"old_warnings", "new_warnings"};

	for (size_t i = 0; i < ARRAY_SIZE(d->whole); i++) {
		const struct prof_event event = {.name = (char *)d->event};
		_cleanup_(buf__done) struct buf lines = {0};

		report__warnings(d->whole[i], &event, 1, but, &lines);
		json__str(j, imbalances[i], report__imbalance(d->whole[i]));
		json__lines(j, warnings[i], lines.data);
	}
}

void diff__json(const struct diff *d, struct buf *out)
{
	struct json j = {.out = out};
	size_t shown = 0;

	json__obj(&j, NULL);
	json__head(&j, "diff", d->command_line);
	json__str(&j, "event", d->event);
	json__str(&j, "unit", d->unit);
	json__str(&j, "normalized", d->normalized);
	json__f64(&j, "old_total", d->before->total, 3);
	json__f64(&j, "new_total", d->after->total, 3);
	json_warnings(d, &j);
	json__arr(&j, "rows");
	for (size_t i = 0; i < d->comparison->n && (!d->limit || shown < d->limit); i++) {
		struct json state = j;
		size_t before = out->len;

		if (!is_shown(d, &d->comparison->rows[i]))
			continue;
		json_row(d, &d->comparison->rows[i], &j);
		if (is_full(d, i, before, out)) {
			j = state;
			break;
		}
		shown++;
	}
	json__end_arr(&j);
	json__bool(&j, "grown", diff__has_grown(d));
	json__end_obj(&j);
}

void diff__folded(const struct diff *d, struct buf *out)
{
	for (size_t i = 0; i < d->comparison->n; i++) {
		const struct compare_row *row = &d->comparison->rows[i];
		size_t before = out->len;

		put_name(d, row, out);
		buf__printf(out, " %.0f %.0f\n", fmax(0, row->before), fmax(0, row->scaled));
		if (buf__cut(out, d->max_bytes, before)) {
			*d->n_cut = d->comparison->n - i;
			break;
		}
	}
}
