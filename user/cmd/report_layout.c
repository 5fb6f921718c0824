// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/report_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "prof/layouts.h"
#include "render/escape.h"

struct saved {
	struct saved_layout *list;
	size_t n;
};

static void saved__done(struct saved *s)
{
	saved_layouts__free(s->list, s->n);
}

/* ---- which type */

/* "node" of "struct node". */
static const char *without_tag(const char *type)
{
	static const char *const tags[] = {"struct ", "union ", "class "};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		if (starts_with(type, tags[i]))
			return type + strlen(tags[i]);
	}
	return type;
}

/* What is wanted may be the label `data_type`: "struct node[]". The caller frees. */
static char *without_dimensions(const char *wanted)
{
	size_t len = strlen(wanted);

	while (len > 2 && strncmp(wanted + len - 2, "[]", 2) == 0)
		len -= 2;
	return xstrndup(wanted, len);
}

/* What a type's name is behind the next namespace or class that it stands in; NULL: there is none.
 * What templates have as arguments stands in others. */
static const char *without_scope(const char *type)
{
	int depth = 0;

	for (; *type; type++) {
		depth += (*type == '<' || *type == '(') - (*type == '>' || *type == ')');
		if (depth == 0 && starts_with(type, "::"))
			return type + 2;
	}
	return NULL;
}

enum fit { FIT_NOT, FIT_BEGINS, FIT_SHORT, FIT_BARE, FIT_FULL };

/* A template is called without its arguments, too. */
static enum fit fit(const char *type, const char *wanted)
{
	const size_t len = strlen(wanted);
	const char *bare = without_tag(type);
	enum fit best = starts_with(type, wanted) ? FIT_BEGINS : FIT_NOT;

	if (strcmp(type, wanted) == 0)
		return FIT_FULL;
	if (strcmp(bare, wanted) == 0)
		return FIT_BARE;
	for (const char *part = bare; part; part = without_scope(part)) {
		if (!starts_with(part, wanted))
			continue;
		if (!part[len] || (len && part[len] == '<'))
			return FIT_SHORT;
		best = FIT_BEGINS;
	}
	return best;
}

static bool in_list(const char *const *list, size_t n, const char *type)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], type) == 0)
			return true;
	}
	return false;
}

/* Each type once, of those that fit so well at least; the caller frees *ret. */
static size_t types_that_fit(const struct saved *s, const char *wanted, enum fit least,
			     const char ***ret)
{
	size_t n = 0;

	*ret = xcalloc(s->n, sizeof(**ret));
	for (size_t i = 0; i < s->n; i++) {
		if (fit(s->list[i].type, wanted) >= least && !in_list(*ret, n, s->list[i].type))
			(*ret)[n++] = s->list[i].type;
	}
	return n;
}

static char *listed(const char *const *types, size_t n)
{
	enum { MOST = 20 };
	struct buf text = {0};

	for (size_t i = 0; i < n && i < MOST; i++) {
		buf__puts(&text, i ? ", " : "");
		escape_line(&text, types[i]);
	}
	if (n > MOST)
		buf__printf(&text, ", and %zu more", n - MOST);
	return buf__take(&text);
}

/* value NULL: any. */
static bool has_label(const struct prof *p, const char *key, const char *value)
{
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct prof_label *label = prof__label(p, p->samples[i].labels, key);

		if (label && (!value || strcmp(prof__text(p, label->text), value) == 0))
			return true;
	}
	return false;
}

static int refuse_all(const struct prof *p, struct err *err)
{
	if (has_label(p, "member", NULL) && has_label(p, "data_class", NULL) &&
	    !has_label(p, "data_class", "validated"))
		return err__usage(err,
				  "--layout: only candidates of the profile have members, and "
				  "these are guesses, which have no layout; record an event "
				  "with data addresses: page-faults, mem:ADDR, or one of a PMU "
				  "(`pmubpf list -v EVENT' says whether it has them)");
	if (has_label(p, "member", NULL))
		return err__usage(err, "--layout: the profile says which members were hit, not how "
				       "their types lie; it is older than that, record it again");
	if (has_label(p, "data_object", NULL))
		return err__usage(
			err, "--layout: no sample of the profile is of a variable whose members "
			     "are known; that takes debug information of the programs (built "
			     "with -g, or in separate files: record --debuginfod fetches those)");
	return err__usage(err, "--layout: no sample of the profile says what data it is about; "
			       "`pmubpf record --data' with an event that has data addresses makes "
			       "such a profile");
}

