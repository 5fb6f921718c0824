// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a message has in its dictionary is known by a number there, and is there once: so an entry
 * is its own bytes in protobuf, and a set of byte strings numbers them. Number 0 is an entry that
 * says nothing.
 */
#include "ship/otlp.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/proto.h"
#include "base/sha256.h"
#include "base/utf8.h"

/* Fields, by their messages. */
enum {
	REQUEST_RESOURCES = 1,
	REQUEST_DICTIONARY = 2,
	RESOURCES_RESOURCE = 1,
	RESOURCES_SCOPES = 2,
	RESOURCE_ATTRIBUTES = 1,
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_VALUE = 2,
	VALUE_STRING = 1,
	VALUE_INT = 3,
	SCOPES_SCOPE = 1,
	SCOPES_PROFILES = 2,
	SCOPE_NAME = 1,
	PROFILE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
	PROFILE_ID = 7,
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
	MAPPING_START = 1,
	MAPPING_LIMIT = 2,
	MAPPING_OFFSET = 3,
	MAPPING_FILE = 4,
	MAPPING_ATTRIBUTES = 5,
	LOCATION_MAPPING = 1,
	LOCATION_ADDRESS = 2,
	LOCATION_LINES = 3,
	LOCATION_ATTRIBUTES = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_NAME = 1,
	FUNCTION_SYSTEM_NAME = 2,
	FUNCTION_FILE = 3,
	FUNCTION_LINE = 4,
	STACK_LOCATIONS = 1,
	LINK_TRACE = 1,
	LINK_SPAN = 2,
	UNIT_KEY = 1,
	UNIT_VALUE = 2,
	UNIT_UNIT = 3,
};

/* What the dictionary has, by its fields. */
enum { MAPPINGS = 1, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS, N_TABLES };

enum { PROFILE_ID_SIZE = 16, TRACE_SIZE = 16, SPAN_SIZE = 8 };

/* The Collector takes 20 MiB, of what gzip had packed, unless its configuration says otherwise. */
enum { REQUEST_BYTES = 16 << 20 };

static const char path_of_profiles[] = "/v1development/profiles";

/* Labels that say whose samples they are, and what OpenTelemetry calls that. */
static const struct {
	const char *label, *name;
} of_resource[] = {
	{"container", "container.name"},   {"namespace", "k8s.namespace.name"},
	{"pod", "k8s.pod.name"},           {"workload", "pmubpf.workload"},
	{"image", "container.image.name"},
};

enum { RESOURCE_LABELS = sizeof(of_resource) / sizeof(of_resource[0]), CONTAINER = 0, POD = 2 };

/* A message that is being put together. */
struct message {
	const struct otlp *otlp;
	struct intern tables[N_TABLES];
	/* numbers there + 1, by those of the profile; 0: not met yet */
	uint32_t *locations, *stacks, *label_sets;
	struct intern sets; /* packed numbers of attributes, by number */
};

/* ---------------------------------------------------------------- resources */

static bool is_of_resource(const char *key)
{
	for (size_t i = 0; i < RESOURCE_LABELS; i++) {
		if (strcmp(of_resource[i].label, key) == 0)
			return true;
	}
	return false;
}

static uint32_t resource_of(struct otlp *o, uint32_t labels)
{
	/* one more than there are: all of them empty is a resource, too */
	uint32_t texts[RESOURCE_LABELS + 1] = {[RESOURCE_LABELS] = 1};

	for (size_t i = 0; i < RESOURCE_LABELS; i++) {
		const struct prof_label *label = prof__label(o->prof, labels, of_resource[i].label);

		texts[i] = label ? label->text : 0;
	}
	return intern__add(&o->resources, texts, sizeof(texts));
}

/* Samples by their resources, otherwise in their order. */
static void put_in_order(struct otlp *o, const uint32_t *resources)
{
	size_t n = intern__count(&o->resources), at = 0;
	_cleanup_free_ size_t *next = xcalloc(n + 1, sizeof(*next));

	for (size_t i = 0; i < o->prof->n_samples; i++)
		next[resources[i]]++;
	for (size_t r = 0; r < n; r++) {
		size_t of_it = next[r];

		next[r] = at;
		at += of_it;
	}
	o->order = xcalloc(o->prof->n_samples, sizeof(*o->order));
	for (size_t i = 0; i < o->prof->n_samples; i++)
		o->order[next[resources[i]]++] = i;
}

