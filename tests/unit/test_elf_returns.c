// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where functions return what they were called for, if they are but a jump, or end by one. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "symd/elf_returns.h"
#include "symd/protocol.h"
#include "symd/site_requests.h"

#ifdef __x86_64__

#define FUNCTION(name, code)                                      \
	__asm__(".pushsection .text." #name ",\"ax\",@progbits\n" \
		".type " #name ", @function\n" #name ":\n"        \
		".cfi_startproc\n" code "\n.cfi_endproc\n"        \
		".size " #name ", . - " #name "\n"                \
		".popsection")

FUNCTION(test_stub, "endbr64; jmp test_ends_elsewhere");
FUNCTION(test_ends_elsewhere, "push %rbx; pop %rbx; test %edi, %edi; je 1f; mov $1, %eax; ret\n"
			      "1: jmp test_goes_on");
FUNCTION(test_goes_on, "test %esi, %esi; je test_goes_on; jne test_ends_elsewhere; ret");
FUNCTION(test_nobody_knows, "push %rbx; pop %rbx; jmp *%rax");
FUNCTION(test_around, "push %rbx; pop %rbx; test %edi, %edi; je test_around; ret");

FUNCTION(test_holds_another, "movabs $0xc35b53c35b53, %rax; ret\n"
			     ".type test_amid, @function; .set test_amid, test_holds_another + 2");

int test_stub(int x, int y);
int test_holds_another(int x);
int test_nobody_knows(int x);
int test_around(int x);
int (*volatile keep[])(int) = {test_nobody_knows, test_around, test_holds_another};
int (*volatile keep_stub)(int, int) = test_stub;

static struct elf_file *open_this(void)
{
	struct elf_file *elf;

	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY), &elf), 0);
	return elf;
}

static uint8_t byte_at(const struct elf_file *elf, uint64_t file_off)
{
	uint64_t vaddr;
	uint8_t byte;

	cr_assert(elf_file__vaddr(elf, file_off, &vaddr));
	cr_assert_eq(elf_file__read(elf, vaddr, &byte, 1), 1);
	return byte;
}

/* The stub's entry is that of the function, which returns at two places. */
Test(elf_returns, through_jumps)
{
	enum { PUSH_RBX = 0x53, RET = 0xc3 };
	struct elf_exit returns[SYMD_EXITS_MAX];
	struct elf_file *elf = open_this();
	struct elf_site entry;
	uint32_t n;

	cr_expect_eq(elf_returns__find(elf, "test_stub", strlen("test_stub"), 1, &entry, returns,
				       &n),
		     SYMD_SITE_FOUND);
	cr_expect(entry.emulated && byte_at(elf, entry.file_off) == PUSH_RBX);
	cr_assert_eq(n, 2);
	for (uint32_t i = 0; i < n; i++)
		cr_expect(!returns[i].emulated && byte_at(elf, returns[i].file_off) == RET);
	cr_expect_neq(returns[0].file_off, returns[1].file_off);
	elf_file__free(elf);
}

/* From the symbol on it looks like a function: a push, a pop, a return. */
Test(elf_returns, amid_an_instruction)
{
	struct elf_exit returns[SYMD_EXITS_MAX];
	struct elf_file *elf = open_this();
	struct elf_found found;
	struct elf_site entry;
	uint32_t n;

	elf_site__find(elf, "test_amid", strlen("test_amid"), 0, &found, &entry);
	elf_found__done(&found);
	cr_expect_eq(entry.status, SYMD_SITE_FOUND);
	cr_expect_eq(elf_returns__find(elf, "test_amid", strlen("test_amid"), 1, &entry, returns,
				       &n),
		     SYMD_SITE_NO_INSTRUCTION);
	cr_expect_eq(n, 0);
	elf_file__free(elf);
}

