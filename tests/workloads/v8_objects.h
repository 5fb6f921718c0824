/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects as V8 has them in its memory, of the types that fakev8.c says. */
#ifndef PMUBPF_WORKLOADS_V8_OBJECTS_H
#define PMUBPF_WORKLOADS_V8_OBJECTS_H

#include <stdint.h>
#include <string.h>

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

/* Of two, and one that stands for another. */
static uint64_t joined(uint32_t length, uint64_t first, uint64_t second)
{
	return object(9, (const uint64_t[]){(uint64_t)length << 32, first, second}, 3);
}

static uint64_t thin(uint32_t length, uint64_t other)
{
	return object(13, (const uint64_t[]){(uint64_t)length << 32, other}, 2);
}

/* `code` is its baseline code, `before` what it says of lines before its text. */
static uint64_t function_of(uint64_t code, uint64_t before, uint64_t name, uint64_t file,
			    uint64_t source)
{
	const uint64_t script[] = {source, file, before};
	const uint64_t shared[] = {code, name, object(SCRIPT, script, 3), 7};
	const uint64_t words[] = {object(SHARED, shared, 4)};

	return object(FUNCTION, words, 1);
}

static uint64_t function_below(uint64_t before, uint64_t name, uint64_t file, uint64_t source)
{
	return function_of(0, before, name, file, source);
}

static uint64_t function_in(uint64_t name, uint64_t file, uint64_t source)
{
	return function_below(0, name, file, source);
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

#ifdef NEWER
enum { TABLE = 312, NEWER_BITS = 2 };
#else
enum { TABLE = 311, NEWER_BITS = 0 };
#endif
enum { CODE = 313, BYTECODE = 310, BYTECODE_DATA = 56, CODE_SIZE = 5000 };

/* Behind the length; a number has 7 bits in a byte, the lowest first. */
struct positions {
	uint8_t bytes[64];
	size_t n;
};

static void put_number(struct positions *p, uint64_t n)
{
	for (; n > 127; n >>= 7)
		p->bytes[p->n++] = n | 0x80;
	p->bytes[p->n++] = (uint8_t)n;
}

/* So much further in the code, and in the text. */
static void put_place(struct positions *p, uint64_t code, int64_t text)
{
	bool statement = p->n % 3;

	put_number(p, NEWER_BITS ? code << 2 | NEWER_BITS | statement :
		      statement  ? code << 1 :
				   (code << 1) + 1);
	put_number(p, text < 0 ? (uint64_t)(-text * 4 - 1) : (uint64_t)(text * 4));
}

static uint64_t bytecode_with(uint64_t table, uint64_t size)
{
	uint64_t words[] = {size << 32, 0, 0, table, 0, 0};

	if (NEWER_BITS) {
		words[2] = table;
		words[3] = object(311, (const uint64_t[]){0}, 1); /* what isn't it */
	}
	return object(BYTECODE, words, 6);
}

static uint64_t table_of(int type, uint64_t size, const void *bytes, size_t n)
{
	uint64_t words[1100] = {size << 32};

	memcpy(words + 1, bytes, n);
	return object(type, words, 1 + (n + 7) / 8);
}

#endif
