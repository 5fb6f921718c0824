// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where probes of functions go: never amid an instruction, and where the kernel does its work. */
#include <criterion/criterion.h>
#include <fcntl.h>

#include "base/mem.h"
#include "symd/elf_site.h"
#include "symd/elf_usdt.h"
#include "../workloads/sdt.h"

#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

Test(elf_site, by_instructions)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		uint64_t offset;
		enum symd_site_status status;
		uint64_t at;
		bool emulated;
	} cases[] = {
		{"push", CODE("\x55\x48\x89\xe5\xc3"), 0, SYMD_SITE_FOUND, 0, true},
		{"push r12", CODE("\x41\x54\xc3"), 0, SYMD_SITE_FOUND, 0, true},
		{"nop", CODE("\x90\xc3"), 0, SYMD_SITE_FOUND, 0, true},
		{"ret", CODE("\xc3"), 0, SYMD_SITE_FOUND, 0, false},
		{"endbr64, push", CODE("\xf3\x0f\x1e\xfa\x53\xc3"), 0, SYMD_SITE_FOUND, 4, true},
		{"nop of five bytes, mov", CODE("\x0f\x1f\x44\x00\x00\x89\xf8\xc3"), 0,
		 SYMD_SITE_FOUND, 5, false},
		{"endbr64, nop of five bytes, push",
		 CODE("\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\x55\xc3"), 0, SYMD_SITE_FOUND, 9, true},
		{"mov, push", CODE("\x48\x89\xf8\x53\xc3"), 0, SYMD_SITE_FOUND, 3, true},
		{"test, je, push", CODE("\x85\xff\x74\x01\x53\xc3"), 0, SYMD_SITE_FOUND, 2, true},
		{"test, je far away", CODE("\x85\xff\x0f\x84\x10\0\0\0\xc3"), 0, SYMD_SITE_FOUND, 2,
		 true},
		{"an argument is overwritten before the push", CODE("\x89\xf7\x53\xc3"), 0,
		 SYMD_SITE_FOUND, 0, false},
		{"the stack pointer is moved before the je", CODE("\x48\x83\xec\x08\x74\x01\xc3"),
		 0, SYMD_SITE_FOUND, 0, false},
		{"an offset", CODE("\x48\x89\xf8\x53\xc3"), 3, SYMD_SITE_FOUND, 3, true},
		{"an offset, and what is said of it", CODE("\x53\x48\x89\xf8\x53\xc3"), 1,
		 SYMD_SITE_FOUND, 1, false},
		{"amid a mov", CODE("\x48\x89\xf8\x53\xc3"), 1, SYMD_SITE_NO_INSTRUCTION, 0, false},
		{"behind what is none", CODE("\x06\x53\xc3"), 1, SYMD_SITE_NO_INSTRUCTION, 0,
		 false},
		{"none", CODE("\x06\xc3"), 0, SYMD_SITE_NO_INSTRUCTION, 0, false},
		{"int3", CODE("\xcc"), 0, SYMD_SITE_NO_INSTRUCTION, 0, false},
		{"cut", CODE("\x48\x89"), 0, SYMD_SITE_NO_INSTRUCTION, 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t at = 0;
		bool emulated = false;

		cr_expect_eq(code_site__find(INSN_X86_64, cases[i].code, cases[i].len,
					     cases[i].offset, SITE_ARGUMENTS, &at, &emulated),
			     cases[i].status, "%s", cases[i].what);
		cr_expect_eq(at, cases[i].at, "%s: at %d", cases[i].what, (int)at);
		cr_expect_eq(emulated, cases[i].emulated, "%s", cases[i].what);
	}
}

