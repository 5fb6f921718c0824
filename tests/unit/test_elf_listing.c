// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The listing of a function of this very program, asked for as a client does, and read as one. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sym/listing.h"
#include "sym/texts.h"
#include "symd/disassembler.h"
#include "symd/elf_listing.h"
#include "symd/protocol.h"

#define KEPT __attribute__((noinline, used))

KEPT static int called_from_here(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

KEPT static int with_a_loop(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += called_from_here(i);
	return sum;
}

static struct elf_file *open_self(void)
{
	struct elf_file *elf;

	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), &elf), 0);
	return elf;
}

static int ask(struct elf_file *elf, uint64_t offset, uint32_t from, struct buf *reply)
{
	struct buf request = {0};
	struct cursor body;
	int r;

	symd_msg__put_u64(&request, offset);
	symd_msg__put_u32(&request, from);
	body = cursor__over(request.data, request.len);
	r = elf_listing__answer(elf, &body, reply);
	buf__done(&request);
	return r;
}

/* All answers; how many there were. */
static int list(struct elf_file *elf, uint64_t offset, struct texts *texts, struct listing *ret)
{
	uint32_t from = 0;
	int n = 0;

	do {
		struct buf reply = {0};
		struct cursor c;

		cr_assert_eq(ask(elf, offset, from, &reply), 0);
		cr_assert_leq(reply.len, SYMD_MSG_MAX);
		c = cursor__over(reply.data, reply.len);
		cr_assert_eq(reply__listing(&c, texts, ret, &from), 0);
		buf__done(&reply);
		n++;
	} while (from);
	return n;
}

static bool is_within(const struct listing *l, uint64_t target)
{
	return target && target - l->vaddr < l->size;
}

static void check(const struct listing *l, const struct elf_function *where)
{
	size_t jumps = 0, calls = 0;
	uint64_t at = 0;

	cr_expect_eq(l->vaddr, where->start);
	cr_expect_eq(l->size, where->end - where->start);
	for (size_t i = 0; i < l->n; i++) {
		const struct listing_row *row = &l->rows[i];

		cr_expect_eq(row->at, at, "row %zu", i);
		at = row->at + row->len;
		jumps += row->flow == LISTING_JUMP && is_within(l, row->target);
		if (row->flow != LISTING_CALL)
			continue;
		calls++;
		cr_expect_neq(row->target, 0);
		cr_expect_eq(row->text != NULL, l->has_text);
		if (row->text)
			cr_expect_not_null(strstr(row->text, "called_from_here"), "'%s'",
					   row->text);
	}
	cr_expect_eq(at, l->size);
	cr_expect_geq(jumps, 1);
	cr_expect_eq(calls, 1);
}

static void expect_lines(const struct listing *l)
{
	for (size_t i = 0; i < l->n_frames; i++) {
		cr_expect_not_null(strstr(l->frames[i].file, "test_elf_listing.c"));
		cr_expect_eq(*l->frames[i].file, '/', "'%s' has no folder", l->frames[i].file);
		cr_expect_null(l->frames[i].function);
	}
}

static void list_and_check(bool text)
{
	static const char name[] = "with_a_loop";
	struct elf_file *elf = open_self();
	struct texts *texts = texts__new(0);
	struct elf_function where;
	struct listing l = {0};
	uint64_t offset;

	cr_assert_eq(with_a_loop(3), 3);
	cr_assert_eq(elf_file__function_named(elf, name, strlen(name), &where), 1);
	cr_assert(elf_file__offset(elf, where.start + 4, true, &offset));
	cr_expect_eq(list(elf, offset, texts, &l), 1);
	cr_expect_eq(l.has_text, text);
	check(&l, &where);
	expect_lines(&l);
	listing__done(&l);
	texts__free(texts);
	elf_file__free(elf);
}

Test(elf_listing, without_the_library)
{
	list_and_check(false);
}

Test(elf_listing, with_it)
{
	if (disassembler_load())
		list_and_check(true);
}

Test(elf_listing, what_is_no_function)
{
	struct elf_file *elf = open_self();
	struct buf reply = {0};

	cr_expect_eq(ask(elf, 1, 0, &reply), 0);
	cr_expect_eq(reply.data[0], SYMD_LISTING_NO_FUNCTION);
	buf__clear(&reply);
	cr_expect_eq(ask(elf, UINT64_MAX, 0, &reply), 0);
	cr_expect_eq(reply.data[0], SYMD_LISTING_NO_FUNCTION);
	buf__done(&reply);
	elf_file__free(elf);
}
