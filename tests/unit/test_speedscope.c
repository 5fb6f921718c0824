// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "prof_build.h"
#include "render/speedscope.h"

static struct prof *p;

static void begin(void)
{
	p = build_clock_and_misses();
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(speedscope, .init = begin, .fini = end);

static uint32_t place(const char *name, const char *file, int64_t line)
{
	struct prof_function f = {.name = prof__string(p, name),
				  .file = prof__string(p, file),
				  .start_line = line};
	struct prof_line one = {prof__function(p, &f), 0};

	return prof__location(p, 0, 0, &one, 1);
}

static void add(const char *comm, int64_t pid, int64_t tid, const uint32_t *stack, size_t n,
		int64_t time, int64_t misses)
{
	struct prof_label labels[] = {{.key = prof__string(p, "comm"),
				       .text = prof__string(p, comm)},
				      {.key = prof__string(p, "pid"), .number = pid},
				      {.key = prof__string(p, "tid"), .number = tid}};
	uint32_t set = prof__labels(p, labels, 3);
	int64_t *values = prof__sample(p, prof__stack(p, stack, n), set);

	values[0] += 1;
	values[1] += time;
	values[2] += misses;
}

static char *written(void)
{
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	cr_assert_eq(speedscope__write(file, p), 0);
	fclose(file);
	return text;
}

Test(speedscope, a_profile_for_each_event_and_process)
{
	uint32_t top = place("main", "a.c", 3), leaf = place("f \"x\"", "", 0);
	const uint32_t deep[] = {leaf, top};
	_cleanup_free_ char *text = NULL;
	const char *profiles;

	add("app", 7, 7, deep, 2, 10, 0);
	add("app", 7, 8, deep, 2, 5, 0); /* another thread: the same stack of the same process */
	add("app", 7, 7, &top, 1, 1, 4);
	add("big", 9, 9, &top, 1, 100, 0);
	text = written();
	cr_assert(strstr(text, "{\"name\": \"main\",\"file\": \"a.c\",\"line\": 3}"), "%s", text);
	cr_assert(strstr(text, "{\"name\": \"f \\\"x\\\"\"}"), "%s", text);
	profiles = strstr(text, "\"profiles\"");
	cr_assert_str_eq(
		profiles,
		"\"profiles\": ["
		"{\"type\": \"sampled\",\"name\": \"clock: big (9)\",\"unit\": \"nanoseconds\","
		"\"startValue\": 0,\"endValue\": 100,\"samples\": [[0]],\"weights\": [100]},"
		"{\"type\": \"sampled\",\"name\": \"clock: app (7)\",\"unit\": \"nanoseconds\","
		"\"startValue\": 0,\"endValue\": 16,\"samples\": [[0,1],[0]],"
		"\"weights\": [15,1]},"
		"{\"type\": \"sampled\",\"name\": \"misses: app (7)\",\"unit\": \"none\","
		"\"startValue\": 0,\"endValue\": 4,\"samples\": [[0]],\"weights\": [4]}]}\n");
}

Test(speedscope, nothing_was_sampled)
{
	_cleanup_free_ char *text = written();

	cr_assert(strstr(text, "\"profiles\": []"));
}

Test(speedscope, write_that_fails_is_told)
{
	FILE *full = fopen("/dev/full", "w");

	cr_assert_eq(speedscope__write(full, p), -ENOSPC);
	fclose(full);
}