Test(elf_site, of_arm64)
{
	enum { RET = 0xd65f03c0, STP = 0xa9be7bfd, CBZ = 0xb4000040, ADRP = 0x90000008 };
	static const struct {
		const char *what;
		uint32_t code[6];
		size_t n;
		uint64_t offset;
		enum symd_site_status status;
		uint64_t at;
		bool emulated;
	} cases[] = {
		{"stp", {STP, RET}, 2, 0, SYMD_SITE_FOUND, 0, false},
		{"bti c, stp", {0xd503245f, STP, RET}, 3, 0, SYMD_SITE_FOUND, 4, false},
		{"paciasp, nop, stp",
		 {0xd503233f, 0xd503201f, STP},
		 3,
		 0,
		 SYMD_SITE_FOUND,
		 8,
		 false},
		{"add x9, x0, #1; cbz", {0x91000409, CBZ, RET}, 3, 0, SYMD_SITE_FOUND, 4, true},
		{"adrp x8, stp", {ADRP, STP, RET}, 3, 0, SYMD_SITE_FOUND, 0, true},
		{"stp, cbz: the stack pointer is moved before",
		 {STP, CBZ, RET},
		 3,
		 0,
		 SYMD_SITE_FOUND,
		 0,
		 false},
		{"mov x0, x1; cbz: an argument is overwritten before",
		 {0xaa0103e0, CBZ, RET},
		 3,
		 0,
		 SYMD_SITE_FOUND,
		 0,
		 false},
		{"ret", {RET}, 1, 0, SYMD_SITE_FOUND, 0, true},
		{"a move, and ret, which is an exit",
		 {0x91000409, RET},
		 2,
		 0,
		 SYMD_SITE_FOUND,
		 0,
		 false},
		{"an offset", {STP, CBZ, RET}, 3, 4, SYMD_SITE_FOUND, 4, true},
		{"amid one", {STP, CBZ, RET}, 3, 2, SYMD_SITE_NO_INSTRUCTION, 0, false},
		{"between ldaxr and stlxr",
		 {STP, 0xc85ffc01, 0x91000421, 0xc802fc01, 0x35ffffa2, RET},
		 6,
		 8,
		 SYMD_SITE_NO_INSTRUCTION,
		 0,
		 false},
		{"behind stlxr",
		 {STP, 0xc85ffc01, 0x91000421, 0xc802fc01, 0x35ffffa2, RET},
		 6,
		 16,
		 SYMD_SITE_FOUND,
		 16,
		 true},
		{"data that is loaded",
		 {0x58000040, RET, 0x91000421, RET},
		 4,
		 8,
		 SYMD_SITE_NO_INSTRUCTION,
		 0,
		 false},
		{"brk", {0xd4207d00}, 1, 0, SYMD_SITE_NO_INSTRUCTION, 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t at = 0;
		bool emulated = false;

		cr_expect_eq(code_site__find(INSN_ARM64, (const uint8_t *)cases[i].code,
					     4 * cases[i].n, cases[i].offset, SITE_ARGUMENTS, &at,
					     &emulated),
			     cases[i].status, "%s", cases[i].what);
		cr_expect_eq(at, cases[i].at, "%s: at %d", cases[i].what, (int)at);
		cr_expect_eq(emulated, cases[i].emulated, "%s", cases[i].what);
	}
}

/* Before the push the fourth is overwritten. */
Test(elf_site, arguments_that_matter)
{
	static const uint8_t code[] = "\x48\x89\xf9\x53\xc3";
	bool emulated;
	uint64_t at;

	cr_expect_eq(code_site__find(INSN_X86_64, code, 5, 0, 3, &at, &emulated), SYMD_SITE_FOUND);
	cr_expect(at == 3 && emulated);
	cr_expect_eq(code_site__find(INSN_X86_64, code, 5, 0, 4, &at, &emulated), SYMD_SITE_FOUND);
	cr_expect(at == 0 && !emulated);
}

static void find(struct elf_file *elf, const char *name, size_t len, uint64_t offset,
		 struct elf_site *ret)
{
	struct elf_found found;

	elf_site__find(elf, name, len, offset, &found, ret);
	cr_expect(found.status != SYMD_SITE_FOUND || (found.n == 1 && found.n_called == 1));
	elf_found__done(&found);
}

__attribute__((noipa, used)) static int site_of_this_test(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

#ifdef __x86_64__
static int (*choose(void))(int)
{
	return site_of_this_test;
}

int chosen_at_start(int x) __attribute__((ifunc("choose")));

/* Its address is that of who chooses, which nobody calls later. */
Test(elf_site, what_is_chosen_at_the_start_is_none)
{
	struct elf_file *elf;
	struct elf_site site;

	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY), &elf), 0);
	cr_expect_eq(chosen_at_start(1), 2);
	find(elf, "chosen_at_start", 15, 0, &site);
	cr_expect_eq(site.status, SYMD_SITE_CHOOSES);
	elf_file__free(elf);
}
#endif

/* A function of this program. */
Test(elf_site, by_name)
{
	struct elf_file *elf;
	struct elf_site site;
	uint64_t vaddr, start;

	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY), &elf), 0);
	if (!elf_file__is_x86_64(elf)) {
		find(elf, "main", 4, 0, &site);
		cr_expect_eq(site.status, SYMD_SITE_OTHER_MACHINE);
		elf_file__free(elf);
		return;
	}
	cr_expect_eq(site_of_this_test(1), 2);
	find(elf, "site_of_this_test", 17, 0, &site);
	cr_expect_eq(site.status, SYMD_SITE_FOUND);
	cr_assert(elf_file__vaddr(elf, site.file_off, &vaddr));
	cr_assert(elf_file__function(elf, vaddr, &start, &(uint64_t){0}));
	cr_expect_leq(vaddr - start, 16);
	find(elf, "site_of_this_tes", 16, 0, &site);
	cr_expect_eq(site.status, SYMD_SITE_NO_FUNCTION);
	find(elf, "elf_begin", 9, 0, &site);
	cr_expect_eq(site.status, SYMD_SITE_ELSEWHERE, "of a library");
	find(elf, "site_of_this_test", 17, 1 << 20, &site);
	cr_expect_eq(site.status, SYMD_SITE_NO_INSTRUCTION);
	elf_file__free(elf);
}

SDT_COUNTER(counted);

__attribute__((noipa, used)) static void meet(void)
{
	SDT_PROBE(test, plain);
	SDT_PROBE(test, plain);
	SDT_PROBE_COUNTED(test, counted);
}

/* Probes of this program's own: one in two places, one with a counter. */
Test(elf_site, usdt)
{
	struct usdt_name plain = {"test", "plain", 4, 5}, counted = {"test", "counted", 4, 7};
	struct usdt_name none = {"tes", "plain", 3, 5};
	struct usdt_site sites[SYMD_USDT_MAX];
	struct elf_file *elf;
	uint32_t n;

	meet();
	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY), &elf), 0);
	if (elf_file__is_x86_64(elf)) {
		cr_expect_eq(elf_usdt__find(elf, &plain, sites, &n), SYMD_SITE_FOUND);
		cr_assert_eq(n, 2);
		cr_expect(sites[0].emulated && sites[1].emulated);
		cr_expect_eq(sites[1].file_off, sites[0].file_off + 1); /* nops */
		cr_expect_eq(sites[0].counter_off, 0);
		cr_expect_eq(elf_usdt__find(elf, &counted, sites, &n), SYMD_SITE_FOUND);
		cr_assert_eq(n, 1);
		cr_expect_neq(sites[0].counter_off, 0);
		cr_expect_eq(elf_usdt__find(elf, &none, sites, &n), SYMD_SITE_NO_PROBE);
	}
	elf_file__free(elf);
}
