// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "symd/jit_file.h"
#include "symd/jitdump.h"

enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING };

static struct buf dump;
static struct jit_file *map;

static void u32(uint32_t value)
{
	buf__add(&dump, &value, sizeof(value));
}

static void u64(uint64_t value)
{
	buf__add(&dump, &value, sizeof(value));
}

static void header(uint32_t magic, uint32_t version, uint32_t size)
{
	buf__clear(&dump);
	u32(magic), u32(version), u32(size), u32(62), u32(0), u32(1234), u64(0), u64(0);
}

static void begin(void)
{
	header(0x4a695444, 1, 40);
}

static void record(uint32_t id, uint32_t size)
{
	u32(id), u32(size), u64(0);
}

static void load(uint64_t addr, uint64_t size, uint64_t index, const char *name)
{
	size_t len = strlen(name) + 1;

	record(LOAD, (uint32_t)(16 + 40 + len + size));
	u32(1), u32(1), u64(addr), u64(addr), u64(size), u64(index);
	buf__add(&dump, name, len);
	for (uint64_t i = 0; i < size; i++)
		buf__putc(&dump, (char)0x90);
}

static void move(uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	record(MOVE, 16 + 48);
	u32(1), u32(1), u64(to), u64(from), u64(to), u64(size), u64(index);
}

static int parse(void)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);

	map = jit_file__free(map);
	cr_assert_eq(write(fd, dump.data, dump.len), (ssize_t)dump.len);
	return jit_file__open(fd, jitdump__offer, &map);
}

static void expect_now(uint64_t addr, const char *name)
{
	const char *found;
	size_t len;

	found = jit_file__find(map, addr, &len);
	if (!name || !found) {
		cr_expect(!name && !found, "%#lx should be %s", (unsigned long)addr, name);
		return;
	}
	cr_expect(len == strlen(name) && !memcmp(found, name, len), "%#lx is %.*s, not %s",
		  (unsigned long)addr, (int)len, found, name);
}

static void expect(uint64_t addr, const char *name)
{
	jit_file__ask(map, &addr, 1);
	expect_now(addr, name);
}

static void done(void)
{
	map = jit_file__free(map);
	buf__done(&dump);
}

TestSuite(jitdump, .init = begin, .fini = done, .timeout = 60);

Test(jitdump, names_of_code)
{
	load(0x1000, 0x10, 1, "first");
	record(DEBUG_INFO, 16 + 100);
	for (int i = 0; i < 100; i++)
		buf__putc(&dump, 'x');
	load(0x2000, 0x20, 2, "Lcom/Main;.run()V");
	record(UNWINDING, 16);
	record(77, 16); /* of a later version */
	load(0x3000, 1, 3, "last");
	cr_assert_eq(parse(), 0);
	expect(0xfff, NULL);
	expect(0x1000, "first");
	expect(0x100f, "first");
	expect(0x1010, NULL);
	expect(0x201f, "Lcom/Main;.run()V");
	expect(0x3000, "last");
}

Test(jitdump, what_comes_later_wins)
{
	load(0x1000, 0x100, 1, "old");
	load(0x1040, 0x20, 2, "new");
	cr_assert_eq(parse(), 0);
	expect(0x103f, "old");
	expect(0x1040, "new");
	expect(0x1060, "old");
}

Test(jitdump, moved_code)
{
	load(0x1000, 0x10, 7, "before");
	move(0x1000, 0x2000, 0x10, 7);
	load(0x1000, 0x10, 8, "another");
	load(0x3000, 0x10, 7, "reused index");
	move(0x3000, 0x4000, 0x10, 7);
	move(0x5000, 0x6000, 0x10, 99); /* nobody loaded that */
	cr_assert_eq(parse(), 0);
	expect(0x1000, "another");
	expect(0x2000, "before");
	expect(0x4000, "reused index");
	expect(0x6000, NULL);
}

/* Several moves of the same code, asked for together. */
Test(jitdump, code_that_moves_on)
{
	const uint64_t addrs[] = {0x1000, 0x2000, 0x3000, 0x4000, 0x5000};
	static const char *const names[] = {"first", "first", "first", "second", "second"};

	load(0x1000, 0x10, 7, "first");
	move(0x1000, 0x2000, 0x10, 7);
	load(0x9000, 0x10, 8, "another");
	move(0x2000, 0x3000, 0x10, 7);
	load(0xa000, 0x10, 7, "second");
	move(0xa000, 0x4000, 0x10, 7);
	move(0x4000, 0x5000, 0x10, 7);
	cr_assert_eq(parse(), 0);
	jit_file__ask(map, addrs, 5);
	for (int i = 0; i < 5; i++)
		expect_now(addrs[i], names[i]);
}

Test(jitdump, ends_when_it_is_closed)
{
	load(0x1000, 0x10, 1, "a");
	record(CLOSE, 16);
	load(0x2000, 0x10, 2, "b");
	cr_assert_eq(parse(), 0);
	expect(0x1000, "a");
	expect(0x2000, NULL);
}

/* A JIT may be writing the last record right now. */
Test(jitdump, half_a_record)
{
	size_t whole;

	load(0x1000, 0x10, 1, "a");
	whole = dump.len;
	load(0x2000, 0x10, 2, "function");
	for (size_t len = dump.len - 1; len >= whole; len--) {
		dump.len = len;
		cr_assert_eq(parse(), 0);
		expect(0x1000, "a");
	}
}

Test(jitdump, no_jitdump)
{
	int pipes[2];

	buf__clear(&dump);
	cr_expect_lt(parse(), 0);
	header(0x4454694a, 1, 40); /* of a machine of the other byte order */
	cr_expect_lt(parse(), 0);
	header(0x4a695444, 2, 40);
	cr_expect_lt(parse(), 0);
	header(0x4a695444, 1, 39);
	cr_expect_lt(parse(), 0);
	cr_assert_eq(pipe(pipes), 0);
	cr_expect_lt(jit_file__open(pipes[0], jitdump__offer, &map), 0);
}

/* Sizes that point back, nowhere, or far behind the end; names without an end. */
Test(jitdump, hostile_sizes)
{
	static const uint32_t sizes[] = {0, 1, 15, 16, 17, 56, 57, 0x7fffffff, 0xffffffff};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin();
		load(0x1000, 0x10, 1, "a");
		record(LOAD, sizes[i]);
		for (int k = 0; k < 40; k++)
			buf__putc(&dump, (char)0xff);
		for (int k = 0; k < 10000; k++)
			buf__putc(&dump, 'n');
		cr_assert_eq(parse(), 0);
		expect(0x1000, "a");
	}
}

/* All it can hold of the smallest records, in a second. */
Test(jitdump, many_records)
{
	for (uint64_t i = 0; i < 300000; i++)
		load(0x1000 + 16 * i, 1, i, "f");
	for (uint64_t i = 0; i < 300000; i++)
		move(0, 0x10001000 + 16 * i, 1, i);
	cr_assert_eq(parse(), 0);
	expect(0x1000 + 16 * 299999, "f");
	expect(0x10001000 + 16 * 299999, "f");
}
