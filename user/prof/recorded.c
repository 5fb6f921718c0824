// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what addresses are. Frames are offsets in files, so that randomised processes
 * share their stacks; pprof wants addresses in mappings, from which others find the place in the
 * file. So each segment that was hit becomes a mapping at the place where its ELF file wants it:
 * addresses are those that addr2line takes, and pprof computes a base of 0. Those of the kernel are
 * distances from the beginning of their
 * function: where it lies in memory is a secret of this boot (kptr_restrict), and of no use to the
 * next.
 */
#include "prof/recorded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/contexts.h"
#include "model/duration.h"
#include "model/ledger.h"
#include "prof/blockclass.h"
#include "prof/cpu_labels.h"
#include "prof/data_labels.h"
#include "prof/language.h"
#include "prof/moments.h"
#include "prof/off_labels.h"
#include "prof/waited_lock.h"
#include "proc/workload.h"
#include "sys/calls.h"
#include "sys/users.h"

enum { PAGE = 4096, NS_PER_US = 1000, NS_PER_MS = 1000000 };

/* A file's code with the same distance between offset and address, or all code of the kernel, or of
 * JITs. */
struct segment {
	uint32_t kind, file;
	uint64_t distance;
};

/* Which types an event's numbers go to. */
struct columns {
	size_t samples, events, time, latency; /* or PROF_NO_TYPE */
	uint64_t sum_samples, sum_weight;
};

struct user {
	uint32_t uid;
	char *name;
};

struct builder {
	const struct recorded *r;
	struct prof *prof;
	const struct frame *frames;
	size_t n_frames;
	struct columns *columns; /* per event; those of its lead */
	struct intern segments;  /* struct segment; the numbers are those of mappings */
	uint32_t *segment_of;    /* by frame id */
	uint32_t *locations;     /* by frame id */
	struct user *users;
	size_t n_users, cap_users;
	struct prof_label_list labels;
	struct cpu_labels cpus;
	struct data_labels data;
	uint32_t *stack;
	size_t n_stack, cap_stack;
	uint64_t sum_latency; /* of all rows: INT64_MAX at most, as readers have it */
};

static size_t add_type(struct builder *b, size_t event, const char *suffix, const char *unit)
{
	_cleanup_free_ char *name = xasprintf("%s%s", b->r->events[event], suffix);

	return prof__type(b->prof, name, unit);
}

static void add_types(struct builder *b)
{
	const struct measure *measures = b->r->measures;

	b->columns = xcalloc(b->r->n_events, sizeof(*b->columns));
	for (size_t i = 0; i < b->r->n_events; i++) {
		const struct measure *m = &measures[i];
		struct columns *c = &b->columns[i];

		*c = (struct columns){PROF_NO_TYPE, PROF_NO_TYPE, PROF_NO_TYPE, PROF_NO_TYPE, 0, 0};
		if (m->hidden)
			continue;
		if (m->lead && m->lead != m) {
			*c = b->columns[m->lead - measures];
			continue;
		}
		c->samples = add_type(b, i, "_sample", "count");
		if (!m->is_time)
			c->events = add_type(b, i, "_event", "count");
		if (measure__has_time(m))
			c->time = add_type(b, i, "_time", "nanoseconds");
	}
}

/* A value of its own, of events with a sample that has one: behind those of all events, as other
 * tools show the first. */
static void add_latencies(struct builder *b, const struct profile_row *rows, size_t n)
{
	const struct measure *measures = b->r->measures;

	for (size_t i = 0; i < n; i++) {
		const struct measure *m = &measures[rows[i].key.event];
		size_t lead = m->lead ? (size_t)(m->lead - measures) : rows[i].key.event;
		struct columns *c = &b->columns[lead];

		if (!rows[i].latency || c->samples == PROF_NO_TYPE)
			continue;
		if (c->latency == PROF_NO_TYPE)
			c->latency = add_type(b, lead, PROF_LATENCY, "cycles");
		b->columns[rows[i].key.event].latency = c->latency;
	}
}

