// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From the text of -e to events: what a name means is resolve.c's business. Two things make one
 * name several events or another text: a user's name stands for the text of its definition, and on
 * CPUs with several core PMUs a name that more than one of them knows is an event of each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/cores.h"
#include "pmu/event_names.h"
#include "pmu/parse.h"

void event__done(struct event *event)
{
	free(event->name);
	free(event->label);
	free(event->title);
	free(event->maps_to);
	free(event->counts);
	free(event->pmu);
	free(event->cpus);
	free(event->scale_unit);
	*event = (struct event){0};
}

/* The user's text without the rate: what stands in the output must not change with -c. */
static char *display_name(const struct spec *spec, const struct terms *terms)
{
	_cleanup_(buf__done) struct buf out = {0};
	const char *mods = spec->mods ? spec->mods : "";

	buf__puts(&out, spec->base);
	for (size_t i = 0; i < terms->n; i++) {
		buf__printf(&out, "%c%s", i ? ',' : '/', terms->terms[i].key);
		if (terms->terms[i].val)
			buf__printf(&out, "=%s", terms->terms[i].val);
	}
	if (terms->n)
		buf__putc(&out, '/');
	/* mem: carries its modifiers in the base unless terms stood between */
	if (spec->mem && !spec->terms)
		mods = "";
	buf__printf(&out, "%s%s", *mods && !terms->n ? ":" : "", mods);
	return buf__take(&out);
}

static bool guest_applies(const struct event *event, const struct parser *parser)
{
	const struct pmu *pmu;

	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return true;
	}
	pmu = pmus__find(parser->pmus, event->pmu);
	return pmu && pmu__is_core(pmu);
}

/* What follows the colon of a known event are modifiers, right or wrong; else it is a vendor's name
 * with colons of its own, or "sys:name". */
static int split_mods(const struct parser *parser, struct spec *spec)
{
	_cleanup_free_ char *name = xstrndup(spec->base, strcspn(spec->base, ":"));
	bool known = parser__knows(parser, name);

	if (spec->mem)
		return 0;
	if (parser__is_numbers(spec->base)) {
		char *colon = strchr(strchr(spec->base, ':') + 1, ':');

		if (colon) {
			spec->mods = xstrdup(colon + 1);
			*colon = '\0';
		}
		return 0;
	}
	if (!known && parser->counting && strchr(spec->base, ':') &&
	    spec__split_tracepoint(spec, false))
		return 0;
	if (!known && strchr(spec->base, ':') &&
	    (spec__split_vendor(spec, parser) || is_vendor_style(name) || strstr(spec->base, "::")))
		return 0;
	if (!known && parser->counting && strchr(spec->base, ':') &&
	    spec__split_tracepoint(spec, true))
		return 0;
	return spec__split_mods(spec, known, parser->err);
}

/* What no database explains may well be about data: asked for precisely, a CPU's event brings an
 * address if it has one, and 0 else. */
static void expect_address(struct event *event)
{
	bool by_words = event->attr.type == PERF_TYPE_RAW || event->attr.type >= PERF_TYPE_MAX;

	if (!event->db && by_words && (event->attr.precise_ip || event->precise_max))
		event->has_addr = true;
}

/* Who counts without overflows turns nothing off. */
static int check_sliced(const struct parser *parser, const struct event *event,
			const struct spec *spec)
{
	if (!event->sliced || (!parser->counting && !parser->grouped))
		return 0;
	if (parser->counting)
		return err__usage(parser->err,
				  "event '%s': sliced is of what samples: here a breakpoint is in "
				  "place all the time; leave it out",
				  spec->shown);
	return err__usage(parser->err,
			  "event '%s': a breakpoint that is sliced is off now and then, and the "
			  "others of its group would be, too; name it outside of the braces",
			  spec->shown);
}

