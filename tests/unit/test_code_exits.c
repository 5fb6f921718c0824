// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where functions are left, and which are refused because that isn't known. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>

#include "base/mem.h"
#include "symd/code_exits.h"
#include "symd/elf_exits.h"

enum { AT = 0x1000, PART_AT = 0x5000 };

#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

static const uint8_t part_bytes[] = "\x48\x89\xf8\xc3"; /* mov, ret */

/* What lies at PART_AT is the function's, too. */
static size_t one_part(void *ctx, const uint64_t *targets, size_t n, struct code_part *ret,
		       size_t room)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++) {
		if (targets[i] < PART_AT || targets[i] - PART_AT >= sizeof(part_bytes) - 1)
			continue;
		cr_assert_geq(room, 1);
		*ret = (struct code_part){PART_AT, sizeof(part_bytes) - 1, part_bytes};
		return 1;
	}
	return 0;
}

struct want {
	uint64_t at;
	uint8_t when;
	bool emulated;
};

static void expect_exits(const char *what, const struct code_exits *exits, const struct want *want,
			 uint32_t n)
{
	cr_assert_eq(exits->n, n, "%s: %u", what, exits->n);
	for (uint32_t k = 0; k < n; k++) {
		cr_expect_eq(exits->of[k].vaddr - AT, want[k].at, "%s: at %d", what,
			     (int)(exits->of[k].vaddr - AT));
		cr_expect_eq(exits->of[k].when, want[k].when, "%s: when %d", what,
			     exits->of[k].when);
		cr_expect_eq(exits->of[k].emulated, want[k].emulated, "%s", what);
	}
}

Test(code_exits, by_instructions)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		enum symd_site_status status;
		uint32_t n;
		struct want exits[2];
	} cases[] = {
		{"ret", CODE("\x53\x5b\xc3"), SYMD_SITE_FOUND, 1, {{2, 0, false}}},
		{"two",
		 CODE("\x85\xff\x74\x01\xc3\xc3"),
		 SYMD_SITE_FOUND,
		 2,
		 {{4, 0, false}, {5, 0, false}}},
		{"ret with a prefix, and one that takes arguments along",
		 CODE("\xf3\xc3\xc2\x08\x00"),
		 SYMD_SITE_FOUND,
		 2,
		 {{0, 0, false}, {2, 0, false}}},
		{"a jump out",
		 CODE("\x53\x5b\xe9\x00\x01\x00\x00"),
		 SYMD_SITE_FOUND,
		 1,
		 {{2, 0, true}}},
		{"if equal, out",
		 CODE("\x85\xff\x0f\x84\x00\x01\x00\x00\xc3"),
		 SYMD_SITE_FOUND,
		 2,
		 {{2, 5, true}, {8, 0, false}}},
		{"if not below, near, out",
		 CODE("\x85\xff\x73\x40\xc3"),
		 SYMD_SITE_FOUND,
		 2,
		 {{2, 4, true}, {4, 0, false}}},
		{"a jump inside", CODE("\x53\xeb\x00\xc3"), SYMD_SITE_FOUND, 1, {{3, 0, false}}},
		{"into a further part",
		 CODE("\xe9\xfb\x3f\x00\x00"),
		 SYMD_SITE_FOUND,
		 1,
		 {{PART_AT + 3 - AT, 0, false}}},
		{"amid one there", CODE("\xe9\xfc\x3f\x00\x00"), SYMD_SITE_NOT_READ, 0, {}},
		{"to its beginning", CODE("\x31\xc0\xeb\xfc\xc3"), SYMD_SITE_BEGINS_AGAIN, 0, {}},
		{"amid an instruction",
		 CODE("\xeb\x01\xb8\xc3\xc3\xc3\xc3\xc3"),
		 SYMD_SITE_NOT_READ,
		 0,
		 {}},
		{"behind lock",
		 CODE("\x85\xff\x74\x01\xf0\x48\x0f\xb1\x0f\xc3"),
		 SYMD_SITE_FOUND,
		 1,
		 {{9, 0, false}}},
		{"ud2", CODE("\x53\x0f\x0b"), SYMD_SITE_NO_RETURN, 0, {}},
		{"data", CODE("\x53\x06\xc3"), SYMD_SITE_NOT_READ, 0, {}},
		{"cut", CODE("\xc3\xe9\x00"), SYMD_SITE_NOT_READ, 0, {}},
		{"loop out", CODE("\x53\xe2\x40\xc3"), SYMD_SITE_NOT_READ, 0, {}},
		{"notrack jmp *rax", CODE("\x3e\xff\xe0\xc3"), SYMD_SITE_FOUND, 1, {{3, 0, false}}},
		{"add, jmp *rax",
		 CODE("\x48\x01\xd0\xff\xe0\xc3"),
		 SYMD_SITE_FOUND,
		 1,
		 {{5, 0, false}}},
		{"add to another, jmp *rax",
		 CODE("\x48\x01\xd3\xff\xe0"),
		 SYMD_SITE_FOUND,
		 1,
		 {{3, 0, false}}},
		{"jmp *rax", CODE("\x53\x5b\xff\xe0"), SYMD_SITE_FOUND, 1, {{2, 0, false}}},
		{"jmp *8(rax)", CODE("\xff\x60\x08"), SYMD_SITE_FOUND, 1, {{0, 0, false}}},
		{"jmp *table(,rax,8)",
		 CODE("\xff\x24\xc5\x00\x00\x00\x00\xc3"),
		 SYMD_SITE_FOUND,
		 1,
		 {{7, 0, false}}},
		{"mov of that, jmp *rax",
		 CODE("\x48\x8b\x04\xc2\xff\xe0\xc3"),
		 SYMD_SITE_FOUND,
		 1,
		 {{6, 0, false}}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct code_part code = {AT, cases[i].len, cases[i].code};
		struct code_exits exits;

		cr_expect_eq(code_exits__find(INSN_X86_64, &code, (struct code_entry){.inner = AT},
					      one_part, NULL, &exits),
			     cases[i].status, "%s", cases[i].what);
		if (cases[i].status == SYMD_SITE_FOUND)
			expect_exits(cases[i].what, &exits, cases[i].exits, cases[i].n);
	}
}