static uint32_t find_segment(struct builder *b, uint32_t id)
{
	const struct frame *f = &b->frames[id];
	struct segment s = {.kind = f->kind};

	if (f->kind == FRAME_UNKNOWN || f->kind == FRAME_ARTIFICIAL || f->kind == FRAME_DATA)
		return 0;
	if (f->kind == FRAME_FILE) {
		s.file = f->file;
		s.distance = b->r->names->locations[id].vaddr - f->off;
	}
	return intern__add(&b->segments, &s, sizeof(s));
}

static uint64_t address_of(const struct builder *b, uint32_t id)
{
	const struct frame *f = &b->frames[id];

	if (f->kind == FRAME_FILE || f->kind == FRAME_KERNEL)
		return b->r->names->locations[id].vaddr;
	return f->kind == FRAME_JIT ? f->off : 0;
}

/* The outermost frame of the stack that was met most often: _start of the program, as a rule. */
static uint32_t main_frame(const struct builder *b)
{
	const struct profile_row *rows;
	size_t n = profile__rows(b->r->profile, &rows);
	uint64_t most = 0;
	uint32_t id = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t *frames;
		uint32_t depth =
			profile__stack_frames(b->r->profile, rows[i].key.user_stack, &frames);

		if (!depth || rows[i].samples <= most ||
		    b->frames[frames[depth - 1]].kind != FRAME_FILE)
			continue;
		most = rows[i].samples;
		id = frames[depth - 1];
	}
	return id;
}

static void describe(struct builder *b, const struct segment *s, struct prof_mapping *m)
{
	const struct file *file = s->kind == FRAME_FILE ? files__get(b->r->files, s->file) : NULL;
	const char *build_id =
		file && s->file < b->r->names->n_build_ids ? b->r->names->build_ids[s->file] : NULL;

	m->file = prof__string(b->prof, s->kind == FRAME_KERNEL ? "[kernel.kallsyms]" :
					s->kind == FRAME_JIT    ? "[jit]" :
					s->kind == FRAME_OBJECT ? "[python]" :
					s->kind == FRAME_SCRIPT ? "[javascript]" :
					file                    ? file->path :
								  "[unknown]");
	m->build_id = build_id ? prof__string(b->prof, build_id) : 0;
	m->offset = m->start - s->distance;
	if (s->kind != FRAME_FILE)
		m->offset = 0;
}

/* pprof takes the first mapping for the program. */
static void add_mappings(struct builder *b)
{
	uint32_t first = main_frame(b);
	size_t n, size;

	b->segment_of = xcalloc(b->n_frames, sizeof(*b->segment_of));
	if (first)
		find_segment(b, first);
	for (uint32_t i = 1; i < b->n_frames; i++)
		b->segment_of[i] = find_segment(b, i);
	n = intern__count(&b->segments);
	for (uint32_t i = 1; i < n; i++)
		prof__mapping(b->prof, &(struct prof_mapping){.start = UINT64_MAX});
	for (uint32_t i = 1; i < b->n_frames; i++) {
		struct prof_mapping *m = &b->prof->mappings[b->segment_of[i]];
		const struct sym_name *location = &b->r->names->locations[i];
		uint64_t page = address_of(b, i) & ~(uint64_t)(PAGE - 1);
		bool named = location->frame.name && !b->r->no_symbols;

		if (!b->segment_of[i])
			continue; /* no code */
		if (page < m->start)
			m->start = page;
		if (page + PAGE - 1 > m->limit)
			m->limit = page + PAGE - 1;
		m->has_functions |= named;
		m->has_filenames |= named && location->frame.file;
		m->has_lines |= named && location->frame.line;
		m->has_inlined |= named && location->n_inlined;
	}
	for (uint32_t i = 1; i < n; i++)
		describe(b, intern__get(&b->segments, i, &size), &b->prof->mappings[i]);
}

static struct prof_line line_of(struct builder *b, const struct sym_frame *frame)
{
	struct prof_function f = {.name = prof__string(b->prof, frame->name)};

	f.system_name = frame->system ? prof__string(b->prof, frame->system) : f.name;
	f.file = frame->file ? prof__string(b->prof, frame->file) : 0;
	f.start_line = frame->start_line;
	return (struct prof_line){prof__function(b->prof, &f), frame->line};
}

