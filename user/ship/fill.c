// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is memory: a frame of a few bytes becomes a location, a function, a mapping. So
 * frames are counted against the bound as what they may cost, before they are taken apart.
 */
#include "ship/fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/profile.h"
#include "prof/pprof_read.h"
#include "prof/remark_sum.h"
#include "ship/binary.h"
#include "ship/frame_text.h"
#include "ship/schema.h"

enum { FRAME_COST = 24, MAX_TYPES = 256, MAX_LABELS = 256, PAGE = 4096 };

/* What mappings are told apart by. */
struct segment {
	uint64_t distance;
	uint32_t file, build_id;
};

struct fill {
	struct prof *prof;
	uint64_t max_bytes, bytes;
	uint64_t frames; /* of stacks */
	uint64_t n_windows;
	int64_t first_ns, last_ns, end_ns;
	struct prof_event *events;
	size_t n_events;
	uint64_t *sums;         /* of the magnitudes of each type's values */
	struct cursor samples;  /* read again at the end */
	struct intern hash_set; /* of stacks that samples have */
	uint64_t *hashes;
	size_t n_hashes, cap_hashes;
	uint32_t *stacks;       /* by number of hash_set: the profile's stack + 1; 0: not known */
	struct intern segments; /* numbers are those of mappings */
	size_t missing;
};

struct fill *fill__new(uint64_t max_bytes)
{
	struct fill *f = xcalloc(1, sizeof(*f));

	f->prof = prof__new();
	f->max_bytes = max_bytes ? max_bytes : PPROF_MAX_BYTES;
	return f;
}

void fill__free(struct fill *f)
{
	if (!f)
		return;
	prof_events__free(f->events, f->n_events);
	prof__free(f->prof);
	intern__done(&f->hash_set);
	intern__done(&f->segments);
	free(f->sums);
	free(f->hashes);
	free(f->stacks);
	free(f);
}

static int bad(struct err *err, const char *what)
{
	return err__set(err, -EBADMSG, "the server's reply doesn't fit together: %s", what);
}

/* As strings of the tables are, but for NULs, which none of ours has. */
static uint32_t take_text(struct prof *p, struct cursor *c)
{
	size_t len;
	const char *text = binary__take(c, &len);

	if (text && memchr(text, '\0', len)) {
		c->bad = true;
		return 0;
	}
	return text && len ? prof__string_n(p, text, len) : 0;
}

static int begin(struct fill *f, const void *data, size_t len, struct cursor *ret, struct err *err)
{
	*ret = cursor__over(data, len);
	if (len > f->max_bytes - f->bytes)
		return err__set(err, -EFBIG,
				"the server's replies have more than %.1f MB; --max-size allows "
				"more",
				(double)f->max_bytes / 1e6);
	f->bytes += len;
	return 0;
}

/* ---------------------------------------------------------------- windows */

/* "name/unit", a line each; the last slash is the one. */
static bool add_types(struct prof *p, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		_cleanup_free_ char *line = xstrndup(text, (size_t)(end - text));
		char *slash = strrchr(line, '/');
		uint32_t name, unit;
		bool known = false;

		if (!slash || slash == line || p->n_types >= MAX_TYPES)
			return false;
		*slash = '\0';
		name = prof__string(p, line);
		unit = prof__string(p, slash + 1);
		for (size_t t = 0; t < p->n_types; t++)
			known |= p->types[t].name == name && p->types[t].unit == unit;
		if (!known)
			prof__type(p, line, slash + 1);
	}
	return !*text;
}

static void set_period(struct prof *p, const char *text, int64_t period)
{
	const char *end = strchr(text, '\n');
	_cleanup_free_ char *line = xstrndup(text, end ? (size_t)(end - text) : 0);
	char *slash = strrchr(line, '/');

	if (!slash)
		return;
	*slash = '\0';
	p->period_type.name = prof__string(p, line);
	p->period_type.unit = prof__string(p, slash + 1);
	p->period = period;
}

static bool take_windows(struct fill *f, struct cursor *c)
{
	struct prof *p = f->prof;
	bool first = !f->n_windows;
	uint32_t types = take_text(p, c), default_type = take_text(p, c);
	uint32_t period_type = take_text(p, c);
	int64_t period = (int64_t)cursor__u64(c);
	uint32_t drop = take_text(p, c), keep = take_text(p, c);
	int64_t first_ns = (int64_t)cursor__u64(c), last_ns = (int64_t)cursor__u64(c);
	int64_t end_ns = (int64_t)cursor__u64(c), duration = (int64_t)cursor__u64(c);
	uint64_t n = cursor__u64(c);

	if (!cursor__ok(c) || !add_types(p, prof__text(p, types)))
		return false;
	f->n_windows += n;
	if (first || first_ns < f->first_ns)
		f->first_ns = first_ns;
	if (first || last_ns > f->last_ns)
		f->last_ns = last_ns;
	if (first || end_ns > f->end_ns)
		f->end_ns = end_ns;
	p->time_ns = f->first_ns;
	if (duration < 0 || __builtin_add_overflow(p->duration_ns, duration, &p->duration_ns))
		p->duration_ns = INT64_MAX;
	if (!first)
		return true;
	p->default_type = default_type;
	p->drop_frames = drop;
	p->keep_frames = keep;
	set_period(p, prof__text(p, period_type), period);
	return true;
}