/* The modifiers are cut off already. */
static int parser__make(const struct parser *parser, struct spec *spec, struct event *event)
{
	_cleanup_(terms__done) struct terms terms = {0};
	_cleanup_free_ char *name = NULL;
	int r;

	event->attr.size = sizeof(event->attr);
	r = terms__split(&terms, spec, parser->err);
	if (r < 0)
		return r;
	r = event__apply_common_terms(event, &terms, spec, parser->err);
	if (r == 0)
		r = check_sliced(parser, event, spec);
	if (r < 0)
		return r;
	name = display_name(spec, &terms);
	r = event__resolve(event, parser, &terms, spec);
	if (r < 0)
		return r;
	r = terms__refuse_rest(&terms, spec, parser->err);
	if (r < 0)
		return r;
	if (!event->name)
		event->name = TAKE_PTR(name);
	r = event__apply_mods(event, spec, guest_applies(event, parser), parser->err);
	if (r < 0)
		return r;
	event__find_in_db(event, parser);
	expect_address(event);
	return 0;
}

static int parser__append(const struct parser *parser, struct spec *spec, size_t lead,
			  struct event_list *list)
{
	_cleanup_(event__done) struct event event = {0};
	int r = parser__make(parser, spec, &event);

	if (r < 0)
		return r;
	event.lead = lead;
	GROW(list->events, list->n, list->cap);
	list->events[list->n++] = event;
	event = (struct event){0};
	return 0;
}

static void set_labels(struct event_list *list, size_t from)
{
	for (size_t i = from; i < list->n; i++) {
		struct event *event = &list->events[i];

		free(event->label);
		event->label = list->n - from < 2 ? NULL :
						    xasprintf("%s [%s]", event->name, event->pmu);
	}
}

/* Of all PMUs that a name without a number means, those that have it; the rest says why not only if
 * none has. */
static int parser__add_numbered(const struct parser *parser, struct spec *spec,
				struct event_list *list)
{
	struct err why = {0};
	size_t lead = list->n;
	int r = 0;

	for (size_t i = 0; i < parser->pmus->n; i++) {
		struct parser of_one = *parser;

		of_one.one = &parser->pmus->pmus[i];
		of_one.err = &why;
		if (pmu__is_numbered(of_one.one, spec->base))
			r = parser__append(&of_one, spec, lead, list);
	}
	if (list->n > lead || r == 0)
		return 0;
	if (parser->err)
		*parser->err = why;
	return r;
}

/* One event, or one of each core PMU that has it, or of each PMU of that name and a number. */
static int parser__add(const struct parser *parser, struct spec *spec, struct event_list *list)
{
	bool mixed = pmus__are_mixed(parser->pmus);
	size_t lead = list->n;
	int r = split_mods(parser, spec);

	if (r == 0 && parser->group_mods)
		spec__add_group_mods(spec, parser->group_mods);
	for (size_t i = 0; r == 0 && mixed && i < parser->pmus->n; i++) {
		struct parser of_core = *parser;

		of_core.core = &parser->pmus->pmus[i];
		if (pmu__is_core(of_core.core) && parser__is_of_core(parser, spec, of_core.core))
			r = parser__append(&of_core, spec, lead, list);
	}
	if (r == 0 && spec->terms && !pmus__find(parser->pmus, spec->base) &&
	    !parser__knows(parser, spec->base))
		r = parser__add_numbered(parser, spec, list);
	if (r == 0 && list->n == lead)
		r = parser__append(parser, spec, lead, list);
	if (r == 0)
		set_labels(list, lead);
	return r;
}

/* What -e says of a user's event, over what its definition says, over what its text says. */
static void event__define(struct event *event, const struct user_event *user,
			  const struct event *given, const char *name)
{
	free(event->name);
	event->name = xstrdup(name);
	event->is_users = true;
	if (user->title) {
		free(event->title);
		event->title = xstrdup(user->title);
	}
	if (user->counts) {
		free(event->counts);
		event->counts = xstrdup(user->counts);
	}
	if (user->unit_given)
		event->unit = user->unit;
	if (user->period) {
		event->period = user->period;
	}
	if (given->rate_given) {
		event->rate_given = true;
		event->attr.freq = given->attr.freq;
		event->attr.sample_period = given->attr.sample_period;
	}
}