static int refuse(const struct saved *s, const char *wanted, struct err *err)
{
	_cleanup_free_ const char **types = NULL;
	size_t n = types_that_fit(s, "", FIT_NOT, &types);
	_cleanup_free_ char *all = listed(types, n);

	return err__usage(err,
			  "--layout '%s': the profile has no such type with members; it has %s",
			  wanted, all);
}

/* The one type that is meant, of the saved ones. */
static int choose(const struct saved *s, const char *wanted, const char **ret, struct err *err)
{
	for (enum fit least = FIT_FULL; least > FIT_NOT; least--) {
		_cleanup_free_ const char **types = NULL;
		size_t n = types_that_fit(s, wanted, least, &types);
		_cleanup_free_ char *all = NULL;

		if (!n)
			continue;
		*ret = types[0];
		if (n == 1)
			return 0;
		all = listed(types, n);
		return err__usage(err, "--layout '%s': which one, %s?", wanted, all);
	}
	return refuse(s, wanted, err);
}

/* ---- how it was used */

/* Of the selected samples, the first event that the type has any of; else the first. */
static const struct prof_event *event_of(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->prof->n_samples; i++) {
		const struct prof_label *label =
			prof__label(r->prof, r->prof->samples[i].labels, PROF_LAYOUT);

		if (!label || strcmp(prof__text(r->prof, label->text), id) != 0)
			continue;
		for (size_t e = 0; e < r->n_events; e++) {
			if (prof__values(r->prof, i)[report_event__type(&r->events[e])])
				return &r->events[e];
		}
	}
	return &r->events[0];
}

static int add_view(struct layout_report *ret, const struct saved_layout *saved, struct err *err)
{
	struct layout_view *v = &ret->views[ret->n];

	if (!type_layout__parse(&v->layout, saved->text, strlen(saved->text)))
		return err__set(err, -EBADMSG,
				"how '%s' lies is damaged in the profile, or by a newer pmubpf",
				saved->type);
	v->type = xstrdup(saved->type);
	v->id = xstrdup(saved->id);
	if (!ret->n)
		ret->event = event_of(ret->report, v->id);
	layout_use__count(&v->use, &v->layout, ret->report->prof, v->id,
			  report_event__type(ret->event));
	ret->n++;
	return 0;
}

static int by_use(const void *pa, const void *pb)
{
	const struct layout_view *a = pa, *b = pb;

	return a->use.whole.value != b->use.whole.value ?
		       CMP3(b->use.whole.value, a->use.whole.value) :
		       strcmp(a->id, b->id);
}

int report_layout__find(struct layout_report *ret, const struct report *report, const char *wanted,
			struct err *err)
{
	_cleanup_(saved__done) struct saved s = {0};
	_cleanup_free_ char *bare = without_dimensions(wanted);
	const char *type = "";
	int r;

	*ret = (struct layout_report){.report = report};
	s.n = prof__layouts(report->whole, &s.list);
	if (!s.n)
		return refuse_all(report->whole, err);
	r = choose(&s, bare, &type, err);
	ret->views = xcalloc(REPORT_LAYOUTS, sizeof(*ret->views));
	for (size_t i = 0; r == 0 && i < s.n; i++) {
		if (strcmp(s.list[i].type, type) != 0)
			continue;
		if (ret->n == REPORT_LAYOUTS)
			ret->n_more++;
		else
			r = add_view(ret, &s.list[i], err);
	}
	if (r == 0)
		qsort(ret->views, ret->n, sizeof(*ret->views), by_use);
	for (size_t i = 0; r == 0 && i < ret->n; i++)
		ret->views[i].use.layout = &ret->views[i].layout;
	return r;
}

void report_layout__done(struct layout_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		layout_use__done(&r->views[i].use);
		type_layout__done(&r->views[i].layout);
		free(r->views[i].type);
		free(r->views[i].id);
	}
	free(r->views);
	*r = (struct layout_report){0};
}