/* Words of arm64; the entry is met at the first. */
Test(code_exits, of_arm64)
{
	enum {
		RET = 0xd65f03c0,
		NOP = 0xd503201f,
		STP = 0xa9be7bfd, /* stp x29, x30, [sp, #-32]! */
		LDP = 0xa8c27bfd,
	};
	static const struct {
		const char *what;
		uint32_t code[6];
		size_t n;
		enum symd_site_status status;
		uint32_t n_exits;
		struct want exits[2];
	} cases[] = {
		{"ret", {STP, LDP, RET}, 3, SYMD_SITE_FOUND, 1, {{8, 0, true}}},
		{"autiasp, ret",
		 {STP, LDP, 0xd50323bf, RET},
		 4,
		 SYMD_SITE_FOUND,
		 1,
		 {{12, 0, true}}},
		{"ret x17", {NOP, 0xd65f0220}, 2, SYMD_SITE_FOUND, 1, {{4, 0, true}}},
		{"retaa", {STP, LDP, 0xd65f0bff}, 3, SYMD_SITE_UNPROBED, 0, {}},
		{"b out", {NOP, 0x14000100}, 2, SYMD_SITE_FOUND, 1, {{4, 0, true}}},
		{"b inside", {NOP, 0x14000001, RET}, 3, SYMD_SITE_FOUND, 1, {{8, 0, true}}},
		{"b to the beginning", {NOP, 0x17ffffff, RET}, 3, SYMD_SITE_BEGINS_AGAIN, 0, {}},
		{"b.ne out",
		 {NOP, 0x54000801, RET},
		 3,
		 SYMD_SITE_FOUND,
		 2,
		 {{4, 2, true}, {8, 0, true}}},
		{"b.al out", {NOP, 0x5400080e}, 2, SYMD_SITE_FOUND, 1, {{4, 0, true}}},
		{"cbz out", {NOP, 0xb4000800, RET}, 3, SYMD_SITE_NOT_READ, 0, {}},
		{"tbnz inside", {NOP, 0x37000020, RET}, 3, SYMD_SITE_FOUND, 1, {{8, 0, true}}},
		{"br x16", {LDP, 0xd61f0200}, 2, SYMD_SITE_FOUND, 1, {{4, 0, true}}},
		{"braa x16, x17", {LDP, 0xd71f0a11}, 2, SYMD_SITE_UNPROBED, 0, {}},
		{"add x0, x1, w0, sxth #2; br x0",
		 {NOP, 0x8b20a820, 0xd61f0000, RET},
		 4,
		 SYMD_SITE_FOUND,
		 1,
		 {{12, 0, true}}},
		{"add x8, x8, x10, lsl #2; br x8",
		 {NOP, 0x8b0a0908, 0xd61f0100, RET},
		 4,
		 SYMD_SITE_FOUND,
		 1,
		 {{12, 0, true}}},
		{"add to another; br x0",
		 {NOP, 0x8b0a0908, 0xd61f0000},
		 3,
		 SYMD_SITE_FOUND,
		 1,
		 {{8, 0, true}}},
		{"ldr x1, [x1, x2, lsl #3]; br x1",
		 {NOP, 0xf8627821, 0xd61f0020, RET},
		 4,
		 SYMD_SITE_FOUND,
		 1,
		 {{12, 0, true}}},
		{"ldr of a number behind the ret",
		 {0x58000040, RET, 0xdeadbeef, RET},
		 4,
		 SYMD_SITE_NOT_READ,
		 0,
		 {}},
		{"brk", {NOP, 0xd4207d00}, 2, SYMD_SITE_NO_RETURN, 0, {}},
		{"nothing between functions", {RET, 0, 0}, 3, SYMD_SITE_FOUND, 1, {{0, 0, true}}},
		{"udf", {NOP, 0x1234, RET}, 3, SYMD_SITE_NOT_READ, 0, {}},
		{"b.ne out amid exclusives",
		 {0xc85ffc01, 0xeb02003f, 0x54000801, 0xc803fc05, RET},
		 5,
		 SYMD_SITE_UNPROBED,
		 0,
		 {}},
		{"ret behind exclusives",
		 {0xc85ffc01, 0xeb02003f, 0x54000041, 0xc803fc05, RET},
		 5,
		 SYMD_SITE_FOUND,
		 1,
		 {{16, 0, true}}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct code_part code = {AT, 4 * cases[i].n, (const uint8_t *)cases[i].code};
		struct code_exits exits;

		cr_expect_eq(code_exits__find(INSN_ARM64, &code, (struct code_entry){.inner = AT},
					      one_part, NULL, &exits),
			     cases[i].status, "%s", cases[i].what);
		if (cases[i].status == SYMD_SITE_FOUND)
			expect_exits(cases[i].what, &exits, cases[i].exits, cases[i].n_exits);
	}
}

Test(code_exits, more_than_there_is_room_for)
{
	uint8_t rets[SYMD_EXITS_MAX + 1];
	struct code_part code = {AT, SYMD_EXITS_MAX, rets};
	struct code_exits exits;

	memset(rets, 0xc3, sizeof(rets));
	cr_expect_eq(code_exits__find(INSN_X86_64, &code, (struct code_entry){.inner = AT},
				      one_part, NULL, &exits),
		     SYMD_SITE_FOUND);
	cr_expect_eq(exits.n, SYMD_EXITS_MAX);
	code.len++;
	cr_expect_eq(code_exits__find(INSN_X86_64, &code, (struct code_entry){.inner = AT},
				      one_part, NULL, &exits),
		     SYMD_SITE_MANY_EXITS);
}

__attribute__((noipa, used)) static int left_at_two(int x)
{
	__asm__ volatile("test %0, %0; je 1f; lea 1(%0), %0; 1:" : "+r"(x));
	return x;
}

/* A function of this program: at its last exit a return stands. */
Test(code_exits, of_a_file)
{
	struct elf_exit exits[SYMD_EXITS_MAX];
	struct elf_file *elf;
	struct elf_found found;
	struct elf_site entry;
	uint64_t vaddr;
	uint8_t byte;
	uint32_t n;

	cr_expect_eq(left_at_two(1), 2);
	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY), &elf), 0);
	if (elf_file__is_x86_64(elf)) {
		cr_expect_eq(elf_exits__find(elf, "left_at_two", 11, &found, &entry, exits, &n),
			     SYMD_SITE_FOUND);
		elf_found__done(&found);
		cr_assert_geq(n, 1);
		cr_assert(elf_file__vaddr(elf, exits[n - 1].file_off, &vaddr));
		cr_assert_eq(elf_file__read(elf, vaddr, &byte, 1), 1);
		cr_expect_eq(byte, 0xc3);
	}
	cr_expect_neq(elf_exits__find(elf, "no_such_function", 16, &found, &entry, exits, &n),
		      SYMD_SITE_FOUND);
	elf_found__done(&found);
	elf_file__free(elf);
}
