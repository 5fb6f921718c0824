// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What says of itself that it is V8, and has functions like it (x86-64): fakev8 SECONDS [lies].
 * Each runs for as long in code of its own. With "lies" all of its objects are wrong: lengths,
 * kinds, addresses, rings.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "says_v8.h"

enum { SHARED = 300, SCOPE, SCRIPT, FUNCTION, MAP };

SAYS(class_JSFunction__shared__Tagged_SharedFunctionInfo_, 8)
SAYS(class_SharedFunctionInfo__name_or_scope_info__Object, 8)
SAYS(class_SharedFunctionInfo__script__Object, 16)
SAYS(class_SharedFunctionInfo__raw_function_token_offset__int16_t, 28)
SAYS(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, SHARED)
SAYS(type_ScopeInfo__SCOPE_INFO_TYPE, SCOPE)
SAYS(type_Script__SCRIPT_TYPE, SCRIPT)

/* push %rbp; mov %rsp, %rbp; push %rsi; push %rdi; mov $50000000, %rcx; 1: dec %rcx; jnz 1b; leave;
 * ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x56, 0x57, 0x48, 0xc7, 0xc1, 0x80,
			       0xf0, 0xfa, 0x02, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc9, 0xc3};

typedef void (*run_fn)(uint64_t function, uint64_t context);

static uint64_t *objects; /* words; tagged addresses are odd */

static uint64_t object(int map, const uint64_t *words, size_t n)
{
	uint64_t *at = objects;

	memcpy(at + 1, words, n * sizeof(*words));
	at[n + 1] = 0;
	at[n + 2] = (uint64_t)(uint32_t)map << 32; /* 12 bytes from the map on */
	at[0] = (uint64_t)(uintptr_t)(at + n + 1) + 1;
	objects += n + 4;
	return (uint64_t)(uintptr_t)at + 1;
}

static uint64_t string(int type, uint32_t length, const char *text)
{
	uint64_t words[20] = {(uint64_t)length << 32};

	memcpy(words + 1, text, strlen(text));
	return object(type, words, 20);
}

static uint64_t function_in(uint64_t name, uint64_t file, uint64_t source)
{
	const uint64_t script[] = {source, file};
	const uint64_t shared[] = {name, object(SCRIPT, script, 2), 7};
	const uint64_t words[] = {object(SHARED, shared, 3)};

	return object(FUNCTION, words, 1);
}

static uint64_t function(uint64_t name, uint64_t file)
{
	return function_in(name, file, 0);
}

static uint64_t scoped(uint64_t n, uint64_t name)
{
	const uint64_t words[] = {0, 0, n << 32, 0, 0, name, 0, 0, 0};

	return object(SCOPE, words, 9);
}

/* From one place in its script's text to another. */
static uint64_t placed(const char *name, int64_t from, int64_t to)
{
	const uint64_t words[] = {0,
				  0,
				  0,
				  string(8, (uint32_t)strlen(name), name),
				  UINT64_MAX << 32,
				  string(8, 0, ""),
				  (uint64_t)from << 32,
				  (uint64_t)to << 32,
				  0};

	return object(SCOPE, words, 9);
}

/* Of text that lies elsewhere. */
static uint64_t external(int type, uint32_t length, const void *text)
{
	const uint64_t words[] = {(uint64_t)length << 32, 1, (uint64_t)(uintptr_t)text};

	return object(type, words, 3);
}

static size_t honest(uint64_t *ret)
{
	static const uint16_t wide[] = {'\n', 0x0a00, 0x0a0a, '\n', '\n', 0x200a, 'f', 'g', 'h'};
	const uint64_t file = string(8, 7, "fake.js"), text = string(8, 12, "\n\r\n\n\v\t*\nf()");
	static char many[100000];

	memset(many, '\n', sizeof(many));
	ret[0] = function(string(8, 5, "plain"), file);
	ret[1] = function(scoped(1, string(8, 8, "of_scope")), file);
	ret[2] = function_in(placed("on_5", 8, 12), file, text);
	ret[3] = function_in(placed("on_1", 0, 12), file, text);
	ret[4] = function_in(placed("on_4", 7, 9), file, external(2, 9, wide));
	ret[5] = function_in(placed("on_99990", 99989, 99999), file, external(10, 100000, many));
	ret[6] = function_in(placed("on_514", 513, 600), file, external(10, 100000, many));
	return 7;
}

static size_t lies(uint64_t *ret)
{
	const uint64_t file = string(8, 7, "fake.js"), ring = string(1, 5, ""), good = 5;
	const uint64_t kernel = 0xffffffff81000001, names[] = {string(8, UINT32_MAX, "endless"),
							       string(8, 0, ""),
							       string(2, 5, "outside"),
							       kernel,
							       1,
							       good,
							       scoped(UINT32_MAX, kernel),
							       scoped(74, 1),
							       string(0, 0x7fffffff, "wide"),
							       ring};
	size_t n = 0;

	((uint64_t *)(uintptr_t)(ring - 1))[2] = ring;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ret[n++] = function(names[i], file);
		ret[n++] = function(string(8, 4, "file"), names[i]);
	}
	ret[n++] = function_in(placed("lie", 100, 200), file, string(8, 99, "short"));
	ret[n++] = function_in(placed("lie", 1 << 28, 1 << 29), file, string(8, UINT32_MAX, ""));
	ret[n++] = function_in(placed("lie", 250000, 260000), file, external(10, 300000, NULL));
	ret[n++] = function_in(placed("lie", 5, 9), file,
			       external(10, 99, (const void *)(uintptr_t)kernel));
	ret[n++] = function_in(placed("lie", 5, 9), file, external(26, 99, "\n\n\n\n\n\n"));
	ret[n++] = function_in(placed("lie", 9, 5), file, string(8, 10, "\n\n\n\n\n\n\n\n\n"));
	ret[n++] = function_in(placed("lie", 2, 4), file, ring);
	ret[n++] = kernel;
	ret[n++] = 3;
	ret[n++] = ring;
	return n;
}

int main(int argc, char **argv)
{
	double until = argc > 1 ? strtod(argv[1], NULL) : 1;
	uint64_t functions[32], context;
	struct timespec now;
	uint8_t *page;
	run_fn run;
	size_t n;

	objects = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (objects == MAP_FAILED || page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	memcpy(&run, &page, sizeof(run));
	context = object(FUNCTION, (const uint64_t[]){0}, 1);
	n = argc > 2 && strcmp(argv[2], "lies") == 0 ? lies(functions) : honest(functions);
	do {
		for (size_t i = 0; i < n; i++)
			run(functions[i], context);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < until);
	return 0;
}
