// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "prof/sharing.h"
#include "render/escape.h"
#include "render/report_head.h"

enum { NAME_LEAST = 12, NAME_MOST = 48 };

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- what could be better */

static void put_names(const struct layout_view *v, struct buf *out)
{
	enum { MOST = 6 };
	const struct hot_members *h = &v->use.hot;

	for (size_t i = 0; i < h->n && i < MOST; i++) {
		buf__puts(out, i ? ", " : " (");
		escape_name(out, v->layout.members[h->list[i]].name);
	}
	buf__puts(out, h->n > MOST ? ", …)" : ")");
}

void layout_view__advice(const struct layout_view *v, struct buf *out)
{
	const struct hot_members *h = &v->use.hot;

	if (!h->n)
		return;
	buf__printf(out, "%zu member%s with %.1f %% of the type's samples", h->n, s_of(h->n),
		    num__percent(h->value, v->use.whole.value));
	put_names(v, out);
	if (!h->placed) {
		buf__puts(out, "; the type is too large to say on how many cache lines\n");
		return;
	}
	buf__printf(out, " lie%s on %" PRIu64 " cache line%s and take%s %" PRIu64 " bytes: ",
		    h->n == 1 ? "s" : "", h->lines, s_of(h->lines), h->n == 1 ? "s" : "", h->bytes);
	if (h->needed < h->lines)
		buf__printf(out, "side by side they would fit into %" PRIu64 "\n", h->needed);
	else
		buf__puts(out, "no order has them on fewer\n");
}

uint64_t layout_view__padding(const struct type_layout *layout, const struct layout_hole *holes,
			      size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = holes[i].size;

		for (size_t in = holes[i].in; in != SIZE_MAX; in = type_layout__parent(layout, in))
			bytes *= layout->members[in].count; /* no more than the type's size */
		all += bytes;
	}
	return all;
}

/* ---- text */

struct table {
	const struct layout_view *v;
	struct buf *out;
	unsigned width; /* of names */
	uint64_t line;  /* that the last row began on */
};

static void put_name(struct table *t, unsigned depth, const char *name, const char *type)
{
	_cleanup_(buf__done) struct buf text = {0};
	unsigned n;

	buf__printf(&text, "%*s", 2 * (int)(depth < 8 ? depth : 8), "");
	escape_name(&text, name);
	n = text_columns(text.data);
	buf__printf(t->out, "  %s", text.data);
	if (*type) {
		buf__printf(t->out, "%*s  ", n < t->width ? (int)(t->width - n) : 0, "");
		escape_name(t->out, type);
	}
	buf__putc(t->out, '\n');
}

static void put_number(struct buf *out, int64_t number)
{
	if (number)
		buf__printf(out, " %9" PRId64, number);
	else
		buf__printf(out, " %9s", "-");
}

static void put_use(const struct table *t, const struct use *use, const char *mark)
{
	if (use->value)
		buf__printf(t->out, "  %6.2f", num__percent(use->value, t->v->use.whole.value));
	else
		buf__printf(t->out, "  %6s", "-");
	put_number(t->out, use->value);
	put_number(t->out, use->loads);
	put_number(t->out, use->stores);
	buf__printf(t->out, "  %-4s", mark);
}

static void put_extent(const struct table *t, uint64_t from, uint64_t size)
{
	buf__printf(t->out, "%7" PRIu64 " %7" PRIu64, from, size);
}

/* Where a cache line begins before what begins there. */
static void put_boundary(struct table *t, uint64_t from)
{
	uint64_t line = from / PROF_CACHE_LINE;

	if (line <= t->line)
		return;
	t->line = line;
	buf__printf(t->out, "%7" PRIu64 " ---- cache line %" PRIu64 " ", line * PROF_CACHE_LINE,
		    line);
	for (int i = 0; i < 44; i++)
		buf__putc(t->out, '-');
	buf__putc(t->out, '\n');
}

static void put_hole(struct table *t, const struct layout_hole *h)
{
	const struct layout_member *in = h->in == SIZE_MAX ? NULL : &t->v->layout.members[h->in];
	static const struct use none;

	put_boundary(t, h->from);
	put_extent(t, h->from, h->size);
	put_use(t, &none, "");
	put_name(t, in ? in->depth + 1 : 0,
		 h->last             ? "(padding at the end)" :
		 in && in->count > 1 ? "(hole, in each)" :
				       "(hole)",
		 "");
}

