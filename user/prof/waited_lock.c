// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Between the call and what the program itself does stand functions of libc, and of the runtime.
 * HotSpot's have names. Those of an interpreter of Python may have none, but what it waits for by a
 * condition variable is its own lock: locks of threads, events and queues are semaphores.
 */
#include "prof/waited_lock.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "prof/language.h"
#include "prof/prof.h"

static const char by_condition[] = "pthread_cond";

static const struct {
	const char *function, *word;
} of_hotspot[] = {
	{"ObjectMonitor::enter", "monitor"},    {"ObjectMonitor::EnterI", "monitor"},
	{"ObjectMonitor::ReenterI", "monitor"}, {"ObjectMonitor::enter_internal", "monitor"},
	{"ObjectMonitor::wait", "notify"},      {"Parker::park", "park"},
	{"JavaThread::sleep", "sleep"},         {"JVM_Sleep", "sleep"},
};

static const char *word_of(const char *name)
{
	size_t len = strcspn(name, "(");

	if (starts_with(name + strspn(name, "_"), "pthread_cond_"))
		return by_condition;
	for (size_t i = 0; i < ARRAY_SIZE(of_hotspot); i++) {
		if (strlen(of_hotspot[i].function) == len &&
		    memcmp(name, of_hotspot[i].function, len) == 0)
			return of_hotspot[i].word;
	}
	return NULL;
}

/* Of a location; functions that were inlined there come first. */
static const char *word_at(const struct prof *p, const struct prof_location *l)
{
	const char *word = NULL;

	for (size_t i = 0; i < l->n_lines && !word; i++) {
		uint32_t function = p->lines[l->first_line + i].function;

		word = word_of(prof__text(p, prof__function_name(p, function)));
	}
	return word;
}

const char *waited_lock(const struct prof *p, const uint32_t *stack, size_t n)
{
	const char *before = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct prof_location *l = &p->locations[stack[i]];
		const char *module = base_name(prof__text(p, p->mappings[l->mapping].file));
		bool hotspot = strcmp(module, "libjvm.so") == 0;
		enum prof_kind kind = prof__kind(p, stack[i]);
		const char *word;

		if (kind == PROF_KERNEL)
			continue;
		if (kind != PROF_USER)
			return NULL;
		if (prof_is_python(module))
			return before == by_condition ? "gil" : NULL;
		if (!hotspot && !prof_is_libc(module))
			return NULL;
		word = word_at(p, l);
		if (hotspot && word && word != by_condition)
			return word;
		before = word ? word : before;
	}
	return NULL;
}
