// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/branch_records.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "model/poisson.h"
#include "render/escape.h"
#include "render/report_head.h"

/* The innermost function of a location, 0: there is none. */
static const struct prof_line *line_of(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];

	return l->n_lines ? &p->lines[l->first_line] : NULL;
}

static bool is_of_kernel(const struct prof *p, uint32_t location)
{
	return prof__kind(p, location) == PROF_KERNEL;
}

/* "work pairs.c:12 0x1139"; of the kernel the distance from the function's beginning, which is the
 * address that there is. */
static void put_place(const struct prof *p, uint32_t location, struct buf *out)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_line *line = line_of(p, location);
	const struct prof_function *f = line ? &p->functions[line->function] : NULL;

	if (f)
		escape_name(out, prof__text(p, prof__function_name(p, line->function)));
	else
		buf__puts(out, "[unknown]");
	if (f && f->file && line->line) {
		buf__putc(out, ' ');
		escape_name(out, base_name(prof__text(p, f->file)));
		buf__printf(out, ":%" PRId64, line->line);
	}
	buf__printf(out, is_of_kernel(p, location) ? " +0x%" PRIx64 : " 0x%" PRIx64, l->address);
}

static void put_module(const struct prof *p, uint32_t location, struct buf *out)
{
	const struct prof_mapping *m = &p->mappings[p->locations[location].mapping];

	escape_name(out, base_name(prof__text(p, m->file)));
}

/* "12.5 % [9.1 16.6]": how sure the share is, if each record were drawn by itself. */
static void put_share(uint64_t part, uint64_t whole, unsigned width, struct buf *out)
{
	_cleanup_(buf__done) struct buf text = {0};
	double low, high;

	if (whole) {
		poisson_ratio_interval((double)part, (double)(whole - part), &low, &high);
		buf__printf(&text, "%.1f [%.1f %.1f]", num__percent(part, whole),
			    100 * low / (1 + low), high > 1e9 ? 100 : 100 * high / (1 + high));
	} else {
		buf__putc(&text, '-');
	}
	buf__printf(out, "  %*s", (int)width, text.data);
}

enum { SHARE_WIDTH = 19 };

static void put_row(const struct prof *p, const struct branch_table *t,
		    const struct branch_row *row, struct buf *out)
{
	const struct prof_branch *b = row->branch;
	const struct branch_counts *c = &b->counts;
	uint64_t missed = c->mispredicted < c->foreseen ? c->mispredicted : c->foreseen;

	buf__printf(out, "%10" PRIu64 "  %6.2f", c->records,
		    num__percent(c->records, t->all.records));
	put_share(missed, c->foreseen, SHARE_WIDTH, out);
	if (c->timed)
		buf__printf(out, "  %7.1f", (double)c->cycles / (double)c->timed);
	else
		buf__printf(out, "  %7s", "-");
	put_share(row->passed, row->left + row->passed, SHARE_WIDTH, out);
	buf__puts(out, "  ");
	put_place(p, b->from, out);
	buf__puts(out, " -> ");
	put_place(p, b->to, out);
	buf__puts(out, "  (");
	put_module(p, b->from, out);
	if (p->locations[b->from].mapping != p->locations[b->to].mapping) {
		buf__puts(out, " -> ");
		put_module(p, b->to, out);
	}
	buf__puts(out, ")\n");
}

