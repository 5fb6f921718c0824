// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/branches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/search.h"
#include "model/duration.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/probed.h"
#include "render/report_head.h"

enum {
	COUNT_WIDTH = 12,
	SHARE_WIDTH = 9,
	WIDTH = 2 * (COUNT_WIDTH + 1) + SHARE_WIDTH,
};

/* A row's values are this, of its jump; what is counted is in the jump. */
static const int64_t a_jump[] = {0};

struct table {
	const struct branch_view *v;
	struct code_row *rows;
	size_t n, cap;
};

static const struct branch_jump *jump_at(const struct branch_view *v, uint64_t address)
{
	size_t at = FIRST_INDEX(i, v->n, v->vaddr + v->jumps[i].at >= address);

	return at < v->n && v->vaddr + v->jumps[at].at == address ? &v->jumps[at] : NULL;
}

static void add_row(struct table *t, struct code_row row)
{
	row.values = jump_at(t->v, row.address) ? a_jump : NULL;
	GROW(t->rows, t->n, t->cap);
	t->rows[t->n++] = row;
}

/* Those of the listing, and jumps that it doesn't have. */
static void find_rows(struct table *t)
{
	const struct branch_view *v = t->v;
	const struct listing *l = v->listing;
	size_t next = 0;

	for (size_t i = 0; l && i < l->n; i++) {
		const uint64_t address = l->vaddr + l->rows[i].at;

		for (; next < v->n && v->vaddr + v->jumps[next].at < address; next++)
			add_row(t, (struct code_row){.address = v->vaddr + v->jumps[next].at});
		next += next < v->n && v->vaddr + v->jumps[next].at == address;
		add_row(t, code_row__of(l, &l->rows[i]));
	}
	for (; next < v->n; next++)
		add_row(t, (struct code_row){.address = v->vaddr + v->jumps[next].at});
}

static bool is_met(const struct branch_jump *j)
{
	return j->taken + j->not_taken > 0;
}

static double taken_percent(const struct branch_jump *j)
{
	return 100 * (double)j->taken / (double)(j->taken + j->not_taken);
}

/* ---- for people */

static const char *const not_probed[] = {
	[BRANCH_STEPPED] = "not probed: single-stepped",
	[BRANCH_UNREACHED] = "not probed: not reached",
	[BRANCH_BEYOND] = "not probed: too many",
};

static void put_cells(void *ctx, const struct code_row *row, struct buf *out)
{
	const struct table *t = ctx;
	const struct branch_jump *j = row && row->values ? jump_at(t->v, row->address) : NULL;

	if (!j)
		buf__printf(out, "%*s", WIDTH, "");
	else if (j->state != BRANCH_PROBED)
		buf__printf(out, "%*s", WIDTH, not_probed[j->state]);
	else if (is_met(j))
		buf__printf(out, "%*" PRIu64 " %*" PRIu64 " %s%*.2f", COUNT_WIDTH, j->taken,
			    COUNT_WIDTH, j->not_taken, is_sliced(&t->v->probed) ? "~" : " ",
			    SHARE_WIDTH, taken_percent(j));
	else
		buf__printf(out, "%*d %*d %*s", COUNT_WIDTH, 0, COUNT_WIDTH, 0, SHARE_WIDTH + 1,
			    "-");
	buf__puts(out, "  ");
}

static size_t count_of(const struct branch_view *v, enum branch_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += v->jumps[i].state == state;
	return n;
}

static void put_jumps(const struct branch_view *v, struct buf *out)
{
	static const char *const why[] = {
		[BRANCH_STEPPED] = "that the kernel would single-step",
		[BRANCH_UNREACHED] = "that no jump is seen to lead to (they may be data)",
		[BRANCH_BEYOND] = "behind the first ones, for they are too many",
	};

	size_t told = 0;

	report__put_key("jumps", out);
	buf__printf(out, "%zu on a condition, %zu probed", v->n_all, count_of(v, BRANCH_PROBED));
	for (enum branch_state s = BRANCH_STEPPED; s <= BRANCH_BEYOND; s++) {
		if (count_of(v, s))
			buf__printf(out, "%s%zu %s", told++ ? ", " : "; not: ", count_of(v, s),
				    why[s]);
	}
	if (v->n_all > v->n)
		buf__printf(out, "; %zu more were not looked at", v->n_all - v->n);
	buf__putc(out, '\n');
}