static bool has_values(const struct otlp *o, const struct otlp_part *part)
{
	for (size_t i = part->first; i < part->first + part->n; i++) {
		if (prof__values(o->prof, o->order[i])[part->type])
			return true;
	}
	return false;
}

/* The types of the same samples are neighbours: they share what stands in the dictionary. */
static void add_parts(struct otlp *o, struct otlp_part part)
{
	for (part.type = 0; part.type < o->prof->n_types; part.type++) {
		if (!has_values(o, &part))
			continue;
		GROW(o->parts, o->n, o->cap);
		o->parts[o->n++] = part;
	}
}

void otlp__make(struct otlp *o, const struct prof *prof, const struct rows_window *window)
{
	_cleanup_free_ uint32_t *resources = xcalloc(prof->n_samples, sizeof(*resources));
	struct otlp_part part = {0};

	*o = (struct otlp){.prof = prof, .window = window};
	for (size_t i = 0; i < prof->n_samples; i++)
		resources[i] = resource_of(o, prof->samples[i].labels);
	put_in_order(o, resources);
	for (size_t i = 0; i < prof->n_samples; i += part.n) {
		uint32_t resource = resources[o->order[i]];

		part = (struct otlp_part){
			.resource = resource,
			.chunk = part.resource == resource ? part.chunk + 1 : 0,
			.first = i,
		};
		while (i + part.n < prof->n_samples && part.n < OTLP_PART_SAMPLES &&
		       resources[o->order[i + part.n]] == resource)
			part.n++;
		add_parts(o, part);
	}
	o->taken = xcalloc(o->n, sizeof(*o->taken));
}

void otlp__done(struct otlp *o)
{
	intern__done(&o->resources);
	free(o->order);
	free(o->parts);
	free(o->taken);
	*o = (struct otlp){0};
}

/* ---------------------------------------------------------------- dictionary */

/* A text has to be UTF-8 there. */
static void put_text(struct buf *out, unsigned field, const char *text)
{
	_cleanup_(buf__done) struct buf plain = {0};
	const uint8_t *at = (const uint8_t *)text;

	while (*at) {
		size_t n = utf8__length(at, UTF8_TO_ITS_NUL);

		buf__add(&plain, n ? (const char *)at : "?", n ? n : 1);
		at += n ? n : 1;
	}
	proto__put_bytes(out, field, plain.data, plain.len);
}

static uint32_t add(struct message *m, unsigned table, const struct buf *entry)
{
	return intern__add(&m->tables[table], entry->data, entry->len);
}

/* Texts are kept as they are, and made UTF-8 when they are written. */
static uint32_t add_text(struct message *m, const char *text)
{
	return *text ? intern__add(&m->tables[STRINGS], text, strlen(text) + 1) : 0;
}

static uint32_t text_of(struct message *m, uint32_t text)
{
	return add_text(m, prof__text(m->otlp->prof, text));
}

/* An attribute: a text, or where that is NULL a number. */
static uint32_t add_attribute(struct message *m, const char *key, const char *text, int64_t number,
			      const char *unit)
{
	_cleanup_(buf__done) struct buf value = {0};
	_cleanup_(buf__done) struct buf entry = {0};

	if (text)
		put_text(&value, VALUE_STRING, text);
	else
		proto__put_number(&value, VALUE_INT, (uint64_t)number);
	if (!text && !number) /* which of the kinds of value it is isn't said otherwise */
		buf__add(&value, "\x18\0", 2);
	proto__put_number(&entry, UNIT_KEY, add_text(m, key));
	proto__put_bytes(&entry, UNIT_VALUE, value.data, value.len);
	proto__put_number(&entry, UNIT_UNIT, add_text(m, unit));
	return add(m, ATTRIBUTES, &entry);
}

static void put_attribute_index(struct buf *out, unsigned field, uint32_t attribute)
{
	_cleanup_(buf__done) struct buf packed = {0};

	proto__put_varint(&packed, attribute);
	proto__put_bytes(out, field, packed.data, packed.len);
}

static uint32_t add_mapping(struct message *m, uint32_t mapping)
{
	const struct prof *p = m->otlp->prof;
	const struct prof_mapping *from = &p->mappings[mapping];
	_cleanup_(buf__done) struct buf entry = {0};

	if (!mapping)
		return 0;
	proto__put_number(&entry, MAPPING_START, from->start);
	proto__put_number(&entry, MAPPING_LIMIT, from->limit);
	proto__put_number(&entry, MAPPING_OFFSET, from->offset);
	proto__put_number(&entry, MAPPING_FILE, text_of(m, from->file));
	if (from->build_id)
		put_attribute_index(&entry, MAPPING_ATTRIBUTES,
				    add_attribute(m, "process.executable.build_id.gnu",
						  prof__text(p, from->build_id), 0, ""));
	return add(m, MAPPINGS, &entry);
}

