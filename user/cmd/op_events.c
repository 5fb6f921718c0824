// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A breakpoint has an address, and so it is of one process; the class and the function are in its
 * name. What follows of it (stacks, labels, books) is a breakpoint's, which there is already.
 */
#include "cmd/op_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "opener/opener.h"
#include "render/escape.h"
#include "session/op_places.h"

#define PREFIX "op:"

enum { NAMED_MAX = 4 /* functions, in a sentence */ };

/* One text, taken apart; its parts are in `copy`. */
struct op_event {
	char *copy;
	const char *class, *function, *file, *terms; /* function NULL: the hottest */
	enum pmb_block_class of;
};

static const char *const words[PMB_N_BLOCK_CLASSES] = {
#define X(class, word, least) [PMB_BLOCK_##class] = word,
	PMB_BLOCK_MARKS(X) PMB_BLOCK_MIXES(X)
#undef X
};

static bool is_op(const char *text)
{
	return starts_with(text, PREFIX);
}

bool op_events__only(const struct event_args *a)
{
	for (size_t i = 0; i < a->n_texts; i++) {
		if (!is_op(a->texts[i]))
			return false;
	}
	return a->n_texts > 0;
}

static enum pmb_block_class class_of(const char *word)
{
	for (int i = PMB_BLOCK_NONE + 1; i < PMB_N_BLOCK_CLASSES; i++) {
		if (strcmp(words[i], word) == 0)
			return (enum pmb_block_class)i;
	}
	return PMB_BLOCK_NONE;
}

static int refuse_class(const struct op_event *e, const char *text, struct err *err)
{
	_cleanup_(buf__done) struct buf all = {0};

	for (int i = PMB_BLOCK_NONE + 1; i < PMB_N_BLOCK_CLASSES; i++)
		buf__printf(&all, "%s%s", i > 1 ? ", " : "", words[i]);
	return err__usage(err, "event '%s': '%s' is none of these: %s", text, e->class, all.data);
}

/* Where another event of the same text is said, or its end: behind a comma that isn't between
 * brackets, as those of "f<int, long>" are. */
static const char *next_event(const char *text)
{
	int depth = 0;

	for (; *text && (*text != ',' || depth > 0); text++)
		depth += strchr("<([", *text) ? 1 : strchr(">)]", *text) ? -1 : 0;
	return text;
}

/* Behind another event, or in a group. */
static bool is_within(const char *text)
{
	bool quoted = false, begins = true;

	for (const char *at = text; *at; at++) {
		if (begins && !quoted && at != text && is_op(at))
			return true;
		quoted ^= *at == '\'';
		begins = strchr(",{ \t\n", *at);
	}
	return false;
}

/* "/period=100/" at the end. */
static void cut_terms(struct op_event *e)
{
	size_t len = strlen(e->copy);
	char *slash;

	if (len < 2 || e->copy[len - 1] != '/')
		return;
	slash = memrchr(e->copy, '/', len - 1);
	if (!slash) /* A::operator/ */
		return;
	e->copy[len - 1] = *slash = '\0';
	e->terms = slash + 1;
}

static int check_alone(const char *text, struct err *err)
{
	_cleanup_free_ char *first = is_op(text) ? xstrdup(text) : NULL;
	struct op_event e = {.copy = first};

	if (first)
		cut_terms(&e);
	if (first ? !*next_event(first) : !is_within(text))
		return 0;
	return err__usage(err,
			  "event '%s': " PREFIX " stands alone in its -e; name other events each "
			  "with an -e of its own",
			  text);
}

static int take_apart(struct op_event *e, const char *text, struct err *err)
{
	char *at;

	e->copy = xstrdup(text);
	cut_terms(e);
	e->class = e->copy + strlen(PREFIX);
	at = strchr(e->class, ':');
	if (at && !at[1])
		return err__usage(err,
				  "event '%s': of which function? " PREFIX "CLASS:FUNC[@FILE]; or "
				  "of the hottest: " PREFIX "CLASS",
				  text);
	if (at)
		*at++ = '\0';
	e->function = at;
	at = at ? strrchr(at, '@') : NULL;
	if (at && at[1] && at != e->function) {
		*at = '\0';
		e->file = at + 1;
	}
	e->of = class_of(e->class);
	return e->of == PMB_BLOCK_NONE ? refuse_class(e, text, err) : 0;
}

/* What has no name is told by its file, and by the distance in that. */
static const char *name_of(const struct op_event *e, const struct op_places *places,
			   const struct op_place *place, uint64_t *ret_at)
{
	const struct branch_site *site = &places->hottest.of[place->function].site;

	*ret_at = place->at + (e->function || site->called ? 0 : site->jumps.vaddr);
	if (e->function)
		return e->function;
	return site->called ? site->called : base_name(site->path);
}

/* As a term may have it. */
static void put_name(const struct op_event *e, const struct op_places *places,
		     const struct op_place *place, struct buf *out)
{
	_cleanup_(buf__done) struct buf function = {0};
	uint64_t at;

	buf__puts(&function, "");
	escape_line(&function, name_of(e, places, place, &at));
	for (char *c = function.data; *c; c++)
		*c = strchr(",/{}'\"\\ ", *c) ? '_' : *c;
	buf__printf(out, "%s%s:%s+0x%" PRIx64, PREFIX, e->class, function.data, at);
}

