// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same branch may stand in a profile several times: with and without a name, if files were
 * added up. So lines are made, put in order, and equal ones added up.
 */
#include "render/branch_feeds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/escape.h"

static const struct prof_mapping *mapping_of(const struct prof *p, uint32_t location)
{
	return &p->mappings[p->locations[location].mapping];
}

static bool is_in(const struct prof *p, uint32_t location, const struct branch_binary *b)
{
	const struct prof_mapping *m = mapping_of(p, location);

	return m->file == b->file && m->build_id == b->build_id;
}

/* ---- which binary */

static bool is_called(const struct prof *p, const struct branch_binary *b, const char *name)
{
	const char *file = prof__text(p, b->file), *build_id = prof__text(p, b->build_id);

	return strcmp(file, name) == 0 || strcmp(base_name(file), name) == 0 ||
	       (*build_id && strcmp(build_id, name) == 0);
}

/* What optimizers have no file of: the kernel's code, that of JITs. */
static bool is_file(const struct prof *p, const struct prof_branch *b)
{
	return b->from && prof__kind(p, b->from) == PROF_USER &&
	       prof__text(p, mapping_of(p, b->from)->file)[0] == '/';
}

static struct branch_binary *binary_of(struct branch_binary *list, size_t *n,
				       const struct prof_mapping *m)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i].file == m->file && list[i].build_id == m->build_id)
			return &list[i];
	}
	list[*n] = (struct branch_binary){.file = m->file, .build_id = m->build_id};
	return &list[(*n)++];
}

/* Two of one name are two builds: the build-id says which is meant. */
static int ambiguous(const struct prof *p, const struct branch_binary *a,
		     const struct branch_binary *b, const char *name, struct err *err)
{
	return err__usage(
		err,
		"--binary '%s': there are two, with the build-ids '%s' and '%s'; name one "
		"of these",
		name, prof__text(p, a->build_id), prof__text(p, b->build_id));
}

int branch_binary__choose(struct branch_binary *ret, const struct prof *p, const char *name,
			  struct err *err)
{
	_cleanup_free_ struct branch_binary *list = xcalloc(p->n_mappings, sizeof(*list));
	const struct branch_binary *best = NULL;
	uint64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n_branches; i++) {
		const struct prof_branch *b = &p->branches[i];

		if (b->kind != BRANCH_TAKEN || !b->from)
			continue;
		all += b->counts.records;
		if (is_file(p, b))
			binary_of(list, &n, mapping_of(p, b->from))->records += b->counts.records;
	}
	for (size_t i = 0; i < n; i++) {
		if (name && !is_called(p, &list[i], name))
			continue;
		if (name && best)
			return ambiguous(p, best, &list[i], name, err);
		if (!best || list[i].records > best->records)
			best = &list[i];
	}
	if (!best)
		return err__usage(err, "--binary '%s': no branch comes from a file of that name",
				  name ? name : "");
	*ret = *best;
	ret->all = all;
	return 0;
}

/* ---- lines */

enum { OUTSIDE = 1 }; /* an end is somewhere else */

struct line {
	uint64_t from, to;
	uint32_t from_where, to_where;
	uint64_t n, mispredicted;
};

struct lines {
	struct line *list;
	size_t n, cap;
};

static int compare_lines(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->from_where != b->from_where)
		return CMP3(a->from_where, b->from_where);
	if (a->from != b->from)
		return CMP3(a->from, b->from);
	if (a->to_where != b->to_where)
		return CMP3(a->to_where, b->to_where);
	return CMP3(a->to, b->to);
}

static void add_up(struct lines *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), compare_lines);
	for (size_t i = 0; i < l->n; i++) {
		struct line *last = n ? &l->list[n - 1] : NULL;

		if (last && compare_lines(last, &l->list[i]) == 0) {
			last->n = branch_sum(last->n, l->list[i].n);
			last->mispredicted =
				branch_sum(last->mispredicted, l->list[i].mispredicted);
		} else {
			l->list[n++] = l->list[i];
		}
	}
	l->n = n;
}

/* Where it is in the ELF file's own addresses; or, as offsets, in the file. */
static uint64_t place_of(const struct prof *p, uint32_t location, bool offsets)
{
	const struct prof_mapping *m = mapping_of(p, location);
	uint64_t address = p->locations[location].address;

	return offsets ? address - m->start + m->offset : address;
}

static void end_of(const struct prof *p, const struct branch_binary *binary, uint32_t location,
		   bool offsets, uint64_t *ret, uint32_t *ret_where)
{
	*ret_where = is_in(p, location, binary) ? 0 : OUTSIDE;
	*ret = *ret_where ? 0 : place_of(p, location, offsets);
}

/* outside: one end may be. */
static struct lines collect(const struct prof *p, const struct branch_binary *binary,
			    enum branch_kind kind, bool offsets, bool outside)
{
	struct lines ret = {0};

	for (size_t i = 0; i < p->n_branches; i++) {
		const struct prof_branch *b = &p->branches[i];
		struct line line = {.n = b->counts.records, .mispredicted = b->counts.mispredicted};

		if (b->kind != kind || !b->from)
			continue;
		end_of(p, binary, b->from, offsets, &line.from, &line.from_where);
		end_of(p, binary, b->to, offsets, &line.to, &line.to_where);
		if (line.from_where + line.to_where > (outside ? OUTSIDE : 0))
			continue;
		if (kind == BRANCH_BETWEEN && line.from > line.to)
			continue;
		GROW(ret.list, ret.n, ret.cap);
		ret.list[ret.n++] = line;
	}
	add_up(&ret);
	return ret;
}

/* ---- formats */

static void put_bolt_place(struct buf *out, uint64_t place, uint32_t where)
{
	buf__printf(out, where == OUTSIDE ? " X:%" PRIx64 : " %" PRIx64, place);
}

void branch_feed__bolt(const struct prof *p, const struct branch_binary *binary, struct buf *out)
{
	struct lines branches = collect(p, binary, BRANCH_TAKEN, false, true);
	struct lines runs = collect(p, binary, BRANCH_BETWEEN, false, false);

	for (size_t i = 0; i < branches.n; i++) {
		const struct line *l = &branches.list[i];

		buf__putc(out, 'B');
		put_bolt_place(out, l->from, l->from_where);
		put_bolt_place(out, l->to, l->to_where);
		buf__printf(out, " %" PRIu64 " %" PRIu64 "\n", l->n, l->mispredicted);
	}
	for (size_t i = 0; i < runs.n; i++)
		buf__printf(out, "F %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", runs.list[i].from,
			    runs.list[i].to, runs.list[i].n);
	free(branches.list);
	free(runs.list);
}

static void put_autofdo(struct buf *out, const struct lines *lines, const char *between)
{
	buf__printf(out, "%zu\n", lines->n);
	for (size_t i = 0; i < lines->n; i++)
		buf__printf(out, "%" PRIx64 "%s%" PRIx64 ":%" PRIu64 "\n", lines->list[i].from,
			    between, lines->list[i].to, lines->list[i].n);
}

void branch_feed__autofdo(const struct prof *p, const struct branch_binary *binary, struct buf *out)
{
	struct lines branches = collect(p, binary, BRANCH_TAKEN, true, false);
	struct lines runs = collect(p, binary, BRANCH_BETWEEN, true, false);

	put_autofdo(out, &runs, "-");
	buf__puts(out, "0\n");
	put_autofdo(out, &branches, "->");
	free(branches.list);
	free(runs.list);
}