static uint32_t add_function(struct message *m, uint32_t function)
{
	const struct prof *p = m->otlp->prof;
	const struct prof_function *from = &p->functions[function];
	_cleanup_(buf__done) struct buf entry = {0};

	proto__put_number(&entry, FUNCTION_NAME, text_of(m, prof__function_name(p, function)));
	proto__put_number(&entry, FUNCTION_SYSTEM_NAME, text_of(m, from->system_name));
	proto__put_number(&entry, FUNCTION_FILE, text_of(m, from->file));
	proto__put_number(&entry, FUNCTION_LINE, (uint64_t)from->start_line);
	return add(m, FUNCTIONS, &entry);
}

/* As OpenTelemetry calls whose code it is; NULL: it has no word for it. */
static const char *frame_type(enum prof_kind kind)
{
	switch (kind) {
	case PROF_USER:
		return "native";
	case PROF_KERNEL:
		return "kernel";
	case PROF_PYTHON:
		return "cpython";
	case PROF_SCRIPT:
		return "v8js";
	default:
		return NULL;
	}
}

static uint32_t add_location(struct message *m, uint32_t location)
{
	const struct prof *p = m->otlp->prof;
	const struct prof_location *from = &p->locations[location];
	const char *type = frame_type(prof__kind(p, location));
	_cleanup_(buf__done) struct buf entry = {0};

	if (m->locations[location])
		return m->locations[location] - 1;
	proto__put_number(&entry, LOCATION_MAPPING, add_mapping(m, from->mapping));
	proto__put_number(&entry, LOCATION_ADDRESS, from->address);
	for (uint32_t i = 0; i < from->n_lines; i++) {
		const struct prof_line *line = &p->lines[from->first_line + i];
		_cleanup_(buf__done) struct buf inner = {0};

		proto__put_number(&inner, LINE_FUNCTION, add_function(m, line->function));
		proto__put_number(&inner, LINE_LINE, line->line > 0 ? (uint64_t)line->line : 0);
		proto__put_bytes(&entry, LOCATION_LINES, inner.data, inner.len);
	}
	if (type)
		put_attribute_index(&entry, LOCATION_ATTRIBUTES,
				    add_attribute(m, "profile.frame.type", type, 0, ""));
	m->locations[location] = add(m, LOCATIONS, &entry) + 1;
	return m->locations[location] - 1;
}

static uint32_t add_stack(struct message *m, uint32_t stack)
{
	_cleanup_(buf__done) struct buf packed = {0};
	_cleanup_(buf__done) struct buf entry = {0};
	const uint32_t *locations;
	size_t n;

	if (m->stacks[stack])
		return m->stacks[stack] - 1;
	n = prof__stack_locations(m->otlp->prof, stack, &locations);
	for (size_t i = 0; i < n; i++)
		proto__put_varint(&packed, add_location(m, locations[i]));
	if (n)
		proto__put_bytes(&entry, STACK_LOCATIONS, packed.data, packed.len);
	m->stacks[stack] = add(m, STACKS, &entry) + 1;
	return m->stacks[stack] - 1;
}

static uint32_t add_label(struct message *m, const struct prof_label *label)
{
	static const struct {
		const char *label, *name;
	} known[] = {
		{"comm", "thread.name"},
		{"pid", "process.pid"},
		{"tid", "thread.id"},
		{"cpu", "cpu.logical_number"},
	};
	const struct prof *p = m->otlp->prof;
	const char *key = prof__text(p, label->key), *name = NULL;
	_cleanup_free_ char *own = xasprintf("pmubpf.%s", key);

	for (size_t i = 0; i < ARRAY_SIZE(known) && !name; i++) {
		if (strcmp(known[i].label, key) == 0)
			name = known[i].name;
	}
	return add_attribute(m, name ? name : own, label->text ? prof__text(p, label->text) : NULL,
			     label->number, label->text ? "" : prof__text(p, label->unit));
}