/* Names' inlined calls are outermost first, and end in the innermost. */
static uint32_t make_location(struct builder *b, uint32_t id)
{
	const struct sym_name *location = &b->r->names->locations[id];
	struct prof_line lines[256];
	size_t n = 0;

	if (location->frame.name && !(b->r->no_symbols && b->frames[id].kind == FRAME_FILE)) {
		for (size_t k = location->n_inlined; k > 0 && n < ARRAY_SIZE(lines) - 1; k--)
			lines[n++] = line_of(b, &location->inlined[k - 1]);
		lines[n++] = line_of(b, &location->frame);
	}
	return prof__location(b->prof, b->segment_of[id], address_of(b, id), lines, n);
}

static void label_text(struct builder *b, const char *key, const char *text)
{
	prof__add_text(b->prof, &b->labels, key, text);
}

static void label_number(struct builder *b, const char *key, uint64_t number)
{
	prof__add_number(b->prof, &b->labels, key, (int64_t)number);
}

/* Its own label has the replica in it, which is another one after each rollout. */
static void label_pod(struct builder *b, const char *pod)
{
	_cleanup_free_ char *space = pod_namespace(pod), *workload = pod_workload(pod);

	label_text(b, "pod", pod);
	if (space)
		label_text(b, "namespace", space);
	if (*workload)
		label_text(b, "workload", workload);
}

static void label_cgroup(struct builder *b, uint64_t id)
{
	struct cgroup_info info = {0};
	char number[32];

	if (b->r->cgroups)
		info = cgroups__info(b->r->cgroups, id);
	snprintf(number, sizeof(number), "%" PRIu64, id);
	if (b->r->want_cgroup)
		label_text(b, "cgroup", info.path ? info.path : number);
	if (info.container)
		label_text(b, "container", info.container);
	if (info.pod)
		label_pod(b, info.pod);
	if (info.image)
		label_text(b, "image", info.image);
}

/* Each is looked up once: there are few, and many rows. */
static const char *user_name(struct builder *b, uint32_t uid)
{
	for (size_t i = 0; i < b->n_users; i++) {
		if (b->users[i].uid == uid)
			return b->users[i].name;
	}
	GROW(b->users, b->n_users, b->cap_users);
	b->users[b->n_users] = (struct user){uid, users_name(uid)};
	return b->users[b->n_users++].name;
}

static void label_window(struct builder *b, const struct profile_labels *set)
{
	char duration[DURATION_TEXT];

	if (set->window) {
		_cleanup_free_ char *call = set->window > 1 ? call_name((int)set->window - 2) :
							      NULL;
		_cleanup_free_ char *name =
			call && b->r->window_calls ? xasprintf("%s:%s", b->r->window, call) : NULL;

		label_text(b, "window", name ? name : b->r->window);
	}
	if (set->duration) {
		duration_class_text((set->duration & ~(unsigned)PROFILE_AT_LEAST) - 1,
				    set->duration & PROFILE_AT_LEAST, duration);
		label_text(b, "duration", duration);
	}
	if (set->window_number)
		label_number(b, "window_number", set->window_number);
}

static void label_off(struct builder *b, const struct profile_labels *set)
{
	char waker[PMB_COMM_LEN + 1] = {0};

	if (set->off_state) {
		_cleanup_free_ char *text = off_state_text(set->off_state);
		const char *lock = strcmp(text, "futex") == 0 ?
					   waited_lock(b->prof, b->stack, b->n_stack) :
					   NULL;

		label_text(b, "off_state", lock ? lock : text);
	}
	memcpy(waker, set->waker, PMB_COMM_LEN);
	if (*waker)
		label_text(b, "waker", waker);
}

/* Of the stack at hand. */
static void label_language(struct builder *b)
{
	const char *language = NULL;

	for (size_t i = 0; i < b->n_stack && !language; i++)
		language = prof__language(b->prof, b->stack[i]);
	if (language)
		label_text(b, "language", language);
}

/* Of where the sample was taken. */
static void label_classes(struct builder *b, const struct profile_key *key)
{
	uint32_t leaf = profile__leaf(b->r->profile, key);
	const struct sym_name *name = &b->r->names->locations[leaf];
	bool in_kernel = b->frames[leaf].kind == FRAME_KERNEL;

	if (b->r->want_blockclass)
		label_text(b, BLOCKCLASS_LABEL, block_class_word(name->block, in_kernel));
	if (b->r->want_opcode)
		label_text(b, OPCODE_LABEL, block_class_word(name->insn, in_kernel));
}