/* Of a union it isn't known which of its parts was meant: none of them is cold. */
static const char *mark_of(const struct layout_view *v, size_t member)
{
	const struct layout_use *u = &v->use;

	if (layout_use__is_hot(u, member))
		return "hot";
	if (!u->whole.value || u->within[member].value || type_layout__is_whole(&v->layout, member))
		return "";
	for (size_t in = type_layout__parent(&v->layout, member); in != SIZE_MAX;
	     in = type_layout__parent(&v->layout, in)) {
		if (u->own[in].value)
			return "";
	}
	return "cold";
}

static void put_member(struct table *t, size_t i)
{
	const struct layout_view *v = t->v;
	const struct layout_member *m = &v->layout.members[i];
	_cleanup_(buf__done) struct buf type = {0};

	put_boundary(t, m->from);
	put_extent(t, m->from, m->size);
	put_use(t, &v->use.within[i], mark_of(v, i));
	buf__puts(&type, m->type);
	if (m->count > 1)
		buf__printf(&type, "[%" PRIu64 "]", m->count);
	put_name(t, m->depth, m->name, type.data);
}

static void put_rows(struct table *t)
{
	const struct layout_view *v = t->v;
	struct layout_hole *holes;
	size_t n = layout_holes(&v->layout, &holes), h = 0;
	uint64_t padding = layout_view__padding(&v->layout, holes, n);

	for (size_t i = 0; i <= v->layout.n; i++) {
		while (h < n && holes[h].before == i)
			put_hole(t, &holes[h++]);
		if (i < v->layout.n)
			put_member(t, i);
	}
	for (size_t i = 0; i < v->use.n_besides; i++) {
		const struct use_besides *b = &v->use.besides[i];

		buf__printf(t->out, "%15s", "");
		put_use(t, &b->use, "");
		put_name(t, 0, *b->name ? b->name : "(further ones)", "");
	}
	if (v->layout.more)
		buf__puts(t->out, "… and more members, which the profile had no room for\n");
	if (padding)
		buf__printf(t->out,
			    "\n%" PRIu64 " of %" PRIu64 " bytes are no member's (%.1f %%)\n",
			    padding, v->layout.size,
			    100 * (double)padding / (double)v->layout.size);
	else
		buf__putc(t->out, '\n');
	free(holes);
}

static unsigned name_width(const struct layout_view *v)
{
	unsigned width = NAME_LEAST;

	for (size_t i = 0; i < v->layout.n; i++) {
		const struct layout_member *m = &v->layout.members[i];
		unsigned n = text_columns(m->name) + 2 * (m->depth < 8 ? m->depth : 8);

		if (n > width)
			width = n;
	}
	return width < NAME_MOST ? width : NAME_MOST;
}

static void put_view(const struct layout_report *r, const struct layout_view *v, struct buf *out)
{
	struct table t = {.v = v, .out = out, .width = name_width(v)};
	uint64_t lines = (v->layout.size + PROF_CACHE_LINE - 1) / PROF_CACHE_LINE;

	buf__putc(out, '\n');
	escape_line(out, v->type);
	buf__printf(out, ": %" PRIu64 " bytes, %" PRIu64 " cache line%s; %" PRId64 " ",
		    v->layout.size, lines, s_of(lines), v->use.whole.value);
	escape_name(out, r->event->name);
	if (r->n + r->n_more > 1) {
		buf__puts(out, ", layout ");
		escape_name(out, v->id);
	}
	buf__puts(out, "\n offset    size       %     count     loads    stores        member");
	buf__printf(out, "%*s  type\n", (int)(t.width - strlen("member")), "");
	put_rows(&t);
	layout_view__advice(v, out);
}

void layout_report__text(const struct layout_report *r, struct buf *out)
{
	const struct report *p = r->report;

	report__put_warnings(p->whole, "", r->event, 1, report__but(p), out);
	report__put_files(p, out);
	report__put_event(p, r->event->name, out);
	buf__printf(out, "# lines     of %d bytes, as if each object began at one\n",
		    PROF_CACHE_LINE);
	if (r->n + r->n_more > 1)
		buf__printf(out, "# layouts   %zu: of several builds, or types of one name\n",
			    r->n + r->n_more);
	for (size_t i = 0; i < r->n; i++)
		put_view(r, &r->views[i], out);
	if (r->n_more)
		buf__printf(out, "\n… and %zu more layouts\n", r->n_more);
}