/* Numbers of the attributes of a set of labels, packed: a number of `sets`. */
static uint32_t add_labels(struct message *m, uint32_t labels)
{
	const struct prof *p = m->otlp->prof;
	_cleanup_(buf__done) struct buf packed = {0};
	const struct prof_label *set;
	size_t n;

	if (m->label_sets[labels])
		return m->label_sets[labels] - 1;
	n = prof__label_set(p, labels, &set);
	for (size_t i = 0; i < n; i++) {
		if (*prof__text(p, set[i].key) && !is_of_resource(prof__text(p, set[i].key)))
			proto__put_varint(&packed, add_label(m, &set[i]));
	}
	m->label_sets[labels] = intern__add(&m->sets, packed.data, packed.len) + 1;
	return m->label_sets[labels] - 1;
}

static void put_empty_link(struct buf *out)
{
	static const uint8_t zeros[TRACE_SIZE];
	_cleanup_(buf__done) struct buf entry = {0};

	proto__put_bytes(&entry, LINK_TRACE, zeros, TRACE_SIZE);
	proto__put_bytes(&entry, LINK_SPAN, zeros, SPAN_SIZE);
	proto__put_bytes(out, LINKS, entry.data, entry.len);
}

static void put_dictionary(const struct message *m, struct buf *out)
{
	_cleanup_(buf__done) struct buf dictionary = {0};

	for (unsigned table = MAPPINGS; table < N_TABLES; table++) {
		if (table == LINKS)
			put_empty_link(&dictionary);
		else
			proto__put_bytes(&dictionary, table, NULL, 0);
		for (uint32_t i = 1; i < intern__count(&m->tables[table]); i++) {
			size_t len;
			const void *entry = intern__get(&m->tables[table], i, &len);

			if (table == STRINGS)
				put_text(&dictionary, table, entry);
			else
				proto__put_bytes(&dictionary, table, entry, len);
		}
	}
	proto__put_bytes(out, REQUEST_DICTIONARY, dictionary.data, dictionary.len);
}

/* ---------------------------------------------------------------- profiles */

static void put_type(struct message *m, unsigned field, const struct prof_type *type,
		     struct buf *out)
{
	_cleanup_(buf__done) struct buf entry = {0};

	proto__put_number(&entry, TYPE_NAME, text_of(m, type->name));
	proto__put_number(&entry, TYPE_UNIT, text_of(m, type->unit));
	proto__put_bytes(out, field, entry.data, entry.len);
}

static void put_sample(struct message *m, size_t sample, int64_t value, struct buf *out)
{
	const struct prof_sample *s = &m->otlp->prof->samples[sample];
	_cleanup_(buf__done) struct buf entry = {0};
	_cleanup_(buf__done) struct buf packed = {0};
	size_t len;
	const void *attributes = intern__get(&m->sets, add_labels(m, s->labels), &len);

	proto__put_number(&entry, SAMPLE_STACK, add_stack(m, s->stack));
	if (len)
		proto__put_bytes(&entry, SAMPLE_ATTRIBUTES, attributes, len);
	proto__put_varint(&packed, (uint64_t)value);
	proto__put_bytes(&entry, SAMPLE_VALUES, packed.data, packed.len);
	proto__put_bytes(out, PROFILE_SAMPLES, entry.data, entry.len);
}

/* The same again for the same window: what a server may tell repetitions by. */
static void put_id(const struct otlp *o, const struct otlp_part *part, struct buf *out)
{
	_cleanup_free_ char *name = xasprintf("%s/%s/%llu/%u/%zu/%u", o->window->host,
					      o->window->boot, (unsigned long long)o->window->seq,
					      part->resource, part->type, part->chunk);
	uint8_t hash[SHA256_SIZE];

	sha256_of(name, strlen(name), hash);
	proto__put_bytes(out, PROFILE_ID, hash, PROFILE_ID_SIZE);
}

static void put_profile(struct message *m, const struct otlp_part *part, struct buf *out)
{
	const struct prof *p = m->otlp->prof;
	_cleanup_(buf__done) struct buf profile = {0};

	put_type(m, PROFILE_TYPE, &p->types[part->type], &profile);
	for (size_t i = part->first; i < part->first + part->n; i++) {
		size_t sample = m->otlp->order[i];
		int64_t value = prof__values(p, sample)[part->type];

		if (value)
			put_sample(m, sample, value, &profile);
	}
	proto__put_fixed64(&profile, PROFILE_TIME, (uint64_t)p->time_ns);
	proto__put_number(&profile, PROFILE_DURATION, (uint64_t)p->duration_ns);
	put_type(m, PROFILE_PERIOD_TYPE, &p->period_type, &profile);
	proto__put_number(&profile, PROFILE_PERIOD, (uint64_t)p->period);
	put_id(m->otlp, part, &profile);
	proto__put_bytes(out, SCOPES_PROFILES, profile.data, profile.len);
}