static void label_interrupted(struct builder *b, uint32_t interrupted)
{
	static const char *const texts[PMB_N_INTERRUPTED] = {
#define X(id, key, text) [PMB_INTERRUPTED_##id] = key,
		PMB_INTERRUPTED(X)
#undef X
	};
	uint32_t what = interrupted & ~(uint32_t)PMB_INTERRUPTS_OFF;
	char text[64];

	if (what == PMB_INTERRUPTED_UNKNOWN || what >= PMB_N_INTERRUPTED)
		return;
	snprintf(text, sizeof(text), "%s%s", texts[what],
		 interrupted & PMB_INTERRUPTS_OFF ? ", interrupts off" : "");
	label_text(b, "interrupted", text);
}

static void label_moment(struct builder *b, uint32_t step)
{
	bool fine = b->r->grid_ns % NS_PER_MS;

	prof__add_quantity(b->prof, &b->labels, MOMENT_LABEL,
			   (int64_t)(step * (b->r->grid_ns / (fine ? NS_PER_US : NS_PER_MS))),
			   fine ? "microseconds" : "milliseconds");
}

static uint32_t make_labels(struct builder *b, const struct profile_row *row)
{
	const struct profile_key *key = &row->key;
	struct profile_labels set = profile__label_set(b->r->profile, key->labels);
	char text[32];

	b->labels.n = 0;
	label_text(b, "comm", profile__comm_text(b->r->profile, key->comm));
	if (set.tgid)
		label_number(b, "pid", set.tgid);
	if (set.tid)
		label_number(b, "tid", set.tid);
	if (set.cpu)
		cpu_labels__add(&b->cpus, b->prof, &b->labels, set.cpu - 1);
	if (set.status && set.status < PMB_N_UNWIND_STATUSES)
		label_text(b, "unwind_status", status_keys[set.status]);
	if (set.cgroup)
		label_cgroup(b, set.cgroup);
	if (set.user)
		label_text(b, "user", user_name(b, set.user - 1));
	data_labels__add(&b->data, row, &set);
	if (b->r->want_language)
		label_language(b);
	if (b->r->want_blockclass || b->r->want_opcode)
		label_classes(b, key);
	if (b->r->window)
		label_window(b, &set);
	label_off(b, &set);
	label_interrupted(b, set.interrupted);
	if (*set.sibling)
		label_text(b, "sibling", set.sibling);
	if (contexts__text(b->r->contexts, set.context))
		label_text(b, "context", contexts__text(b->r->contexts, set.context));
	if (set.moment)
		label_moment(b, set.moment - 1);
	if (key->has_addr) {
		snprintf(text, sizeof(text), "0x%" PRIx64, key->addr);
		label_text(b, "data_addr", text);
	}
	return prof__labels(b->prof, b->labels.items, b->labels.n);
}

static void push_stack(struct builder *b, uint32_t stack)
{
	const uint32_t *frames;
	uint32_t n = profile__stack_frames(b->r->profile, stack, &frames);

	for (uint32_t i = 0; i < n; i++) {
		GROW(b->stack, b->n_stack, b->cap_stack);
		b->stack[b->n_stack++] = b->locations[frames[i]];
	}
}

/* What the row adds to the number of all rows so far: rounded sums, not sums of rounded numbers. */
static int64_t step(const struct measure *m, enum number_unit unit, const struct columns *before,
		    const struct columns *after)
{
	uint64_t to = measure__number(m, unit, after->sum_samples, after->sum_weight);
	uint64_t from = measure__number(m, unit, before->sum_samples, before->sum_weight);

	return (int64_t)(to - from);
}

/* No more than there is room for. */
static void add_latency(struct builder *b, int64_t *to, uint64_t cycles)
{
	uint64_t room = INT64_MAX - b->sum_latency, n = cycles < room ? cycles : room;

	b->sum_latency += n;
	*to += (int64_t)n;
}