int fill__windows(struct fill *f, const void *data, size_t len, struct err *err)
{
	struct cursor c;
	int r = begin(f, data, len, &c, err);

	while (r == 0 && cursor__ok(&c) && !cursor__done(&c)) {
		if (!take_windows(f, &c))
			r = bad(err, "a row of windows");
	}
	if (r == 0) {
		f->n_events = prof__events(f->prof, &f->events);
		f->sums = xcalloc(f->prof->n_types, sizeof(*f->sums));
	}
	return r;
}

int fill__layouts(struct fill *f, const void *data, size_t len, struct err *err)
{
	struct cursor c;
	int r = begin(f, data, len, &c, err);

	while (r == 0 && cursor__ok(&c) && !cursor__done(&c)) {
		uint32_t text = take_text(f->prof, &c);

		if (cursor__ok(&c) && text)
			prof__add_layout(f->prof, text);
	}
	return r == 0 && !cursor__done(&c) ? bad(err, "layouts of windows") : r;
}

static bool take_comments(struct cursor *c, struct prof *to)
{
	uint64_t n = cursor__uleb(c);

	for (uint64_t i = 0; i < n && cursor__ok(c); i++)
		prof__add_comment(to, take_text(to, c));
	return cursor__ok(c);
}

/* As those of files are added up. */
int fill__comments(struct fill *f, const void *data, size_t len, struct err *err)
{
	_cleanup_(remark_sum__done) struct remark_sum sum = {0};
	struct cursor c;
	int r = begin(f, data, len, &c, err);

	while (r == 0 && cursor__ok(&c) && !cursor__done(&c)) {
		struct prof *one = prof__new();
		uint32_t host = take_text(one, &c);

		if (take_comments(&c, one))
			remark_sum__add(&sum, one, prof__text(one, host));
		else
			r = bad(err, "comments of windows");
		prof__free(one);
	}
	if (r == 0)
		remark_sum__put(&sum, f->prof);
	return r == 0 && !cursor__done(&c) ? bad(err, "comments of windows") : r;
}

/* ---------------------------------------------------------------- samples */

struct sample_row {
	struct prof_label_list labels;
	uint32_t event; /* its name */
	uint64_t stack;
	int64_t values[3];
};

static void add_text_label(struct prof *p, struct prof_label_list *to, const char *key,
			   struct cursor *c)
{
	uint32_t text = take_text(p, c);

	if (!text)
		return;
	GROW(to->items, to->n, to->cap);
	to->items[to->n++] = (struct prof_label){.key = prof__string(p, key), .text = text};
}

/* Rows of older agents have what is in a column by its default among the labels, too. */
static bool is_twice(const struct prof_label_list *labels, size_t n_columns)
{
	const struct prof_label *last = &labels->items[labels->n - 1];

	for (size_t i = 0; i < n_columns; i++) {
		if (labels->items[i].key == last->key && labels->items[i].text == last->text)
			return true;
	}
	return false;
}

/* Its labels replace those that are there. */
static bool take_sample(struct prof *p, struct cursor *c, struct sample_row *row)
{
	size_t n_columns;
	uint64_t n;

	row->labels.n = 0;
	add_text_label(p, &row->labels, "host", c);
	for (const char *const *key = schema_labels; *key; key++)
		add_text_label(p, &row->labels, *key, c);
	n_columns = row->labels.n;
	n = cursor__uleb(c);
	if (n > MAX_LABELS)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		size_t len;
		const char *text = binary__take(c, &len);

		if (!text || !label_text__parse(p, &row->labels, text, len))
			return false;
		row->labels.n -= is_twice(&row->labels, n_columns);
	}
	row->event = take_text(p, c);
	row->stack = cursor__u64(c);
	for (size_t i = 0; i < ARRAY_SIZE(row->values); i++)
		row->values[i] = (int64_t)cursor__u64(c);
	return cursor__ok(c);
}

static void note_hash(struct fill *f, uint64_t hash)
{
	if (hash && intern__add(&f->hash_set, &hash, sizeof(hash)) == f->n_hashes + 1) {
		GROW(f->hashes, f->n_hashes, f->cap_hashes);
		f->hashes[f->n_hashes++] = hash;
	}
}