/* Modifiers behind the name are added to those of the definition. */
static int take_definition(const struct parser *parser, const struct user_event *user,
			   const struct spec *spec, struct spec *ret)
{
	const char *text = user->text;
	int r = spec__take(&text, ret, parser->err);

	if (r < 0)
		return r;
	if (*text)
		return err__usage(parser->err, "'%s' is more than one event", user->text);
	r = split_mods(parser, ret);
	if (r < 0 || !spec->mods)
		return r;
	if (ret->mods) {
		char *both = xasprintf("%s%s", ret->mods, spec->mods);

		free(ret->mods);
		ret->mods = both;
	} else {
		ret->mods = xstrdup(spec->mods);
	}
	return 0;
}

static int parser__add_definition(const struct parser *parser, const struct user_event *user,
				  const struct spec *spec, struct event_list *list)
{
	_cleanup_(spec__done) struct spec definition = {0};
	struct err detail = {0};
	struct parser inner = {
		.pmus = parser->pmus,
		.db = parser->db,
		.counting = parser->counting,
		.group_mods = parser->group_mods,
		.err = &detail,
	};
	int r = take_definition(&inner, user, spec, &definition);

	if (r == 0)
		r = parser__add(&inner, &definition, list);
	if (r == 0 && user->period && list->events[list->n - 1].rate_given)
		r = err__usage(&detail,
			       "its event '%s' names a rate, and it has a period: one of "
			       "them",
			       user->text);
	if (r == 0)
		return 0;
	err__set(parser->err, r, "%s: [%s]: %.900s", user->where, user->name, detail.text);
	if (parser->err)
		parser->err->exit_code = detail.exit_code;
	return r;
}

static int parser__add_user(const struct parser *parser, const struct user_event *user,
			    struct spec *spec, struct event_list *list)
{
	_cleanup_(terms__done) struct terms terms = {0};
	_cleanup_(event__done) struct event given = {0};
	_cleanup_free_ char *name = NULL;
	size_t first = list->n;
	int r = spec__split_mods(spec, true, parser->err);

	if (r == 0)
		r = terms__split(&terms, spec, parser->err);
	if (r == 0)
		r = event__apply_common_terms(&given, &terms, spec, parser->err);
	if (r == 0)
		r = terms__refuse_rest(&terms, spec, parser->err);
	if (r == 0)
		r = parser__add_definition(parser, user, spec, list);
	if (r < 0)
		return r;
	name = display_name(spec, &terms);
	for (size_t i = first; i < list->n; i++)
		event__define(&list->events[i], user, &given, given.name ? given.name : name);
	set_labels(list, first);
	return 0;
}

static const struct user_event *find_user(const struct parser *parser, const struct spec *spec)
{
	_cleanup_free_ char *name = xstrndup(spec->base, strcspn(spec->base, ":"));

	return parser->user ? user_events__find(parser->user, name) : NULL;
}

/* Returns 1 if another event follows. */
static int parser__next(const struct parser *parser, const char **p, struct event_list *list)
{
	_cleanup_(spec__done) struct spec spec = {0};
	const struct user_event *user;
	int r = spec__take(p, &spec, parser->err);

	if (r < 0)
		return r;
	user = find_user(parser, &spec);
	r = user ? parser__add_user(parser, user, &spec, list) : parser__add(parser, &spec, list);
	if (r < 0)
		return r;
	if (**p != ',')
		return 0;
	++*p;
	return 1;
}

static int parser__group(const struct parser *parser, const char *mods, const char **p,
			 struct event_list *list)
{
	struct parser inner = *parser;
	size_t first = list->n, number = 1;
	int r;