/* What stands in a register before a jump is no result. */
Test(elf_returns, to_where_nobody_knows)
{
	struct elf_exit returns[SYMD_EXITS_MAX];
	struct elf_file *elf = open_this();
	struct elf_site entry;
	uint32_t n;

	cr_expect_eq(elf_returns__find(elf, "test_nobody_knows", strlen("test_nobody_knows"), 1,
				       &entry, returns, &n),
		     SYMD_SITE_FOUND);
	cr_expect_eq(n, 0);
	cr_expect_eq(elf_returns__find(elf, "test_around", strlen("test_around"), 1, &entry,
				       returns, &n),
		     SYMD_SITE_BEGINS_AGAIN);
	cr_expect_eq(elf_returns__find(elf, "test_stu", strlen("test_stu"), 1, &entry, returns, &n),
		     SYMD_SITE_NO_FUNCTION);
	elf_file__free(elf);
}

/* ---------------------------------------------------------------- many at once */

static int ask(struct elf_file *elf, const char *const *names, size_t n, struct buf *reply)
{
	_cleanup_(buf__done) struct buf body = {0};
	struct cursor c;

	symd_msg__put_u8(&body, (uint8_t)n);
	for (size_t i = 0; i < n; i++) {
		symd_msg__put_u8(&body, 1);
		symd_msg__put_u16(&body, (uint16_t)strlen(names[i]));
		buf__puts(&body, names[i]);
	}
	c = cursor__over(body.data, body.len);
	return site_requests__answer(SYMD_RETURNS, elf, -1, &c, reply);
}

/* Its status; its places are read over. */
static enum symd_site_status next(struct cursor *c, uint32_t *ret_places)
{
	enum symd_site_status status = cursor__u8(c);

	*ret_places = cursor__u32(c);
	cursor__skip(c, (size_t)*ret_places * 10);
	return status;
}

Test(elf_returns, many_in_one_question)
{
	static const char *const names[] = {"test_stub", "test_no_such", "test_amid",
					    "test_goes_on"};
	_cleanup_(buf__done) struct buf reply = {0};
	struct elf_file *elf = open_this();
	struct elf_function alone;
	struct cursor c;
	uint32_t n;

	cr_assert_eq(ask(elf, names, 4, &reply), 0);
	c = cursor__over(reply.data, reply.len);
	cr_expect_eq(next(&c, &n), SYMD_SITE_FOUND);
	cr_expect_eq(n, 3, "its entry, and two returns");
	cr_expect_eq(next(&c, &n), SYMD_SITE_NO_FUNCTION);
	cr_expect_eq(next(&c, &n), SYMD_SITE_NO_INSTRUCTION);
	cr_expect_eq(n, 0);
	next(&c, &n);
	cr_expect(cursor__done(&c));
	cr_expect_eq(elf_file__function_named(elf, "test_goes_on", 12, &alone), 1,
		     "what was asked before is not asked any more");
	elf_file__free(elf);
}

Test(elf_returns, without_the_first_none)
{
	static const char *const names[] = {"test_no_such", "test_stub"};
	_cleanup_(buf__done) struct buf reply = {0};
	struct elf_file *elf = open_this();
	struct cursor c;
	uint32_t n;

	cr_assert_eq(ask(elf, names, 2, &reply), 0);
	c = cursor__over(reply.data, reply.len);
	cr_expect_eq(next(&c, &n), SYMD_SITE_NO_FUNCTION);
	cr_expect_eq(next(&c, &n), SYMD_SITE_NO_FUNCTION);
	cr_expect(cursor__done(&c));
	elf_file__free(elf);
}

Test(elf_returns, no_question)
{
	static const uint8_t short_of_one[] = {2, 1, 4, 0, 'f', 'r', 'e', 'e'};
	static const uint8_t too_many[] = {SYMD_RETURNS_MAX + 1};
	_cleanup_(buf__done) struct buf reply = {0};
	struct elf_file *elf = open_this();
	struct cursor c = cursor__over(short_of_one, sizeof(short_of_one));

	cr_expect_eq(site_requests__answer(SYMD_RETURNS, elf, -1, &c, &reply), -EPROTO);
	c = cursor__over(too_many, sizeof(too_many));
	cr_expect_eq(site_requests__answer(SYMD_RETURNS, elf, -1, &c, &reply), -EPROTO);
	elf_file__free(elf);
}

#endif