static void put_time(const struct branch_view *v, struct buf *out)
{
	const struct probed *p = &v->probed;
	char span[DURATION_TEXT], hit[DURATION_TEXT];

	duration_text(p->span_ns, span);
	duration_text(v->hit_ns, hit);
	report__put_key("counted", out);
	buf__printf(out, "for %s%s", span, v->ended ? ", until the process ended" : "");
	buf__puts(out, is_sliced(p) ? "\n" : "; each time that a jump was met: counts are exact\n");
	probed__slices_text(p, "#           ",
			    "counts are of what was met then, and shares (~) are estimates", out);
	probed__spent_text(p, "#           ", out);
	buf__printf(out, "#           each time that a probe is met takes about %s here\n", hit);
}

static void put_head(const struct branch_view *v, struct buf *out)
{
	code_head__line("function", v->function, out);
	code_head__line("file", v->file, out);
	report__put_key("process", out);
	buf__printf(out, "%d\n", (int)v->pid);
	put_jumps(v, out);
	put_time(v, out);
	if (v->elsewhere) {
		report__put_key("note", out);
		buf__printf(out,
			    "%" PRIu64 " times jumps were met where the function was not at the "
			    "beginning (after an exec, or mapped again): not counted\n",
			    v->elsewhere);
	}
}

void branch_view__text(const struct branch_view *v, struct buf *out)
{
	_cleanup_(buf__done) struct buf body = {0}, notes = {0};
	struct table t = {.v = v};
	struct code_rows rows = {
		.path = v->file,
		.sources = v->sources,
		.all = v->all,
		.far = "a conditional jump",
		.put_cells = put_cells,
		.ctx = &t,
	};

	find_rows(&t);
	rows.list = t.rows;
	rows.n = t.n;
	code_rows__text(&rows, &body);
	put_head(v, out); /* what is noted about sources is known now */
	code_head__notes(&v->notes, out);
	sources__notes(v->sources, &notes);
	code_head__notes(&notes, out);
	buf__printf(out, "\n%*s %*s  %*s  address and instruction, below its line\n", COUNT_WIDTH,
		    "taken", COUNT_WIDTH, "not taken", SHARE_WIDTH, "taken %");
	buf__add(out, body.data, body.len);
	free(t.rows);
}

/* ---- for programs */

static void put_jump(struct json *j, const struct branch_view *v, const struct code_row *row)
{
	static const char *const states[] = {
		[BRANCH_PROBED] = NULL,
		[BRANCH_STEPPED] = "stepped",
		[BRANCH_UNREACHED] = "not_reached",
		[BRANCH_BEYOND] = "too_many",
	};
	const struct branch_jump *jump = jump_at(v, row->address);
	_cleanup_free_ char *text = sources__line(v->sources, row->file, row->line);

	json__obj(j, NULL);
	json__u64(j, "address", row->address);
	json__u64(j, "offset", jump->at);
	json__str(j, "text", row->insn ? row->insn->text : NULL);
	if (row->insn && row->insn->target)
		json__u64(j, "target", row->insn->target);
	else
		json__null(j, "target");
	json__str(j, "file", row->file);
	if (row->line)
		json__u64(j, "line", row->line);
	else
		json__null(j, "line");
	json__str(j, "source", text);
	json__arr(j, "inlined");
	for (size_t i = 1; i < row->n_frames; i++)
		json__str(j, NULL, row->frames[i].function ? row->frames[i].function : "?");
	json__end_arr(j);
	json__bool(j, "probed", jump->state == BRANCH_PROBED);
	json__str(j, "not_probed", states[jump->state]);
	json__u64(j, "taken", jump->taken);
	json__u64(j, "not_taken", jump->not_taken);
	if (is_met(jump))
		json__f64(j, "taken_percent", taken_percent(jump), 4);
	else
		json__null(j, "taken_percent");
	json__end_obj(j);
}

void branch_view__json(const struct branch_view *v, struct buf *out)
{
	_cleanup_(buf__done) struct buf notes = {0};
	struct table t = {.v = v};
	struct json j = {.out = out};

	find_rows(&t);
	json__obj(&j, NULL);
	json__head(&j, "annotate", v->words);
	json__str(&j, "function", v->function);
	json__str(&j, "module", v->file);
	json__u64(&j, "pid", (uint64_t)v->pid);
	json__bool(&j, "ended", v->ended);
	json__bool(&j, "exact", !is_sliced(&v->probed));
	probed__json(&v->probed, &j);
	json__u64(&j, "hit_ns", v->hit_ns);
	json__u64(&j, "elsewhere", v->elsewhere);
	json__u64(&j, "conditional_jumps", v->n_all);
	json__arr(&j, "jumps");
	for (size_t i = 0; i < t.n; i++) {
		if (t.rows[i].values)
			put_jump(&j, v, &t.rows[i]);
	}
	json__end_arr(&j);
	buf__add(&notes, v->notes.data, v->notes.len);
	sources__notes(v->sources, &notes);
	json__lines(&j, "notes", notes.data);
	json__end_obj(&j);
	free(t.rows);
}
