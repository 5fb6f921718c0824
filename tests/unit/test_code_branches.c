// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which conditional jumps of a function may be probed: none in what may be data. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/elf_branches.h"

enum { AT = 0x1000 };

#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

struct want {
	uint32_t at;
	uint8_t condition, why;
};

static struct code_branches found;

Test(code_branches, by_instructions)
{
	enum {
		OK = SYMD_BRANCH_FOUND,
		STEPPED = SYMD_BRANCH_NOT_EMULATED,
		UNREACHED = SYMD_BRANCH_NOT_REACHED
	};
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		uint32_t n;
		struct want jumps[3];
	} cases[] = {
		{"none", CODE("\x48\x89\xf8\xc3"), 0, {}},
		{"je, short", CODE("\x85\xff\x74\x01\x90\xc3"), 1, {{2, 4, OK}}},
		{"jg, near", CODE("\x85\xff\x0f\x8f\x01\0\0\0\x90\xc3"), 1, {{2, 15, OK}}},
		{"a loop", CODE("\xff\xcf\x75\xfc\xc3"), 1, {{2, 5, OK}}},
		{"out of the function",
		 CODE("\x72\x40\x0f\x83\0\x01\0\0\xc3"),
		 2,
		 {{0, 2, OK}, {2, 3, OK}}},
		{"loop and jrcxz",
		 CODE("\xe3\x02\xe2\xfc\xc3"),
		 2,
		 {{0, 0, STEPPED}, {2, 0, STEPPED}}},
		{"with a prefix, which the kernel doesn't carry out",
		 CODE("\x3e\x74\x00\xc3"),
		 1,
		 {{0, 4, STEPPED}}},
		{"behind a return, nothing leads there",
		 CODE("\xc3\x74\x00\xc3"),
		 1,
		 {{1, 4, UNREACHED}}},
		{"behind a return, a jump leads there",
		 CODE("\x74\x01\xc3\x75\x00\xc3"),
		 2,
		 {{0, 4, OK}, {3, 5, OK}}},
		{"behind a jump by a register",
		 CODE("\xff\xe0\x74\x00\xc3"),
		 1,
		 {{2, 4, UNREACHED}}},
		{"behind a call", CODE("\xe8\0\0\0\0\x78\x00\xc3"), 1, {{5, 8, OK}}},
		{"behind the prefix of an instruction",
		 CODE("\x74\x01\xf0\xff\x07\x79\x00\xc3"),
		 2,
		 {{0, 4, OK}, {5, 9, OK}}},
		{"behind what is no instruction",
		 CODE("\x74\x00\x06\x75\x00\xc3"),
		 1,
		 {{0, 4, OK}}},
		{"cut", CODE("\x74\x00\x0f\x84\x00"), 1, {{0, 4, OK}}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_expect(code_branches__find(cases[i].code, cases[i].len, AT, PMB_BLOCK_NONE, NULL,
					      NULL, &found),
			  "%s", cases[i].what);
		cr_assert_eq(found.n, cases[i].n, "%s: %u", cases[i].what, found.n);
		cr_expect_eq(found.n_all, found.n);
		for (uint32_t k = 0; k < found.n; k++) {
			const struct code_branch *b = &found.of[k];
			const struct want *w = &cases[i].jumps[k];

			cr_expect_eq(b->at, w->at, "%s: at %u", cases[i].what, b->at);
			cr_expect_eq(b->condition, w->condition, "%s: %u", cases[i].what,
				     b->condition);
			cr_expect_eq(b->why, w->why, "%s: why %u", cases[i].what, b->why);
		}
	}
}

Test(code_branches, amid_an_instruction_none_is_known)
{
	/* je into the mov behind it; the same by a jump, and by a loop */
	cr_expect_not(code_branches__find(CODE("\x74\x01\x48\x89\xf8\xc3"), AT, PMB_BLOCK_NONE,
					  NULL, NULL, &found));
	cr_expect_eq(found.n, 0);
	cr_expect_not(code_branches__find(CODE("\xeb\x01\x48\x89\xf8\xc3"), AT, PMB_BLOCK_NONE,
					  NULL, NULL, &found));
	cr_expect_not(code_branches__find(CODE("\x48\x89\xf8\xe2\xfc\xc3"), AT, PMB_BLOCK_NONE,
					  NULL, NULL, &found));
}