int fill__samples(struct fill *f, const void *data, size_t len, struct err *err)
{
	struct sample_row row = {0};
	struct cursor c;
	int r = begin(f, data, len, &c, err);

	f->samples = c;
	while (r == 0 && cursor__ok(&c) && !cursor__done(&c)) {
		if (take_sample(f->prof, &c, &row))
			note_hash(f, row.stack);
		else
			r = bad(err, "a row of samples");
	}
	f->stacks = xcalloc(f->n_hashes + 1, sizeof(*f->stacks));
	free(row.labels.items);
	return r;
}

/* ---------------------------------------------------------------- stacks */

/* Its bounds are those of what was met in it, as in a recording. */
static uint32_t mapping_of(struct fill *f, const struct frame_text *t)
{
	struct prof *p = f->prof;
	struct segment s = {.distance = t->distance};
	uint64_t page = t->address & ~(uint64_t)(PAGE - 1);
	struct prof_mapping *m;
	uint32_t number;

	if (!*t->module)
		return 0;
	s.file = prof__string(p, t->module);
	s.build_id = *t->build_id ? prof__string(p, t->build_id) : 0;
	number = intern__add(&f->segments, &s, sizeof(s));
	if (number == p->n_mappings)
		prof__mapping(p, &(struct prof_mapping){
					 .start = page,
					 .limit = page + PAGE - 1,
					 .file = s.file,
					 .build_id = s.build_id,
				 });
	m = &p->mappings[number];
	if (page < m->start)
		m->start = page;
	if (page + PAGE - 1 > m->limit)
		m->limit = page + PAGE - 1;
	if (*t->module == '/')
		m->offset = m->start - t->distance;
	return number;
}

/* The lines of a location so far, innermost first. */
struct open_location {
	struct prof_line lines[256];
	size_t n;
};

static bool add_line(struct fill *f, const struct frame_text *t, const char *name,
		     struct open_location *open)
{
	struct prof *p = f->prof;
	struct prof_function function = {0};

	if (open->n == ARRAY_SIZE(open->lines))
		return false;
	function.name = *name ? prof__string(p, name) : 0;
	function.system_name = !t->system ? function.name :
			       *t->system ? prof__string(p, t->system) :
					    0;
	function.file = *t->file ? prof__string(p, t->file) : 0;
	function.start_line = t->start_line;
	open->lines[open->n++] = (struct prof_line){prof__function(p, &function), t->line};
	return true;
}

static void set_known(struct fill *f, uint32_t mapping, const struct open_location *open)
{
	struct prof_mapping *m = &f->prof->mappings[mapping];

	if (!mapping || !open->n)
		return;
	m->has_functions = true;
	m->has_inlined |= open->n > 1;
	for (size_t i = 0; i < open->n; i++) {
		m->has_filenames |= f->prof->functions[open->lines[i].function].file != 0;
		m->has_lines |= open->lines[i].line != 0;
	}
}

/* Whether it fits; *ret_location is 0 while more of its lines follow. */
static bool take_frame(struct fill *f, const char *name, const char *text, size_t len,
		       struct open_location *open, uint32_t *ret_location)
{
	_cleanup_(frame_text__done) struct frame_text t;
	uint32_t mapping;

	*ret_location = 0;
	if (!frame_text__parse(text, len, &t))
		return false;
	if (t.how == '?' ? open->n > 0 : !add_line(f, &t, name, open))
		return false;
	if (t.how == ',')
		return true;
	mapping = mapping_of(f, &t);
	set_known(f, mapping, open);
	*ret_location = prof__location(f->prof, mapping, t.address, open->lines, open->n);
	open->n = 0;
	return true;
}

/* Both arrays have as many elements; *names and *frames are behind them afterwards. */
static bool take_frames(struct fill *f, uint64_t n, struct cursor *names, struct cursor *frames,
			uint32_t *ret_stack)
{
	_cleanup_free_ uint32_t *locations = xcalloc(n ? n : 1, sizeof(*locations));
	struct open_location open = {.n = 0};
	size_t depth = 0;

	for (uint64_t i = 0; i < n; i++) {
		size_t name_len, len;
		const char *name = binary__take(names, &name_len);
		const char *text = binary__take(frames, &len);
		_cleanup_free_ char *copy = name ? xstrndup(name, name_len) : NULL;
		uint32_t location;

		if (!name || !text || strlen(copy) != name_len ||
		    !take_frame(f, copy, text, len, &open, &location))
			return false;
		if (location)
			locations[depth++] = location;
	}
	*ret_stack = prof__stack(f->prof, locations, depth);
	return open.n == 0;
}

static bool skip_texts(struct cursor *c, uint64_t n)
{
	size_t len;

	for (uint64_t i = 0; i < n && cursor__ok(c); i++)
		binary__take(c, &len);
	return cursor__ok(c);
}