	inner.group_mods = mods;
	inner.grouped = true;
	for (size_t i = 0; i < first; i++) {
		if (list->events[i].group >= number)
			number = list->events[i].group + 1;
	}
	do {
		r = parser__next(&inner, p, list);
	} while (r > 0);
	for (size_t i = first; i < list->n; i++) {
		list->events[i].group = number;
		/* the kernel takes them of a leader only, whose group it keeps together */
		if (i > first)
			list->events[i].attr.pinned = list->events[i].attr.exclusive = 0;
	}
	return r == 0 && !group__close(p) ?
		       err__usage(parser->err, "a group is not closed: '%.100s'", *p) :
		       r;
}

/* An event or a group; returns 1 if another follows. */
static int parser__item(const struct parser *parser, const char **p, struct event_list *list)
{
	_cleanup_free_ char *mods = NULL;
	int r = group__open(parser, p, &mods);

	if (r == 0)
		return parser__next(parser, p, list);
	if (r > 0)
		r = parser__group(parser, mods, p, list);
	if (r < 0 || **p != ',')
		return r;
	++*p;
	return 1;
}

static int parser__run(const struct parser *parser, const char *text, struct event_list *list)
{
	size_t before = list->n;
	int r;

	if (!text[strspn(text, " \t\n")])
		return err__usage(parser->err,
				  "the text of -e is empty; `pmubpf list` shows the events");
	do {
		r = parser__item(parser, &text, list);
	} while (r > 0);
	if (r == 0 && *text)
		r = err__usage(parser->err, "'%.100s': a closing brace without an opening one",
			       text);
	while (r < 0 && list->n > before)
		event__done(&list->events[--list->n]);
	return r;
}

int event_list__parse(struct event_list *list, const char *text, const char *sysfs, struct err *err)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};

	/* Without sysfs there are still the generic events; what needs a PMU says it is missing. */
	(void)pmus__read(&pmus, sysfs);
	return event_list__parse_with(list, text, &pmus, err);
}

int event_list__parse_with(struct event_list *list, const char *text, const struct pmus *pmus,
			   struct err *err)
{
	const struct parser parser = {.pmus = pmus, .err = err};

	return parser__run(&parser, text, list);
}

int event_names__read(struct event_names *names, const char *file, const char *db, struct err *err)
{
	int r;

	*names = (struct event_names){0};
	r = event_db__open(&names->db, db, &names->db_trouble, err);
	if (r < 0)
		return r;
	(void)pmus__read(&names->pmus, NULL);
	return user_events__read(&names->user, file, err);
}

void event_names__done(struct event_names *names)
{
	pmus__done(&names->pmus);
	user_events__done(&names->user);
	event_db__free(names->db);
	names->db = NULL;
}

int event_names__parse(const struct event_names *names, struct event_list *list, const char *text,
		       struct err *err)
{
	const struct parser parser = {
		.pmus = &names->pmus,
		.db = names->db,
		.user = &names->user,
		.counting = names->counting,
		.err = err,
	};

	return parser__run(&parser, text, list);
}

int event_names__parse_ours(const struct event_names *names, struct event_list *list,
			    const char *text, struct err *err)
{
	const struct parser parser = {.pmus = &names->pmus, .db = names->db, .err = err};

	return parser__run(&parser, text, list);
}

void event_list__done(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		event__done(&list->events[i]);
	free(list->events);
	*list = (struct event_list){0};
}

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void event_list__copy(struct event_list *to, const struct event_list *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct event event = from->events[i];

		event.name = copy_text(event.name);
		event.label = copy_text(event.label);
		event.title = copy_text(event.title);
		event.maps_to = copy_text(event.maps_to);
		event.counts = copy_text(event.counts);
		event.pmu = copy_text(event.pmu);
		event.cpus = copy_text(event.cpus);
		event.scale_unit = copy_text(event.scale_unit);
		GROW(to->events, to->n, to->cap);
		to->events[to->n++] = event;
	}
}
