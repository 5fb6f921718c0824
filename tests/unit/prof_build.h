/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Small profiles for tests: stacks of names, leaf first. */
#ifndef PMUBPF_TESTS_PROF_BUILD_H
#define PMUBPF_TESTS_PROF_BUILD_H

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/prof.h"

/* Empty, of a clock and of one that counts. */
static inline struct prof *build_clock_and_misses(void)
{
	struct prof *p = prof__new();

	prof__type(p, "clock_sample", "count");
	prof__type(p, "clock_time", "nanoseconds");
	prof__type(p, "misses_event", "count");
	return p;
}

static inline uint32_t build_mapping(struct prof *p, const char *file)
{
	uint32_t text = prof__string(p, file);

	for (uint32_t i = 1; i < p->n_mappings; i++) {
		if (p->mappings[i].file == text)
			return i;
	}
	return prof__mapping(p, &(struct prof_mapping){.file = text});
}

static inline struct prof_line build_line(struct prof *p, const char *name)
{
	struct prof_function f = {.name = prof__string(p, name)};

	return (struct prof_line){.function = prof__function(p, &f), .line = 1};
}

/* "leaf,inlined+outer,root@/lib/x.so": + joins functions that were inlined into one location; what
 * an @ without a file is behind is no code: "[idle]@". */
static inline uint32_t build_stack(struct prof *p, const char *text)
{
	uint32_t stack[32];
	size_t n = 0;
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *part;

	while ((part = strsep(&rest, ","))) {
		struct prof_line lines[4];
		size_t n_lines = 0;
		char *at = strchr(part, '@'), *name;

		if (at)
			*at = '\0';
		while ((name = strsep(&part, "+")))
			lines[n_lines++] = build_line(p, name);
		stack[n++] = at && !at[1] ?
				     prof__location(p, 0, 0, lines, n_lines) :
				     prof__location(p, build_mapping(p, at ? at + 1 : "/bin/a"), 16,
						    lines, n_lines);
	}
	return prof__stack(p, stack, n);
}

static inline uint32_t build_labels(struct prof *p, int64_t pid, const char *comm)
{
	struct prof_label labels[] = {
		{.key = prof__string(p, "pid"), .number = pid},
		{.key = prof__string(p, "comm"), .text = prof__string(p, comm)},
	};

	return prof__labels(p, labels, ARRAY_SIZE(labels));
}

/* As many values as there are types. */
#define BUILD_SAMPLE(p, stack, labels, ...) \
	build_sample(p, build_stack(p, stack), labels, (const int64_t[]){__VA_ARGS__})
static inline void build_sample(struct prof *p, uint32_t stack, uint32_t labels,
				const int64_t *values)
{
	int64_t *sums = prof__sample(p, stack, labels);

	for (size_t t = 0; t < p->n_types; t++)
		sums[t] += values[t];
}

#endif