static int take_stack(struct fill *f, struct cursor *c, struct err *err)
{
	uint64_t hash = cursor__u64(c);
	uint32_t number = intern__find(&f->hash_set, &hash, sizeof(hash)), stack;
	uint64_t n = cursor__uleb(c);
	struct cursor names = *c;

	if (n > cursor__left(c) || !skip_texts(c, n) || cursor__uleb(c) != n)
		return bad(err, "a row of stacks");
	f->frames += n;
	if (f->frames > f->max_bytes / FRAME_COST)
		return err__set(err, -EFBIG,
				"the server's stacks have more than %llu frames; "
				"--max-size allows more",
				(unsigned long long)(f->max_bytes / FRAME_COST));
	if (!take_frames(f, n, &names, c, &stack))
		return bad(err, "frames of a stack");
	if (number)
		f->stacks[number] = stack + 1;
	return 0;
}

int fill__stacks(struct fill *f, const void *data, size_t len, struct err *err)
{
	struct cursor c;
	int r = begin(f, data, len, &c, err);

	while (r == 0 && cursor__ok(&c) && !cursor__done(&c))
		r = take_stack(f, &c, err);
	return r == 0 && !cursor__done(&c) ? bad(err, "a row of stacks") : r;
}

/* ---------------------------------------------------------------- the end */

static uint32_t named_alone(struct prof *p, const char *name)
{
	const struct prof_function f = {
		.name = prof__string(p, name),
		.system_name = prof__string(p, name),
	};
	const struct prof_line line = {.function = prof__function(p, &f)};
	uint32_t location = prof__location(p, 0, 0, &line, 1);

	return prof__stack(p, &location, 1);
}

static uint32_t stack_of(struct fill *f, uint64_t hash)
{
	uint32_t number;

	if (!hash)
		return named_alone(f->prof, artificial_names[ARTIFICIAL_OTHER]);
	number = intern__find(&f->hash_set, &hash, sizeof(hash));
	return f->stacks[number] ? f->stacks[number] - 1 : named_alone(f->prof, "[unknown]");
}

static const struct prof_event *event_called(const struct fill *f, uint32_t text)
{
	const char *name = prof__text(f->prof, text);

	for (size_t e = 0; e < f->n_events; e++) {
		if (strcmp(f->events[e].name, name) == 0)
			return &f->events[e];
	}
	return NULL;
}

static int add_values(struct fill *f, const struct sample_row *row, const struct prof_event *event,
		      int64_t *values, struct err *err)
{
	const size_t types[] = {event->samples, event->events, event->time};

	for (size_t i = 0; i < ARRAY_SIZE(row->values); i++) {
		int64_t v = row->values[i];
		uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
		size_t t = types[i];

		if (t == PROF_NO_TYPE && v)
			return bad(err, "a value of a type that no window has");
		if (t == PROF_NO_TYPE)
			continue;
		if (__builtin_add_overflow(f->sums[t], magnitude, &f->sums[t]) ||
		    f->sums[t] > INT64_MAX)
			return bad(err, "the sum of a type's values is larger than 2^63 - 1");
		values[t] += v;
	}
	return 0;
}

static int add_sample(struct fill *f, struct sample_row *row, struct err *err)
{
	const struct prof_event *event = event_called(f, row->event);
	uint32_t labels, stack;

	if (!event)
		return bad(err, "an event that no window has");
	labels = prof__labels(f->prof, row->labels.items, row->labels.n);
	stack = stack_of(f, row->stack);
	return add_values(f, row, event, prof__sample(f->prof, stack, labels), err);
}

int fill__end(struct fill *f, struct prof **ret, struct err *err)
{
	struct cursor c = f->samples;
	struct sample_row row = {0};
	int r = 0;

	for (size_t i = 0; i < f->n_hashes; i++)
		f->missing += !f->stacks[i + 1];
	while (r == 0 && c.pos != c.end && take_sample(f->prof, &c, &row))
		r = add_sample(f, &row, err);
	free(row.labels.items);
	if (r == 0)
		*ret = TAKE_PTR(f->prof);
	return r;
}

uint64_t fill__n_windows(const struct fill *f)
{
	return f->n_windows;
}

void fill__times(const struct fill *f, int64_t *ret_first_ns, int64_t *ret_last_ns,
		 int64_t *ret_end_ns)
{
	*ret_end_ns = f->end_ns;
	*ret_first_ns = f->first_ns;
	*ret_last_ns = f->last_ns;
}

size_t fill__hashes(const struct fill *f, const uint64_t **ret)
{
	*ret = f->hashes;
	return f->n_hashes;
}

size_t fill__missing(const struct fill *f)
{
	return f->missing;
}