static void put_resource_attribute(struct buf *out, const char *key, const char *text)
{
	_cleanup_(buf__done) struct buf value = {0};
	_cleanup_(buf__done) struct buf attribute = {0};

	put_text(&value, VALUE_STRING, text);
	put_text(&attribute, ATTRIBUTE_KEY, key);
	proto__put_bytes(&attribute, ATTRIBUTE_VALUE, value.data, value.len);
	proto__put_bytes(out, RESOURCE_ATTRIBUTES, attribute.data, attribute.len);
}

static void put_resource(struct message *m, uint32_t resource, const struct buf *profiles,
			 struct buf *out)
{
	const struct otlp *o = m->otlp;
	_cleanup_(buf__done) struct buf attributes = {0};
	_cleanup_(buf__done) struct buf scope = {0};
	_cleanup_(buf__done) struct buf scopes = {0};
	_cleanup_(buf__done) struct buf all = {0};
	size_t size;
	const uint32_t *texts = intern__get(&o->resources, resource, &size);

	put_resource_attribute(&attributes, "host.name", o->window->host);
	put_resource_attribute(&attributes, "service.name",
			       texts[CONTAINER] ? prof__text(o->prof, texts[CONTAINER]) : "host");
	for (size_t i = 0; i < RESOURCE_LABELS; i++) {
		const char *text = prof__text(o->prof, texts[i]);
		const char *slash = i == POD ? strchr(text, '/') : NULL;

		if (*text)
			put_resource_attribute(&attributes, of_resource[i].name,
					       slash ? slash + 1 : text);
	}
	put_text(&scope, SCOPE_NAME, "pmubpf");
	proto__put_bytes(&scopes, SCOPES_SCOPE, scope.data, scope.len);
	buf__add(&scopes, profiles->data, profiles->len);
	proto__put_bytes(&all, RESOURCES_RESOURCE, attributes.data, attributes.len);
	proto__put_bytes(&all, RESOURCES_SCOPES, scopes.data, scopes.len);
	proto__put_bytes(out, REQUEST_RESOURCES, all.data, all.len);
}

/* Of [from, to) those of the first one's resource; returns which is the next. */
static size_t put_resource_at(struct message *m, size_t from, size_t to, struct buf *out)
{
	const struct otlp *o = m->otlp;
	uint32_t resource = o->parts[from].resource;
	_cleanup_(buf__done) struct buf profiles = {0};
	size_t i;

	for (i = from; i < to && o->parts[i].resource == resource; i++) {
		if (!o->taken[i])
			put_profile(m, &o->parts[i], &profiles);
	}
	if (profiles.len)
		put_resource(m, resource, &profiles, out);
	return i;
}

void otlp__put(const struct otlp *o, size_t from, size_t to, struct buf *out)
{
	struct message m = {
		.otlp = o,
		.locations = xcalloc(o->prof->n_locations, sizeof(*m.locations)),
		.stacks = xcalloc(intern__count(&o->prof->stacks), sizeof(*m.stacks)),
		.label_sets = xcalloc(intern__count(&o->prof->label_sets), sizeof(*m.label_sets)),
	};

	while (from < to)
		from = put_resource_at(&m, from, to, out);
	if (out->len)
		put_dictionary(&m, out);
	for (unsigned table = 0; table < N_TABLES; table++)
		intern__done(&m.tables[table]);
	intern__done(&m.sets);
	free(m.locations);
	free(m.stacks);
	free(m.label_sets);
}

/* ---------------------------------------------------------------- a window */

static void put_all(void *ctx, size_t from, size_t to, struct buf *out)
{
	otlp__put(ctx, from, to, out);
}

enum answer otlp__send(struct otlp *o, struct http_client *http, const struct push_how *how,
		       uint64_t *bytes, uint32_t *ret_wait_s, char why[static HTTP_TEXT_MAX])
{
	const struct push push = {
		.path = path_of_profiles,
		.headers = "Content-Type: application/x-protobuf\n",
		.gzip = true,
		.max_bytes = REQUEST_BYTES,
		.ctx = o,
		.n = o->n,
		.taken = o->taken,
		.put = put_all,
		.answer = otlp_answer,
	};

	return push__send(&push, http, how, bytes, ret_wait_s, why);
}
