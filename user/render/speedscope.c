// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows of the tree are by thread; here they are sorted by process and stack and added up, so that
 * memory grows with what was measured and not with processes times stacks.
 */
#include "render/speedscope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "render/json.h"
#include "render/tree.h"

enum { BLOCK = 64 * 1024 };

struct process {
	int64_t pid;
	uint32_t comm; /* text; of the row with the most, as threads have names of their own */
	int64_t most, sum;
};

struct entry {
	uint32_t process; /* index */
	uint32_t stack;
	int64_t value;
};

struct writer {
	struct tree *tree;
	FILE *file;
	struct buf text;
	struct json json;
	uint32_t *frames;   /* by function: its index among those that are frames */
	struct intern keys; /* of processes */
	struct process *processes;
	size_t n_processes, cap_processes;
	struct entry *entries; /* of the event, by process and stack */
	size_t n_entries;
	int err;
};

static void writer__done(struct writer *w)
{
	buf__done(&w->text);
	free(w->frames);
	intern__done(&w->keys);
	free(w->processes);
	free(w->entries);
	tree__free(w->tree);
}

static void writer__flush(struct writer *w)
{
	errno = 0;
	if (w->err == 0 && w->text.len &&
	    fwrite(w->text.data, 1, w->text.len, w->file) != w->text.len)
		w->err = errno ? -errno : -EIO;
	buf__clear(&w->text);
}

static void flush_block(struct writer *w)
{
	if (w->text.len >= BLOCK)
		writer__flush(w);
}

static void put_frames(struct writer *w)
{
	const struct tree *t = w->tree;
	size_t n = intern__count(&t->functions) - 1;
	uint32_t number = 0;

	w->frames = xcalloc(n + 1, sizeof(*w->frames));
	json__obj(&w->json, "shared");
	json__arr(&w->json, "frames");
	for (uint32_t i = 0; i < n; i++) {
		const struct tree_function *f = tree__function(t, i);

		if (f->kind == TREE_PROCESS)
			continue;
		w->frames[i] = number++;
		json__obj(&w->json, NULL);
		json__str(&w->json, "name", tree__text(t, f->name));
		if (f->file || f->module)
			json__str(&w->json, "file", tree__text(t, f->file ? f->file : f->module));
		if (f->line)
			json__u64(&w->json, "line", f->line);
		json__end_obj(&w->json);
		flush_block(w);
	}
	json__end_arr(&w->json);
	json__end_obj(&w->json);
}

/* ---------------------------------------------------------------- processes */

/* Without a process id, what has the same name is one. */
static uint32_t process_of(struct writer *w, const struct tree_group *group)
{
	const int64_t key[] = {group->pid, group->pid ? 0 : group->comm};
	uint32_t number = intern__add(&w->keys, key, sizeof(key)) - 1;

	if (number == w->n_processes) {
		GROW(w->processes, w->n_processes, w->cap_processes);
		w->processes[w->n_processes++] =
			(struct process){.pid = group->pid, .comm = group->comm, .most = -1};
	}
	return number;
}

static int compare_entries(const void *pa, const void *pb, void *ctx)
{
	const struct entry *a = pa, *b = pb;
	const struct process *processes = ctx;
	int64_t sum_a = processes[a->process].sum, sum_b = processes[b->process].sum;

	if (a->process != b->process)
		return sum_a != sum_b ? CMP3(sum_b, sum_a) : CMP3(a->process, b->process);
	return CMP3(a->stack, b->stack);
}

/* What each process has of a type on each stack, the process with the most first. */
static void sum_up(struct writer *w, size_t type)
{
	const struct tree *t = w->tree;
	size_t n = intern__count(&t->rows), size, merged = 0;

	for (size_t i = 0; i < w->n_processes; i++)
		w->processes[i].sum = 0;
	for (uint32_t i = 1; i < n; i++) {
		const struct tree_row *row = intern__get(&t->rows, i, &size);
		const struct tree_group *group = intern__get(&t->groups, row->group, &size);
		int64_t value = t->values[(size_t)(i - 1) * TREE_SIDES * t->n_types + type];
		uint32_t number = process_of(w, group);
		struct process *p = &w->processes[number];

		if (value < 0) /* no weight is */
			value = 0;
		if (value > p->most) {
			p->most = value;
			p->comm = group->comm;
		}
		p->sum += value;
		w->entries[i - 1] = (struct entry){number, row->stack, value};
	}
	qsort_r(w->entries, n - 1, sizeof(*w->entries), compare_entries, w->processes);
	for (size_t i = 0; i < n - 1; i++) {
		struct entry *e = &w->entries[i], *last = &w->entries[merged - (merged > 0)];

		if (merged && e->process == last->process && e->stack == last->stack)
			last->value += e->value;
		else if (e->value)
			w->entries[merged++] = *e;
	}
	w->n_entries = merged;
}