/* lock incq; div; a lock behind a jump by a register, which may be data. */
Test(code_branches, instructions_of_a_class)
{
	static const uint8_t code[] = "\xf0\x48\xff\x07\x48\xf7\xf1\x75\xf7\xff\xe0\xf0\xff\x07";
	const size_t n = sizeof(code) - 1;

	cr_expect(code_branches__find(code, n, AT, PMB_BLOCK_LOCK, NULL, NULL, &found));
	cr_assert_eq(found.n, 2);
	cr_expect_eq(found.of[0].at, 0);
	cr_expect_eq(found.of[0].why, SYMD_BRANCH_FOUND);
	cr_expect_eq(found.of[1].at, 11);
	cr_expect_eq(found.of[1].why, SYMD_BRANCH_NOT_REACHED);
	cr_expect(code_branches__find(code, n, AT, PMB_BLOCK_DIV, NULL, NULL, &found));
	cr_assert_eq(found.n, 1);
	cr_expect_eq(found.of[0].at, 4);
	cr_expect(code_branches__find(code, n, AT, PMB_BLOCK_PAUSE, NULL, NULL, &found));
	cr_expect_eq(found.n_all, 0);
	/* a jump amid the div: of the class there is what was read */
	cr_expect_not(code_branches__find(CODE("\x74\x01\x48\xf7\xf1\xc3"), AT, PMB_BLOCK_DIV, NULL,
					  NULL, &found));
	cr_expect_eq(found.n, 1);
}

static bool only_at(void *ctx, uint64_t vaddr)
{
	return vaddr == *(uint64_t *)ctx;
}

/* What a table of places leads to: its jumps are known if somebody says that a line begins
 * there. */
Test(code_branches, where_a_line_begins)
{
	static const uint8_t code[] = "\xff\xe0\x74\x00\x90\x75\x00\xc3\x78\x00";
	uint64_t line = AT + 4;

	cr_expect(code_branches__find(code, sizeof(code) - 1, AT, PMB_BLOCK_NONE, only_at, &line,
				      &found));
	cr_assert_eq(found.n, 3);
	cr_expect_eq(found.of[0].why, SYMD_BRANCH_NOT_REACHED);
	cr_expect_eq(found.of[1].why, SYMD_BRANCH_FOUND);
	cr_expect_eq(found.of[2].why, SYMD_BRANCH_NOT_REACHED);
}

Test(code_branches, more_than_there_is_room_for)
{
	const size_t n = 2 * (SYMD_BRANCHES_MAX + 10);
	uint8_t *code = xcalloc(1, n);

	memset(code, 0, n);
	for (size_t i = 0; i < n; i += 2)
		code[i] = 0x74;
	cr_expect(code_branches__find(code, n, AT, PMB_BLOCK_NONE, NULL, NULL, &found));
	cr_expect_eq(found.n, SYMD_BRANCHES_MAX);
	cr_expect_eq(found.n_all, SYMD_BRANCHES_MAX + 10);
	free(code);
}

#ifdef __x86_64__
__attribute__((noipa, used)) static int branching_of_this_test(int x)
{
	int n = 0;

	for (int i = 0; i < x; i++) {
		if (i & 4)
			n += x;
		__asm__ volatile("" : "+r"(n));
	}
	return n;
}

Test(elf_branches, of_this_program)
{
	static struct elf_branches b, at;
	static const char name[] = "branching_of_this_test";
	struct elf_found function;
	struct elf_file *elf;
	uint64_t addr = (uint64_t)(uintptr_t)branching_of_this_test;
	int memory = open("/proc/self/mem", O_RDONLY);

	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY), &elf), 0);
	cr_expect(branching_of_this_test(3) >= 0);
	elf_branches__find(elf, name, sizeof(name) - 1, PMB_BLOCK_NONE, &function, &b);
	elf_found__done(&function);
	cr_assert_eq(b.status, SYMD_SITE_FOUND);
	cr_expect_geq(b.jumps.n, 2);
	for (uint32_t i = 0; i < b.jumps.n; i++)
		cr_expect_eq(b.jumps.of[i].why, SYMD_BRANCH_FOUND);
	cr_expect(elf_branches__same(elf, memory, b.file_off, addr, b.size));
	cr_expect_not(elf_branches__same(elf, memory, b.file_off, addr + 1, b.size));
	cr_expect_not(elf_branches__same(elf, memory, b.file_off, 8, b.size));
	cr_expect_not(elf_branches__same(elf, memory, b.file_off, addr, UINT64_MAX));
	/* by any place in it, without its name */
	elf_branches__at(elf, b.file_off + b.size - 1, PMB_BLOCK_NONE, &function, &at);
	cr_assert_eq(at.status, SYMD_SITE_FOUND);
	cr_expect_str_eq(function.called[0].linker, name);
	elf_found__done(&function);
	cr_expect_eq(at.file_off, b.file_off);
	cr_expect_eq(at.size, b.size);
	cr_expect_eq(at.jumps.n, b.jumps.n);
	elf_branches__at(elf, UINT64_MAX, PMB_BLOCK_NONE, &function, &at);
	elf_found__done(&function);
	cr_expect_eq(at.status, SYMD_SITE_NO_FUNCTION);
	elf_branches__find(elf, "no_such", 7, PMB_BLOCK_NONE, &function, &b);
	elf_found__done(&function);
	cr_expect_eq(b.status, SYMD_SITE_NO_FUNCTION);
	elf_file__free(elf);
	close(memory);
}
#endif