static void add_row(struct builder *b, const struct profile_row *row)
{
	const struct measure *m = &b->r->measures[row->key.event];
	struct columns *c = &b->columns[row->key.event], before = *c;
	uint32_t labels;
	int64_t *values;

	if (m->hidden)
		return;
	b->n_stack = 0;
	push_stack(b, row->key.kernel_stack);
	push_stack(b, row->key.user_stack);
	labels = make_labels(b, row);
	values = prof__sample(b->prof, prof__stack(b->prof, b->stack, b->n_stack), labels);
	c->sum_samples += row->samples;
	c->sum_weight += row->weight;
	values[c->samples] += (int64_t)row->samples;
	if (c->events != PROF_NO_TYPE)
		values[c->events] += step(m, NUMBER_EVENTS, &before, c);
	if (c->time != PROF_NO_TYPE)
		values[c->time] += step(m, NUMBER_TIME, &before, c);
	if (c->latency != PROF_NO_TYPE)
		add_latency(b, &values[c->latency], row->latency);
}

static void add_branches(struct builder *b)
{
	const struct branch_pair *pairs;
	size_t n = b->r->branches ? branch_records__pairs(b->r->branches, &pairs) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct prof_branch branch = {
			.from = b->locations[pairs[i].ids[0]],
			.to = b->locations[pairs[i].ids[1]],
			.kind = pairs[i].kind,
			.counts = pairs[i].counts,
		};

		prof__add_branch(b->prof, &branch);
	}
	for (uint64_t kind = 0; b->r->branches && kind < N_BRANCH_KINDS; kind++) {
		const struct prof_branch other = {
			.kind = kind,
			.counts = branch_records__other(b->r->branches, (enum branch_kind)kind),
		};

		if (other.counts.records)
			prof__add_branch(b->prof, &other);
	}
}

static void reserve(struct builder *b, const struct profile_row *rows, size_t n)
{
	const struct profile *profile = b->r->profile;
	size_t locations = 0;
	const uint32_t *frames;

	for (size_t i = 0; i < n; i++) {
		locations += profile__stack_frames(profile, rows[i].key.kernel_stack, &frames);
		locations += profile__stack_frames(profile, rows[i].key.user_stack, &frames);
	}
	prof__reserve(b->prof, n, locations);
}

/* The type of the event's own unit. */
static void choose_default(struct builder *b)
{
	for (size_t i = 0; i < b->r->n_events; i++) {
		const struct measure *m = &b->r->measures[i];
		const struct columns *c = &b->columns[i];
		size_t type = c->time != PROF_NO_TYPE ? c->time : c->events;

		if (m->hidden)
			continue;
		if (m->unit == NUMBER_SAMPLES)
			type = c->samples;
		else if (m->unit == NUMBER_EVENTS && c->events != PROF_NO_TYPE)
			type = c->events;
		b->prof->default_type = b->prof->types[type].name;
		return;
	}
}

struct prof *prof__recorded(const struct recorded *r)
{
	struct builder b = {.r = r, .prof = prof__new()};
	const struct profile_row *rows;
	size_t n = profile__rows(r->profile, &rows);

	b.n_frames = profile__frames(r->profile, &b.frames);
	b.data = (struct data_labels){.r = r,
				      .frames = b.frames,
				      .prof = b.prof,
				      .labels = &b.labels};
	add_types(&b);
	add_latencies(&b, rows, n);
	add_mappings(&b);
	b.locations = xcalloc(b.n_frames, sizeof(*b.locations));
	for (uint32_t i = 1; i < b.n_frames; i++) {
		if (b.frames[i].kind != FRAME_DATA)
			b.locations[i] = make_location(&b, i);
	}
	b.data.locations = b.locations;
	reserve(&b, rows, n);
	for (size_t i = 0; i < n; i++)
		add_row(&b, &rows[i]);
	add_branches(&b);
	choose_default(&b);
	layouts__save(&b.data.layouts, b.prof);
	data_labels__done(&b.data);
	cpu_labels__done(&b.cpus);
	intern__done(&b.segments);
	free(b.columns);
	free(b.segment_of);
	free(b.locations);
	free(b.stack);
	free(b.labels.items);
	for (size_t i = 0; i < b.n_users; i++)
		free(b.users[i].name);
	free(b.users);
	return b.prof;
}