static char *breakpoints(const struct op_event *e, const struct op_places *places)
{
	struct buf out = {0};

	for (size_t i = 0; i < places->n && i < OP_BREAKPOINTS; i++) {
		buf__printf(&out, "%smem:0x%" PRIx64 ":x/sliced,name=", i ? "," : "",
			    places->list[i].address);
		put_name(e, places, &places->list[i], &out);
		buf__printf(&out, "%s%s/", e->terms ? "," : "", e->terms ? e->terms : "");
	}
	return buf__take(&out);
}

static void note(const char *text, const struct op_places *p, struct buf *notes)
{
	const bool none_met = p->each_ns && p->share <= 0;

	buf__printf(notes, "breakpoints: %s at %s%zu of %zu instructions", text,
		    none_met ? "the first " : "",
		    p->n < OP_BREAKPOINTS ? p->n : (size_t)OP_BREAKPOINTS, p->n_all);
	if (none_met)
		buf__puts(notes, ": in a trial none of them was met");
	else if (p->each_ns)
		buf__printf(notes,
			    ", which had %.1f %% of the hits in a trial, each in place for at "
			    "least %" PRIu64 " ms",
			    100 * p->share, p->each_ns / 1000000);
	if (p->n_all > p->n)
		buf__printf(notes, "; %zu were not tried", p->n_all - p->n);
	buf__putc(notes, '\n');
}

/* Which part of the process's time was looked at for them. */
static void note_hottest(const struct op_event *e, const struct op_places *p, struct buf *notes)
{
	const struct op_hottest *h = &p->hottest;
	uint64_t with = 0;

	for (size_t i = 0; i < h->n; i++)
		with += h->of[i].samples;
	buf__printf(notes, "breakpoints: of %" PRIu64 " samples of a clock before", h->samples);
	op_hottest__put_threads(h, notes);
	buf__printf(notes,
		    ", in its own code, %.1f %% were in functions that were looked through (%zu), "
		    "%.1f %% in those with %s%s (%zu):",
		    100 * (double)h->looked / (double)h->samples, h->n_looked,
		    100 * (double)with / (double)h->samples, PREFIX, e->class, h->n);
	for (size_t i = 0; i < h->n && i < NAMED_MAX; i++) {
		const struct branch_site *site = &h->of[i].site;

		buf__puts(notes, i ? ", " : " ");
		escape_name(notes, site->called ? site->called : base_name(site->path));
	}
	buf__puts(notes, h->n > NAMED_MAX ? ", ...\n" : "\n");
}

static int check_target(const char *text, const struct target_args *t, struct err *err)
{
	if (t->n_pids == 1 && !t->n_tids && !t->all && !t->n_cgroups && !t->n_containers &&
	    !t->command)
		return 0;
	return err__usage(err,
			  "event '%s': breakpoints have addresses, and so are of one process: "
			  "-p PID, and no other target",
			  text);
}

int op_events__take(struct event_args *a, const struct target_args *target, struct err *err)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < a->n_texts && r == 0; i++) {
		struct op_event e = {0};

		r = check_alone(a->texts[i], err);
		if (r == 0 && !is_op(a->texts[i])) {
			a->texts[kept++] = a->texts[i];
			continue;
		}
		if (r == 0)
			r = check_target(a->texts[i], target, err);
		if (r == 0)
			r = take_apart(&e, a->texts[i], err);
		free(e.copy);
		GROW(a->ops, a->n_ops, a->cap_ops);
		a->ops[a->n_ops++] = a->texts[i];
	}
	a->n_texts = kept;
	return r;
}

static int find(const struct event_args *a, const char *text, const struct branch_whom *whom,
		const struct op_event *e, struct event_list *ret, struct buf *notes,
		struct err *err)
{
	_cleanup_free_ struct op_places *places = xcalloc(1, sizeof(*places));
	_cleanup_free_ char *mems = NULL;
	int r = op_places__find(places, whom, notes, err);

	if (r == 0) {
		note(text, places, notes);
		if (!e->function)
			note_hottest(e, places, notes);
		mems = breakpoints(e, places);
		r = event_names__parse(&a->names, ret, mems, err);
	}
	op_hottest__done(&places->hottest);
	return r;
}

static void free_opener(struct opener **o)
{
	opener__free(*o);
}

int op_events__find(struct event_args *a, const struct target_args *target, struct event_list *ret,
		    struct buf *notes, struct err *err)
{
	_cleanup_(free_opener) struct opener *opener = NULL;
	int r = a->n_ops ? opener__start(&opener, err) : 0;

	for (size_t i = 0; i < a->n_ops && r == 0; i++) {
		struct op_event e = {0};

		r = take_apart(&e, a->ops[i], err);
		if (r == 0) {
			const struct branch_whom whom = {
				.opener = opener,
				.pid = target->pids[0],
				.function = e.function,
				.file = e.file,
				.class = e.of,
				.option = a->ops[i],
				.which = "FUNC@FILE",
			};

			r = find(a, a->ops[i], &whom, &e, ret, notes, err);
		}
		free(e.copy);
	}
	return r;
}