static void put_head(const struct branches_report *r, struct buf *out)
{
	const struct branch_table *t = r->table;
	const char *filter = prof__remark(r->report->whole, "branches");

	report__put_warnings(r->report->whole, "", NULL, 0, "", out);
	report__put_files(r->report, out);
	report__put_key("branches", out);
	if (filter) {
		escape_name(out, filter);
		buf__puts(out, ": ");
	}
	buf__printf(out, "%" PRIu64 " records, of %zu branches; %" PRIu64 " runs of code between\n",
		    t->all.records, t->n, t->ranges);
	report__put_key("what", out);
	buf__puts(out,
		  "records: the last branches before each overflow, so all columns are estimates; "
		  "mispredicted: of its records\n");
	report__put_key("", out);
	buf__puts(out, t->ranges ?
			       "cycles: mean, since the branch before; not taken: of the times "
			       "that code came by; % [95 % confidence interval]\n" :
			       "cycles: mean, since the branch before; not taken is known where "
			       "all branches are recorded (-b)\n");
	if (t->other.records || t->ranges_other) {
		report__put_key("[other]", out);
		buf__printf(out,
			    "%" PRIu64 " records and %" PRIu64
			    " runs of code found no room to be told apart; record "
			    "--max-memory allows more\n",
			    t->other.records, t->ranges_other);
	}
}

static size_t n_shown(const struct branches_report *r)
{
	return r->limit && r->limit < r->table->n ? r->limit : r->table->n;
}

void branches_report__text(const struct branches_report *r, struct buf *out)
{
	const struct branch_table *t = r->table;
	size_t n = n_shown(r);

	put_head(r, out);
	buf__printf(out, "\n%10s  %6s  %*s  %7s  %*s  %s\n", "records", "%", SHARE_WIDTH,
		    "mispredicted %", "cycles", SHARE_WIDTH, "not taken %", "from -> to");
	for (size_t i = 0; i < n; i++)
		put_row(r->report->whole, t, &t->rows[i], out);
	if (n < t->n)
		buf__printf(out, "(%zu more; --limit 0 shows all)\n", t->n - n);
}

/* ---- JSON */

static void json_place(struct json *j, const char *key, const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_mapping *m = &p->mappings[l->mapping];
	const struct prof_line *line = line_of(p, location);
	const struct prof_function *f = line ? &p->functions[line->function] : NULL;
	const char *build_id = prof__text(p, m->build_id);
	char address[32];

	snprintf(address, sizeof(address), "0x%" PRIx64, l->address);
	json__obj(j, key);
	json__str(j, "function", f ? prof__text(p, prof__function_name(p, line->function)) : NULL);
	json__str(j, "source", f && f->file ? prof__text(p, f->file) : NULL);
	json__i64(j, "line", f ? line->line : 0);
	json__str(j, "address", address);
	json__str(j, "module", prof__text(p, m->file));
	json__str(j, "build_id", *build_id ? build_id : NULL);
	json__end_obj(j);
}

static void json_row(struct json *j, const struct prof *p, const struct branch_row *row)
{
	const struct prof_branch *b = row->branch;

	json__obj(j, NULL);
	json_place(j, "from", p, b->from);
	json_place(j, "to", p, b->to);
	json__u64(j, "records", b->counts.records);
	json__u64(j, "with_prediction", b->counts.foreseen);
	json__u64(j, "mispredicted", b->counts.mispredicted);
	json__u64(j, "with_cycles", b->counts.timed);
	json__u64(j, "cycles", b->counts.cycles);
	json__u64(j, "left", row->left);
	json__u64(j, "passed", row->passed);
	json__end_obj(j);
}

void branches_report__json(const struct branches_report *r, struct buf *out)
{
	const struct branch_table *t = r->table;
	struct json j = {.out = out};
	size_t n = n_shown(r);

	report__begin_json(r->report, "report", &j);
	report__trouble_json(r->report, NULL, 0, &j);
	json__str(&j, "filter", prof__remark(r->report->whole, "branches"));
	json__u64(&j, "records", t->all.records);
	json__u64(&j, "records_in_other", t->other.records);
	json__u64(&j, "runs", t->ranges);
	json__u64(&j, "runs_in_other", t->ranges_other);
	json__arr(&j, "branches");
	for (size_t i = 0; i < n; i++)
		json_row(&j, r->report->whole, &t->rows[i]);
	json__end_arr(&j);
	json__u64(&j, "hidden_branches", t->n - n);
	json__end_obj(&j);
}