/* ---------------------------------------------------------------- profiles */

static const char *unit_of(const char *unit)
{
	static const char *const known[] = {"nanoseconds", "microseconds", "milliseconds",
					    "seconds", "bytes"};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(unit, known[i]) == 0)
			return known[i];
	}
	return "none";
}

static void put_stack(struct writer *w, uint32_t stack)
{
	size_t size;
	const uint32_t *frames = intern__get(&w->tree->stacks, stack, &size);

	json__arr(&w->json, NULL);
	for (size_t k = 0; k < size / sizeof(*frames); k++) {
		if (tree__function(w->tree, frames[k] >> 1)->kind != TREE_PROCESS)
			json__u64(&w->json, NULL, w->frames[frames[k] >> 1]);
	}
	json__end_arr(&w->json);
	flush_block(w);
}

static void put_name(struct writer *w, const struct process *p, const char *event)
{
	_cleanup_(buf__done) struct buf name = {0};

	buf__puts(&name, event);
	if (p->comm)
		buf__printf(&name, ": %s", tree__text(w->tree, p->comm));
	if (p->pid)
		buf__printf(&name, " (%lld)", (long long)p->pid);
	json__str(&w->json, "name", name.data);
}

static void put_profile(struct writer *w, const struct tree_type *type, size_t from, size_t to)
{
	const struct process *p = &w->processes[w->entries[from].process];

	json__obj(&w->json, NULL);
	json__str(&w->json, "type", "sampled");
	put_name(w, p, type->event);
	json__str(&w->json, "unit", unit_of(type->unit));
	json__u64(&w->json, "startValue", 0);
	json__i64(&w->json, "endValue", p->sum);
	json__arr(&w->json, "samples");
	for (size_t i = from; i < to; i++)
		put_stack(w, w->entries[i].stack);
	json__end_arr(&w->json);
	json__arr(&w->json, "weights");
	for (size_t i = from; i < to; i++)
		json__i64(&w->json, NULL, w->entries[i].value);
	json__end_arr(&w->json);
	json__end_obj(&w->json);
	flush_block(w);
}

static void put_event(struct writer *w, size_t type)
{
	size_t from = 0, to;

	sum_up(w, type);
	for (; from < w->n_entries; from = to) {
		for (to = from + 1; to < w->n_entries; to++) {
			if (w->entries[to].process != w->entries[from].process)
				break;
		}
		put_profile(w, &w->tree->types[type], from, to);
	}
}

int speedscope__write(FILE *file, const struct prof *prof)
{
	_cleanup_(writer__done) struct writer w = {
		.tree = tree__new(prof, NULL, false),
		.file = file,
	};
	const char *command = prof__remark(prof, "command");
	const struct tree_type *types = w.tree->types;

	w.entries = xcalloc(intern__count(&w.tree->rows), sizeof(*w.entries));
	w.json = (struct json){.out = &w.text, .one_line = true};
	json__obj(&w.json, NULL);
	json__str(&w.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json__str(&w.json, "exporter", "pmubpf " PMUBPF_VERSION);
	json__str(&w.json, "name", command ? command : "pmubpf");
	put_frames(&w);
	json__arr(&w.json, "profiles");
	/* an event's first type is the one that says most */
	for (size_t i = 0; i < w.tree->n_types; i++) {
		if (i == 0 || strcmp(types[i].event, types[i - 1].event) != 0)
			put_event(&w, i);
	}
	json__end_arr(&w.json);
	json__end_obj(&w.json);
	writer__flush(&w);
	errno = 0;
	if (w.err == 0 && fflush(file) == EOF)
		w.err = errno ? -errno : -EIO;
	return w.err;
}
