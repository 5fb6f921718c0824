// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RFC 4180: names are data, in quotes where they have to be. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/report.h"

static void put_field(struct buf *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		buf__puts(out, text);
		return;
	}
	buf__putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf__putc(out, '"');
		buf__putc(out, *text);
	}
	buf__putc(out, '"');
}

static void put_type_title(const struct report *r, size_t type, const char *what, struct buf *out)
{
	_cleanup_free_ char *title =
		xasprintf("%s/%s %s", prof__text(r->prof, r->prof->types[type].name),
			  prof__text(r->prof, r->prof->types[type].unit), what);

	buf__putc(out, ',');
	put_field(out, title);
}

static void put_titles(const struct report *r, struct buf *out)
{
	buf__puts(out, "level,key,name,module");
	for (size_t t = 0; t < r->prof->n_types; t++) {
		put_type_title(r, t, "self", out);
		put_type_title(r, t, "total", out);
	}
	for (size_t i = 0; i < r->n_ratios; i++) {
		const struct report_ratio *ratio = &r->ratios[i];
		_cleanup_free_ char *title = xasprintf("%s %s/%s", derived_keys[ratio->kind],
						       r->events[ratio->event].name,
						       r->events[ratio->other].name);

		buf__putc(out, ',');
		put_field(out, title);
		if (r->confidence)
			buf__puts(out, ",low,high");
		buf__puts(out, ",mark");
	}
	buf__puts(out, "\r\n");
}

static void put_number(struct buf *out, bool valid, double value)
{
	buf__putc(out, ',');
	if (valid && isfinite(value))
		buf__printf(out, "%.6g", value);
}

static void put_ratio(const struct report *r, const struct report_ratio *ratio, uint32_t row,
		      struct buf *out)
{
	struct ratio_value v = report_ratio__of(r, ratio, report__ratio_values(r, row));

	put_number(out, v.valid, v.value);
	if (r->confidence) {
		put_number(out, v.high > 0, v.low);
		put_number(out, v.high > 0, v.high);
	}
	buf__printf(out, ",%s%s", v.few ? "~" : "", v.valid && ratio->doubtful ? "!" : "");
}

static void put_row(const struct report *r, uint32_t row, struct buf *out)
{
	const struct group_row *g = &r->group->rows[row];

	buf__printf(out, "%u,", g->level);
	put_field(out, r->keys[r->shape == GROUP_KEYS ? g->level - 1 : 0].word);
	buf__putc(out, ',');
	put_field(out, group__text(r->group, g->text));
	buf__putc(out, ',');
	put_field(out, group__text(r->group, g->module));
	for (size_t t = 0; t < r->prof->n_types; t++)
		buf__printf(out, ",%" PRId64 ",%" PRId64, group__self(r->group, row)[t],
			    group__total(r->group, row)[t]);
	for (size_t i = 0; i < r->n_ratios; i++)
		put_ratio(r, &r->ratios[i], row, out);
	buf__puts(out, "\r\n");
}

void report__csv(const struct report *r, struct buf *out)
{
	put_titles(r, out);
	for (size_t i = 0; i < r->group->n_order; i++) {
		size_t before = out->len;

		put_row(r, r->group->order[i], out);
		if (report__is_full(r, i, before, out))
			break;
	}
}
